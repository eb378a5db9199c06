import { describe, expect, test } from 'vitest'
import type { RunningPurchase } from '../../src/base/purchase.ts'
import { findModel } from '../../src/catalog/index.ts'
import type { Model } from '../../src/catalog/model.ts'
import { seenEarlier } from '../../src/engine/durations.ts'
import type { Job } from '../../src/manifest/shapes/job.ts'
import { expectedTime, secondsOfAll } from '../../src/planning/expected-time.ts'
import type { Delivered } from '../../src/store/journal/ages.ts'
import { gwV2 } from '../../src/wire/profile/gw-v2.ts'
import type { Workspace } from '../../src/workspace/workspace.ts'
import { job } from '../engine/fake.ts'

const usual = { execute: 4, submit: 200, download: 6 }
const exactly = (seconds: number) => [{ from: seconds * 1000, to: seconds * 1000 }]
const stills = seenEarlier(exactly(10))
const clips = seenEarlier(exactly(100))
const still = (nth: number, rest: Partial<Job> = {}) => job(`still-${nth}`, rest)
const clip = (nth: number, needs: Job[] = []) =>
  job(`clip-${nth}`, {
    mode: 'submit',
    model: findModel('famc-v3') as Model, // it is in the catalog
    needs: needs.map(({ address }) => address),
  })
const many = (count: number, one: (nth: number) => Job) => Array.from({ length: count }, (_, nth) => one(nth))

test.each<[string, readonly Job[], object, number]>([
  ['one takes as long as one', [still(0)], {}, 10],
  ['more than go at a time take as long as the work over the slots', many(20, still), {}, 50],
  ['each mode has its own', [...many(20, still), clip(0)], {}, 106],
  ['a chain takes as long as all that it is made of', [still(0), clip(0, [still(0)])], {}, 116],
  ['all of them share a total', many(20, still), { total: 2 }, 100],
  ['a family has its own limit', many(20, still), { families: { fama: 1 } }, 200],
  ['a model has its own limit', many(20, still), { models: { 'fama-imagine-image': 1 } }, 200],
  ['orders wait for their minute', many(20, still), { perMinute: 2 }, 600],
])('%s', (_, jobs, limits, seconds) => {
  const timed = jobs.map(each => ({
    job: each,
    seen: each.mode === 'submit' ? clips : stills,
    limits: { ...usual, ...limits },
  }))
  expect(secondsOfAll(timed)).toBeCloseTo(seconds)
})

test.each<[string, readonly Job[], number]>([
  ['the first one of a workflow goes alone', many(20, still), 10 + (19 * 10) / 4],
  ['and one by itself is alone anyway', [still(0)], 10],
  [
    'what it needs comes before it',
    [clip(0), ...many(20, nth => still(nth, { needs: [clip(0).address] }))],
    106 + 10 + (19 * 10) / 4,
  ],
  ['an order that is answered at once keeps nobody', many(400, clip), 212],
])('%s', (_, jobs, seconds) => {
  const timed = jobs.map(each => ({
    job: each,
    seen: each.mode === 'submit' ? clips : stills,
    limits: usual,
    workflow: each.model.id,
  }))
  expect(secondsOfAll(timed)).toBeCloseTo(seconds)
})

test('two workflows begin at the same time, and share their slots', () => {
  const timed = many(20, still).map((each, nth) => ({
    job: each,
    seen: stills,
    limits: usual,
    workflow: nth % 2 === 0 ? 'a' : 'b',
  }))
  expect(secondsOfAll(timed)).toBeCloseTo(50)
})

test('where durations differ, one of the long ones may be the last', () => {
  const seen = seenEarlier([5, 10, 20].flatMap(exactly))
  const seconds = secondsOfAll(many(4, still).map(each => ({ job: each, seen, limits: usual })))
  expect(seconds).toBeGreaterThan(14)
  expect(seconds).toBeLessThan(22)
})

describe('of a plan', () => {
  const origin = 'https://service.example'
  const workspace = {
    origin,
    profile: gwV2,
    layout: { rehearsal: false },
    manifest: { limits: { execute: 4 } },
    machine: { clock: { wall: () => 1000 } },
  } as unknown as Workspace // what is asked for
  const { model, params } = still(0)
  const one: Delivered = {
    recipe: { model: model.id, params },
    origin,
    at: 0,
    took: { from: 10_000, to: 10_000 },
  }
  const purchase = { is: 'under-way' } as RunningPurchase // nobody looks at it
  const buys = (...jobs: Job[]) => ({
    buys: jobs.length,
    steps: jobs.map(each => ({ do: 'buy', job: each, because: [] }) as const),
  })
  const resumes = (...jobs: Job[]) => ({
    buys: 0,
    steps: jobs.map(each => ({ do: 'resume', job: each, purchase }) as const),
  })
  const told = (count: number, more: object = {}, asked: object = {}) =>
    expectedTime(
      { ...workspace, ...more } as Workspace,
      { delivered: Array.from({ length: count }, () => one) },
      asked,
    )

  test.each([
    ['so many as it asks for', told(3).secondsOfAll(buys(...many(20, still))), 57.5],
    [
      'so many as the person asks for',
      told(3, {}, { execute: 2 }).secondsOfAll(buys(...many(20, still))),
      105,
    ],
    ['what is under way is not ordered', told(3).secondsOfAll(resumes(...many(20, still))), 50],
    ['fewer than three results say nothing', told(2).secondsOfAll(buys(still(0))), undefined],
    [
      'nothing is said where something is not known',
      told(3).secondsOfAll(buys(still(0), clip(0))),
      undefined,
    ],
    [
      'nothing is said of a rehearsal',
      told(3, { layout: { rehearsal: true } }).secondsOfAll(buys(still(0))),
      undefined,
    ],
    [
      'nothing is said where no service is known',
      told(3, { origin: undefined }).secondsOfAll(buys(still(0))),
      undefined,
    ],
    ['nothing is said where nothing is made', told(3).secondsOfAll(buys()), undefined],
    ['of one job', told(3).secondsOf(still(0)), 10],
  ])('%s', (_, seconds, wanted) => {
    if (wanted === undefined) expect(seconds).toBeUndefined()
    else expect(seconds).toBeCloseTo(wanted)
  })
})
