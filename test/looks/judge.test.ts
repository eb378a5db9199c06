import { expect, test } from 'vitest'
import type { ClipFacts, MediaFacts } from '../../src/looks/facts.ts'
import { areAlike, judgeFile, paceOf, shownBy } from '../../src/looks/judge.ts'
import { type LookMeaning, looksByProgram, meaningOf } from '../../src/looks/names.ts'

const hash = '0f'.repeat(32)
const picture = { of: 'picture', spread: 200, bright: 240, hash } as const
const sound = {
  ...({ of: 'sound' } as const),
  ...{ seconds: 5, loudness: -18, peak: -3, clipped: 0, loudest: -15, lead: 0, tail: 0.2 },
} as const
const { of: _, ...track } = sound
const clip = {
  ...{ of: 'clip', seconds: 5, spread: 200, bright: 240, black: 0, still: 0.1, hashes: [hash, hash, hash] },
} as const satisfies ClipFacts

const cases: readonly (readonly [MediaFacts, readonly string[]])[] = [
  [picture, []],
  [{ ...picture, spread: 6 }, ['blank']],
  [{ ...picture, spread: 7 }, []],
  // Black is one color, too: it is told once.
  [{ ...picture, spread: 2, bright: 3 }, ['dark']],
  [{ ...picture, bars: { along: 'top and bottom', shares: [0.1, 0.1] } }, ['letterbox']],
  [clip, []],
  [{ ...clip, black: 0.95 }, ['dark']],
  // A clip that begins and ends in black.
  [{ ...clip, black: 0.4 }, []],
  [{ ...clip, still: 0.9 }, ['frozen']],
  [{ ...clip, seconds: 3, still: 0.75 }, ['frozen']],
  [{ ...clip, seconds: 5, still: 0.75 }, []],
  // Half a second says nothing.
  [{ ...clip, seconds: 0.5, still: 1 }, []],
  [{ ...clip, spread: 3, still: 1 }, ['blank']],
  [{ ...clip, bars: { along: 'left and right', shares: [0.1, 0.1] } }, ['letterbox']],
  [{ ...clip, sound: { ...track, loudest: -70 } }, ['silent']],
  [sound, []],
  [{ ...sound, loudest: -61 }, ['silent']],
  [{ ...sound, clipped: 0.0005 }, ['clipping']],
  [{ ...sound, peak: 1.1 }, ['clipping']],
  // Louder than a sine at full scale, whose RMS is −3: flat tops that an encoder bent.
  [{ ...sound, loudest: -3 }, []],
  [{ ...sound, loudest: -2 }, ['clipping']],
  [{ ...sound, loudness: -39 }, ['loudness']],
  [{ ...sound, loudness: -6.9 }, ['loudness']],
  [{ ...sound, lead: 1.5, tail: 2 }, ['silence', 'silence']],
  // Noise that nobody hears: both are the whole of it.
  [{ ...sound, loudest: -57, lead: 5, tail: 5 }, ['silent']],
]

test.each(cases)('%# what is odd about a file', (facts, expected) => {
  expect(judgeFile(facts).map(({ look }) => look)).toEqual(expected)
})

test('all that is found of clips and sounds is among what a program has to show, and the other way round', () => {
  const found = (of: 'clip' | 'sound') =>
    cases.flatMap(([facts]) => (facts.of === of ? judgeFile(facts).map(({ look }) => look) : []))
  const sounds = new Set(found('sound'))
  // What is held against others is judged elsewhere.
  expect(new Set([...sounds, 'pace'])).toEqual(new Set(looksByProgram.audio))
  expect(new Set([...found('clip'), ...sounds, 'twice'])).toEqual(new Set(looksByProgram.video))
})

test('two files are alike by their hashes, and never by what has nothing on it', () => {
  const other = (bits: string) => ({ ...picture, hash: `${bits}${hash.slice(bits.length)}` })
  const alike = (one: MediaFacts, two: MediaFacts) => areAlike(shownBy(one), shownBy(two))
  expect(alike(picture, { ...picture })).toBe(true)
  // 8 of 256 bits differ, then 16.
  expect(alike(picture, other('f0'))).toBe(true)
  expect(alike(picture, other('f0f0'))).toBe(false)
  expect(alike({ ...picture, spread: 3 }, { ...picture, spread: 3 })).toBe(false)
  expect(alike(clip, { ...clip })).toBe(true)
  expect(alike(picture, clip)).toBe(false)
  expect(alike(sound, sound)).toBe(false)
})

test('the pace of speech is odd at half or twice the median of five others, and never of a few words', () => {
  const others = [6, 6.5, 7, 7.5, 30].map(seconds => ({ seconds, characters: 100 }))
  expect(paceOf({ seconds: 13.9, characters: 100 }, others)).toBe(undefined)
  expect(paceOf({ seconds: 14, characters: 100 }, others)).toBe(
    'it takes 0.14 s a character, where others take 0.07 s',
  )
  expect(paceOf({ seconds: 3.5, characters: 100 }, others)).toContain('0.04 s a character')
  expect(paceOf({ seconds: 14, characters: 19 }, others)).toBe(undefined)
  expect(paceOf({ seconds: 14, characters: 100 }, others.slice(1))).toBe(undefined)
})

test.each<[string, LookMeaning | undefined, string[]]>([
  ['nothing', undefined, ['off', 'off', 'warn']],
  ['nothing', 'fail', ['fail', 'fail', 'fail']],
  ['blank: warn', undefined, ['warn', 'off', 'warn']],
  ['blank: warn', 'fail', ['warn', 'fail', 'fail']],
  ['all: fail', 'warn', ['fail', 'fail', 'warn']],
  ['all: fail, blank: off', undefined, ['off', 'fail', 'warn']],
  // Off for all, whatever a job says.
  ['all: fail', 'off', ['off', 'off', 'off']],
  ['asked: fail', 'off', ['off', 'off', 'fail']],
])('a job that says %s, where %s is usual', (said, usual, expected) => {
  const policy = new Map(
    [...said.matchAll(/(\w+): (\w+)/g)].map(([, look, word]) => [look ?? '', word as LookMeaning]),
  )
  expect(['blank', 'silent', 'asked'].map(look => meaningOf(look, policy, usual))).toEqual(expected)
})
