import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { Mp4OutputFormat, WebMOutputFormat } from 'mediabunny'
import { afterAll, expect, test } from 'vitest'
import { examine } from '../../src/media/examine.ts'
import { probe } from '../../src/media/probe.ts'
import { mediaTypes } from '../../src/media/sniff.ts'
import { ascii, movie, samples, wav } from './samples.ts'

const files = await samples()
const folder = mkdtempSync(join(tmpdir(), 'genrun-probe-'))
afterAll(() => rmSync(folder, { recursive: true }))

function onDisk(name: string, bytes: Uint8Array): string {
  const path = join(folder, name)
  writeFileSync(path, bytes)
  return path
}

test.each([
  ['png', { width: 40, height: 24 }],
  ['jpeg', { width: 40, height: 24 }],
  ['webp', { width: 40, height: 24 }],
  ['avif', { width: 40, height: 24 }],
  ['gif', { width: 2, height: 2 }],
  ['mp4', { width: 64, height: 36, seconds: 1, sound: false }],
  ['mov', { width: 64, height: 36, seconds: 1, sound: false }],
  ['webm', { width: 64, height: 36, seconds: 1, sound: true }],
  ['m4a', { seconds: 1 }],
  ['wav', { seconds: 0.1 }],
  ['flac', { seconds: (192 * 5) / 44_100 }],
] as const)('%s is measured, from memory and from disk', async (name, measures) => {
  const media = { ...mediaTypes[name], ...measures }
  expect(await probe(files[name])).toEqual({ got: 'media', media })
  expect(await examine(onDisk(name, files[name]))).toEqual({ got: 'media', media })
})

test('a FLAC without frames is broken, and not looked through for ever', async () => {
  const got = await probe(files.flac.subarray(0, 42))
  expect(got).toEqual({ got: 'broken', why: 'it is cut short: it has no frames' })
})

test.each([
  ['mp3', (20 * 1152) / 44_100],
  ['aac', (20 * 1024) / 44_100],
  ['ogg', 10 * 0.02],
] as const)('%s lasts about as long as its frames', async (name, seconds) => {
  const probed = await probe(files[name])
  expect(probed.got === 'media' && probed.media.seconds).toBeCloseTo(seconds, 1)
})

test('an MP4 with sound only is an audio file', async () => {
  const file = await movie(new Mp4OutputFormat({ fastStart: 'in-memory' }), ['opus'])
  expect(await probe(file)).toEqual({ got: 'media', media: { ...mediaTypes.m4a, seconds: 1 } })
  expect(await probe(await movie(new WebMOutputFormat(), ['opus']))).toMatchObject({
    media: { kind: 'audio' },
  })
})

test.each([
  ['a page', Uint8Array.from(ascii('<html>')), 'it is not a media file'],
  ['an MP4 of nothing but its brand', files.mp4.subarray(0, 32), undefined],
  ['a WAV without samples', wav(0), undefined],
  ['a PNG of no width', withZeroWidth(files.png), undefined],
  ['a PNG that ends in its head', files.png.subarray(0, 12), undefined],
])('%s is broken', async (_, bytes, why) => {
  const probed = await probe(bytes)
  expect(probed).toMatchObject(why === undefined ? { got: 'broken' } : { got: 'broken', why })
})

test('a file is examined to its end', async () => {
  const cut = onDisk('cut.mp4', files.mp4.subarray(0, -5))
  expect(await examine(cut)).toEqual({
    got: 'broken',
    why: 'it is cut short: it ends inside a box mdat',
    as: { kind: 'video', type: 'video/mp4', extension: 'mp4' },
  })
  expect(await examine(onDisk('page.png', Uint8Array.from(ascii('<html>'))))).toEqual({
    got: 'broken',
    why: 'it is not a media file',
    as: { type: 'text/html', extension: 'html' },
  })
})

test('a file that is not there is an error of the system', async () => {
  await expect(probe(join(folder, 'nothing.mp4'))).rejects.toThrow('ENOENT')
})

function withZeroWidth(png: Uint8Array): Uint8Array {
  const copy = png.slice()
  copy.set([0, 0, 0, 0], 16)
  return copy
}
