import { expect, test } from 'vitest'
import { jobAddress } from '../../../src/base/names.ts'
import { readShard, shardMark, shardMarked } from '../../../src/base/shard.ts'
import type { Job } from '../../../src/manifest/shapes/job.ts'
import type { Caps } from '../../../src/plan/budget.ts'
import { componentsOf } from '../../../src/plan/division/components.ts'
import { apportion, divide } from '../../../src/plan/division/divide.ts'
import { divideJobs, shareOf } from '../../../src/plan/division/shards.ts'
import { checkText } from '../../../src/workspace/read/check.ts'
import fc from '../../cases.ts'

function jobsOf(text: string): readonly Job[] {
  const { manifest, problems } = checkText({ name: 'm.yaml', text }, import.meta.dirname)
  if (!manifest) throw new Error(JSON.stringify(problems.map(({ message }) => message)))
  return manifest.jobs
}

/** A table of still pictures, each in two views, and a clip of each. */
function table(rows: readonly (string | number)[]): readonly Job[] {
  return jobsOf(`jobs:
  still:
    matrix: { item: [${rows.map(row => `'${row}'`).join(', ')}], view: [front, side] }
    model: fama-imagine-image
    prompt: Teapot \${{ matrix.item }} from the \${{ matrix.view }}
  clip:
    matrix: { item: [${rows.map(row => `'${row}'`).join(', ')}] }
    model: famc-v3
    prompt: Teapot \${{ matrix.item }} turns
    startFrame: \${{ jobs.still['view=front'].output }}
`)
}

const names = (jobs: readonly Job[]) => jobs.map(({ address }) => address).toSorted()

test.each([
  ['3/16', { nth: 3, of: 16 }],
  ['1/1', { nth: 1, of: 1 }],
  [' 16/16 ', { nth: 16, of: 16 }],
  ['0/16', undefined],
  ['17/16', undefined],
  ['3/1001', undefined],
  ['3-of-16', undefined],
  ['3/x', undefined],
  ['', undefined],
])('a shard is one of so many: %s', (text, shard) => {
  expect(readShard(text)).toEqual(shard)
  if (shard) expect(shardMarked(shardMark(shard))).toEqual(shard)
})

test('what is made from one another stays together, and so do takes and twins', () => {
  const jobs = jobsOf(`jobs:
  hero: { model: fama-imagine-image, prompt: Hero, takes: 2 }
  edit: { model: famb-character, prompt: Edit, imageUrls: '\${{ jobs.hero.output }}' }
  alone: { model: fama-imagine-image, prompt: Alone }
  twin: { model: fama-imagine-image, prompt: Alone }
  other: { model: fama-imagine-image, prompt: Other }
  after: { model: fama-imagine-image, prompt: After, needs: other }
`)
  expect(componentsOf(jobs).map(({ jobs }) => names(jobs))).toEqual([
    ['edit', 'hero', 'hero#2'],
    ['alone', 'twin'],
    ['after', 'other'],
  ])
})

test('every job falls to one shard, its whole component to the same, whatever order the jobs have', () => {
  const jobs = table([...Array(60).keys()])
  const division = divideJobs(jobs, 7)
  expect(division.jobs.flatMap(names).toSorted()).toEqual(names(jobs))
  for (const { jobs: together } of componentsOf(jobs))
    expect(new Set(together.map(({ address }) => division.shardOf(address))).size).toBe(1)
  const turned = divideJobs(jobs.toReversed(), 7)
  for (const { address } of jobs) expect(turned.shardOf(address)).toBe(division.shardOf(address))
  expect(turned.work).toBe(division.work)
  // A further take, and what a short delivery lacks, is where its job is.
  const still = jobAddress('still[7,front]')
  expect(division.shardOf(jobAddress('still[7,front]#3'))).toBe(division.shardOf(still))
  expect(division.shardOf(jobAddress('still[7,front]#2+4'))).toBe(division.shardOf(still))
})

test('this division stays what it is: another one would have machines of two versions buy the same', () => {
  const division = divideJobs(table(['AS-101', 'AS-102', 'AS-103', 'AS-104', 'AS-105', 'AS-106']), 3)
  expect(
    division.jobs.map(jobs => names(jobs).filter(name => name.startsWith('clip'))),
  ).toMatchInlineSnapshot(`
    [
      [
        "clip[AS-104]",
        "clip[AS-106]",
      ],
      [
        "clip[AS-101]",
        "clip[AS-105]",
      ],
      [
        "clip[AS-102]",
        "clip[AS-103]",
      ],
    ]
  `)
  expect(division.work).toMatchInlineSnapshot(
    `"sha256:69d4526a6614b662257d2f289312619482ed8f68f7b6d0090a26ed04f6c962f0"`,
  )
})

test.each([
  [200, 16],
  [200, 3],
  [30, 8],
])('no shard gets much more than its part (%d rows in %d shards)', (rows, of) => {
  const components = componentsOf(table([...Array(rows).keys()]))
  const shards = divide(components, of)
  const loads = Array.from({ length: of }, (_, nth) =>
    components.reduce((sum, { weight }, at) => sum + (shards[at] === nth + 1 ? weight : 0), 0),
  )
  const even = loads.reduce((sum, load) => sum + load, 0) / of
  const heaviest = Math.max(...components.map(({ weight }) => weight))
  expect(Math.max(...loads)).toBeLessThanOrEqual(Math.max(1.1 * even, even + heaviest))
})

test('a row more or less moves few of the others', () => {
  const rows = [...Array(200).keys()].map(nth => `row-${nth}`)
  const before = divideJobs(table(rows), 16)
  const moved = [...Array(20).keys()].map(nth => {
    const after = divideJobs(table([...rows, `new-${nth}`]), 16)
    return (
      before.jobs.flat().filter(({ address }) => after.shardOf(address) !== before.shardOf(address)).length /
      3
    )
  })
  expect(moved.reduce((sum, each) => sum + each, 0) / moved.length).toBeLessThan(4)
  expect(Math.max(...moved)).toBeLessThanOrEqual(16)
})

test('one component heavier than all else has a shard to itself', () => {
  const jobs = jobsOf(`jobs:
  hero: { model: fama-imagine-image, prompt: Hero }
  clip:
    matrix: { n: [1, 2, 3, 4, 5, 6] }
    model: famc-v3
    prompt: Clip \${{ matrix.n }}
    startFrame: \${{ jobs.hero.output }}
  small:
    matrix: { n: [1, 2, 3, 4, 5, 6] }
    model: fama-imagine-image
    prompt: Small \${{ matrix.n }}
`)
  const { jobs: byShard } = divideJobs(jobs, 3)
  const heavy = byShard.find(each => each.some(({ address }) => address === 'hero'))
  expect(heavy?.length).toBe(7)
  expect(byShard.map(({ length }) => length).toSorted()).toEqual([3, 3, 7])
})

test('parts are whole and come to the whole', () => {
  const weights = fc.array(fc.nat({ max: 1000 }), { minLength: 1, maxLength: 40 })
  fc.assert(
    fc.property(fc.nat({ max: 1_000_000 }), weights, (total, each) => {
      const parts = apportion(total, each)
      expect(parts.reduce((sum, part) => sum + part, 0)).toBe(total)
      expect(parts.every(part => Number.isInteger(part) && part >= 0)).toBe(true)
      const sum = each.reduce((all, weight) => all + weight, 0)
      if (total >= sum) expect(parts.every((part, nth) => part >= (each[nth] ?? 0))).toBe(true)
    }),
  )
})

test.each<[Caps]>([
  [{ maxPaid: 5 }],
  [{ maxPaid: 0 }],
  [{ maxPaid: 1000 }],
  [{ maxCost: 12.34 }],
  [{ maxCost: 0.000001 }],
  [{ maxCost: 5000 }],
  [{ maxPaid: 7, maxCost: 3, tags: { shop: 1.5 } }],
])('the caps of all shards come to those of the person: %j', caps => {
  const division = divideJobs(table([...Array(40).keys()]), 16)
  const prices = {
    currency: 'USD',
    models: [{ match: '*', rates: [{ when: {}, amounts: { perRun: 0.07 } }] }],
  }
  const shares = [...Array(16).keys()].map(nth => shareOf(caps, { nth: nth + 1, of: 16, division }, prices))
  const sum = (of: (share: (typeof shares)[number]) => number | undefined) =>
    shares.reduce((all, share) => all + (of(share) ?? 0), 0)
  if (caps.maxPaid !== undefined) expect(sum(({ maxPaid }) => maxPaid)).toBe(caps.maxPaid)
  if (caps.maxCost !== undefined) expect(sum(({ maxCost }) => maxCost)).toBeCloseTo(caps.maxCost, 8)
  if (caps.tags) expect(sum(({ tags }) => tags?.shop)).toBeCloseTo(caps.tags.shop ?? 0, 8)
})
