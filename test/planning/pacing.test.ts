import { describe, expect, test } from 'vitest'
import { openDurations } from '../../src/engine/durations.ts'
import { deliveredLately, durationsLately, limitsOf } from '../../src/planning/pacing.ts'
import type { Delivered } from '../../src/store/journal/ages.ts'

const usual = { execute: 64, submit: 200, download: 6, useless: 5, families: {}, models: {} }

test.each<[string, Parameters<typeof limitsOf>, ReturnType<typeof limitsOf>]>([
  ['nothing is said', [{}], usual],
  ['the manifest says less', [{ execute: 4 }], { ...usual, execute: 4 }],
  ['the manifest says more', [{ submit: 1000 }], usual],
  [
    'the command line says less',
    [{ execute: 8 }, { execute: 2, submit: 3 }],
    { ...usual, execute: 2, submit: 3 },
  ],
  [
    'both say something',
    [
      { total: 9, perMinute: 30 },
      { total: 12, perMinute: 6 },
    ],
    { ...usual, total: 9, perMinute: 6 },
  ],
  ['the manifest bears fewer useless results', [{ maxUseless: 3 }], { ...usual, useless: 3 }],
  ['the manifest bears more of them', [{ maxUseless: 50 }], usual],
  ['a person bears more', [{}, { useless: 50 }], { ...usual, useless: 50 }],
  ['the manifest bears fewer than a person', [{ maxUseless: 9 }, { useless: 50 }], { ...usual, useless: 9 }],
  [
    'both name families and models',
    [
      { families: { famc: 4, fama: 1 }, models: { 'famc-v3': 2 } },
      { families: { famc: 3 }, models: { 'famc-t2a': 1 } },
    ],
    { ...usual, families: { famc: 3, fama: 1 }, models: { 'famc-v3': 2, 'famc-t2a': 1 } },
  ],
])('the lowest limit holds when %s', (_, given, limits) => {
  expect(limitsOf(...given)).toEqual(limits)
})

const [origin, day] = ['https://service.example', 24 * 60 * 60_000]
const second = 1000
const clip: Delivered = {
  recipe: { model: 'famc-v3', params: { duration: 5 } },
  origin,
  at: 10 * day,
  took: { from: 30 * second, to: 30 * second },
}
const strange: readonly [string, Delivered][] = [
  ['of more than a day ago', { ...clip, at: 9 * day }],
  ['of tomorrow', { ...clip, at: 11 * day }],
  ['of another service', { ...clip, origin: 'https://other.example' }],
]

test.each<[string, Delivered, number]>([
  ['one of a minute ago', clip, 1],
  ...strange.map(([what, each]): [string, Delivered, number] => [`one ${what}`, each, 0]),
  ['one of another model', { ...clip, recipe: { model: 'fama-tts', params: {} } }, 0],
])('of what was delivered %s counts for the pace: %#', (_, delivered, count) => {
  const service = { models: new Set(['famc-v3']), origin, wall: 10 * day + 60_000 }
  expect(deliveredLately([delivered], service)).toBe(count)
})

describe('how long orders took', () => {
  const at = { origin, wall: 10 * day + 60_000 }
  const kindsOf = (delivered: readonly Delivered[]) => [...durationsLately(delivered, at).keys()]

  test('is told by model and seconds', () => {
    const longer = { ...clip, recipe: { model: 'famc-v3', params: { duration: 10 } } }
    const still = { ...clip, recipe: { model: 'fama-imagine-image', params: { prompt: 'tea' } } }
    expect(kindsOf([clip, longer, clip, still])).toEqual(['famc-v3 5', 'famc-v3 10', 'fama-imagine-image '])
  })

  test.each(strange)('is not told by one %s', (_, each) => {
    expect(kindsOf([each])).toEqual([])
  })

  test('is not told by one whose dates say nothing', () => {
    const { took: _, ...undated } = clip
    expect(kindsOf([undated])).toEqual([])
  })

  test('is known to the engine from its first run on', () => {
    const durations = openDurations(
      durationsLately(
        Array.from({ length: 8 }, () => clip),
        at,
      ),
    )
    expect(durations.gapMs('famc-v3 5', 0)).toBeGreaterThan(15 * second)
    expect(durations.gapMs('famc-v3 10', 0)).toBeUndefined()
  })
})
