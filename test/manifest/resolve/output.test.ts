import { describe, expect, test } from 'vitest'
import { outputOfTake } from '../../../src/base/output-name.ts'
import { spanOf } from '../../../src/base/source.ts'
import type { MediaKind } from '../../../src/catalog/index.ts'
import { readOutput } from '../../../src/manifest/resolve/output.ts'

function read(text: string, kind: MediaKind = 'image') {
  const found = readOutput(text, spanOf({ name: 'm.yaml', text }, 0, text.length), kind)
  return typeof found === 'string' ? found : { refused: found.message }
}

describe('outputs that are paths inside the output folder pass', () => {
  test.each<[string, MediaKind, string]>([
    ['hero', 'image', 'hero'],
    ['stills/hero', 'image', 'stills/hero'],
    ['./stills/./hero', 'image', 'stills/hero'],
    ['hero.png', 'image', 'hero'],
    ['hero.JPEG', 'image', 'hero'],
    ['clip.mp4', 'video', 'clip'],
    ['voice.wav', 'audio', 'voice'],
    ['hero.v2', 'image', 'hero.v2'],
    ['v1.5/hero', 'image', 'v1.5/hero'],
    ['茶壺/ポスター', 'image', '茶壺/ポスター'],
    ['spring sale/hero 1', 'image', 'spring sale/hero 1'],
    ['console', 'image', 'console'],
    ['a/takes/b', 'image', 'a/takes/b'],
  ])('%s of a job that makes %s', (text, kind, expected) => {
    expect(read(text, kind)).toBe(expected)
  })
})

describe('others are refused', () => {
  test.each<[string, MediaKind, string]>([
    ['../hero', 'image', 'an output cannot lead out of the output folder'],
    ['a/../../hero', 'image', 'an output cannot lead out of the output folder'],
    ['/hero', 'image', 'an output cannot lead to another place of the disk'],
    ['C:/hero', 'image', 'an output cannot lead to another place of the disk'],
    ['~/hero', 'image', 'an output cannot lead to another place of the disk'],
    ['a\\hero', 'image', 'a path is written with forward slashes'],
    ['hero/', 'image', 'an output ends in a file name'],
    ['a//b', 'image', 'a folder in this path has no name'],
    ['.', 'image', 'a folder in this path has no name'],
    ['.genrun/a', 'image', '`.genrun` is kept for what genrun puts there itself'],
    ['takes/a', 'image', '`takes` is kept for what genrun puts there itself'],
    ['hero.mp4', 'image', 'the job makes an image, and `.mp4` is the ending of a video'],
    ['voice.png', 'audio', 'the job makes audio, and `.png` is the ending of an image'],
    ['CON', 'image', 'CON is the name of a device on Windows'],
    ['a/nul.txt', 'image', 'nul is the name of a device on Windows'],
    ['com1/a', 'image', 'com1 is the name of a device on Windows'],
    ['what?', 'image', '`?` cannot stand in a file name everywhere'],
    ['a\u0007b', 'image', '`\u0007` cannot stand in a file name everywhere'],
    ['a\u202eb', 'image', '`\u202e` cannot stand in a file name everywhere'],
    ['hero.', 'image', 'the name `hero.` begins or ends with a blank or a dot'],
    ['a /b', 'image', 'the name `a ` begins or ends with a blank or a dot'],
    ['é'.repeat(101), 'image', 'a name in this path is longer than 200 bytes'],
  ])('%j of a job that makes %s', (text, kind, message) => {
    expect(read(text, kind)).toEqual({ refused: message })
  })
})

test('the bare name holds take 1, the others lie aside', () => {
  expect([1, 2, 3].map(take => outputOfTake('stills/hero', take))).toEqual([
    'stills/hero',
    'takes/stills/hero.take2',
    'takes/stills/hero.take3',
  ])
})
