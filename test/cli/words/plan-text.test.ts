import { describe, expect, test } from 'vitest'
import { jobAddress } from '../../../src/base/names.ts'
import { colours } from '../../../src/cli/io/colour.ts'
import { planSummary } from '../../../src/cli/words/plan-summary.ts'
import { planLines } from '../../../src/cli/words/plan-text.ts'
import type { PlanRecord, StepRecord } from '../../../src/planning/plan-record.ts'

const plain = colours(false)

function step(address: string, more: Partial<StepRecord> & Pick<StepRecord, 'do'>): StepRecord {
  return { address: jobAddress(address), because: [], model: 'famc-v3', kind: 'video', ...more }
}

function record(steps: readonly StepRecord[], more: Partial<PlanRecord> = {}): PlanRecord {
  const counts: { [what in StepRecord['do']]?: number } = {}
  for (const each of steps) counts[each.do] = (counts[each.do] ?? 0) + 1
  const bought = steps.filter(each => each.do === 'buy')
  const known = bought.flatMap(({ cost }) => (cost?.is === 'known' ? [cost.amount] : []))
  const total = {
    jobs: bought.length,
    amount: known.reduce((sum, each) => sum + each, 0),
    unknown: bought.length - known.length,
  }
  return {
    manifest: 'm.yaml',
    name: 'teapots',
    output: '/project/out/teapots',
    steps,
    counts,
    paid: bought.length,
    again: bought.filter(each => each.again).length,
    cost: { total, byModel: [], byTag: [], unknown: [] },
    caps: {},
    remarks: [],
    ...more,
  }
}

const known = (amount: number) => ({ is: 'known', amount }) as const

test('what is bought from named services is told apart in the sum', () => {
  const buy = (address: string, service?: string) => step(address, { do: 'buy', ...(service && { service }) })
  const sum = (...steps: readonly StepRecord[]) => planLines(record(steps), plain).at(-1)
  expect(sum(buy('a', 'east'), buy('b', 'west'), buy('c', 'east'), buy('d'))).toBe(
    '4 paid requests (2 at east, 1 at west, 1 at the usual service)',
  )
  expect(sum(buy('a'), step('b', { do: 'keep', service: 'east' }))).toBe('1 paid request; 1 up to date')
})

const mixed = record(
  [
    step('hero', { do: 'keep' }),
    step('clip', { do: 'buy', because: ['duration 5 → 10 (m.yaml:21)'], again: true, cost: known(4.2) }),
    ...['a', 'b', 'c', 'd', 'e'].map(key =>
      step(`still[${key}]`, {
        do: 'buy',
        model: 'famb-v3',
        kind: 'image',
        because: ['not made yet'],
        cost: { is: 'unknown', why: 'there is no price for famb-v3' },
      }),
    ),
    step('film', { do: 'hold', because: ['it needs intro'] }),
    step('intro', { do: 'doubt', because: ['nobody knows whether it was paid for: it timed out'] }),
    { do: 'drop', address: jobAddress('old'), because: ['no longer in the manifest'] },
  ],
  {
    cost: {
      currency: 'USD',
      total: { jobs: 6, amount: 4.2, unknown: 5 },
      byModel: [
        { model: 'famc-v3', jobs: 1, amount: 4.2, unknown: 0 },
        { model: 'famb-v3', jobs: 5, amount: 0, unknown: 5 },
      ],
      byTag: [{ tag: 'shop', jobs: 6, amount: 4.2, unknown: 5 }],
      unknown: ['there is no price for famb-v3'],
    },
  },
)

describe('a plan on a terminal', () => {
  test('has what is bought first, alike jobs in one line, then the cost and the sum', () => {
    expect(planLines(mixed, plain).join('\n')).toBe(
      `
buy       clip      famc-v3   4.20 USD  duration 5 → 10 (m.yaml:21)
buy       still ×5  famb-v3  not known  not made yet
held      film      famc-v3             it needs intro
in doubt  intro     famc-v3             nobody knows whether it was paid for: it timed out
dropped   old                           no longer in the manifest

by model  famc-v3     1 job  4.20 USD
          famb-v3    5 jobs  not known
by tag    shop       6 jobs  4.20 USD and 5 jobs whose cost is not known
not known: there is no price for famb-v3

6 paid requests, about 4.20 USD and 5 jobs whose cost is not known, 1 of them for what is there already; 1 up to date, 1 held, 1 in doubt, 1 dropped
`.trim(),
    )
  })

  test('without prices says nothing of costs', () => {
    expect(planLines(record([step('clip', { do: 'buy', because: ['not made yet'] })]), plain)).toEqual([
      'buy       clip  famc-v3  not made yet',
      '',
      '1 paid request',
    ])
  })

  test('of a rehearsal pays nothing', () => {
    const plan = record([step('clip', { do: 'buy', kind: 'video', because: ['not made yet'], again: true })])
    expect(planLines(plan, plain, { isRehearsal: true })).toEqual([
      'make      clip  famc-v3  not made yet',
      '',
      '1 request to rehearse, 1 of them for what is there already',
    ])
    expect(planSummary(plan, true)).toContain(
      '**A rehearsal of this change makes 1 clip; 1 of them replaces what is there already.**',
    )
  })

  test('names many jobs by their ids, and few by their addresses', () => {
    const because = ['not made yet']
    const of = (id: string, count: number) =>
      Array.from({ length: count }, (_, nth) => step(`${id}[${nth}]`, { do: 'buy', because }))
    const plan = record([step('hero', { do: 'buy', because }), ...of('still', 2), ...of('clip', 300)])
    expect(planLines(plan, plain)[0]).toBe(
      'buy       hero, still[0], still[1], clip ×300  famc-v3  not made yet',
    )
    const long = record([
      ...of('a-rather-long-name', 4),
      ...of('another-long-name', 5),
      step('hero', { do: 'buy', because }),
    ])
    expect(planLines(long, plain)[0]).toBe(
      'buy       a-rather-long-name ×4 and 6 more  famc-v3  not made yet',
    )
  })

  test('says one of many different reasons, and where the others are', () => {
    const reasons = Array.from({ length: 30 }, (_, nth) =>
      step(`still[${nth}]`, { do: 'buy', because: [`prompt a${nth} → b${nth} (m.yaml:3)`] }),
    )
    expect(planLines(record(reasons), plain)).toEqual([
      'buy       still ×30  famc-v3  prompt a0 → b0 (m.yaml:3), and 29 other reasons; --verbose tells each',
      '',
      '30 paid requests',
    ])
  })

  test('gives a reason that does not fit a line of its own', () => {
    const long = record([step('clip', { do: 'buy', because: ['duration 5 → 10 (m.yaml:21)'] })])
    expect(planLines(long, plain, { columns: 40 }).slice(0, 2)).toEqual([
      'buy       clip  famc-v3',
      '          duration 5 → 10 (m.yaml:21)',
    ])
    expect(planLines(long, plain, { columns: 80 })[0]).toBe(
      'buy       clip  famc-v3  duration 5 → 10 (m.yaml:21)',
    )
  })

  test('has a line for each job when all is to be said, in the order of the manifest', () => {
    const because = ['not made yet']
    const steps = [
      step('still[a]', { do: 'buy', because }),
      step('hero', { do: 'keep' }),
      step('still[b]', { do: 'buy', because }),
    ]
    expect(planLines(record(steps), plain, { isEachJob: true }).slice(0, 3)).toEqual([
      'buy       still[a]  famc-v3  not made yet',
      'kept      hero      famc-v3',
      'buy       still[b]  famc-v3  not made yet',
    ])
  })

  test('with nothing to do is one line', () => {
    expect(planLines(record([step('clip', { do: 'keep' })]), plain)).toEqual([
      'nothing to do: 1 job is up to date',
    ])
  })
})

describe('a plan for a pull request', () => {
  test('begins with what it buys and costs', () => {
    const clips = Array.from({ length: 14 }, (_, nth) =>
      step(`clip[${nth}]`, { do: 'buy', because: ['not made yet'], cost: known(0.42) }),
    )
    const plan = record(clips)
    const summary = planSummary({ ...plan, cost: { ...plan.cost, currency: 'USD' } })
    expect(summary.split('\n\n').slice(0, 2)).toEqual([
      '### teapots',
      '**This change buys 14 clips, about 5.88 USD.**',
    ])
    expect(summary).toContain('| buy | `clip[13]` | famc-v3 | 0.42 USD | not made yet |')
  })

  test('says what is not known, what is bought anew and what waits', () => {
    const summary = planSummary(mixed)
    expect(summary).toContain(
      '**This change buys 5 images and 1 clip, about 4.20 USD and 5 jobs whose cost is not known; 1 of them replaces what is paid for already.**',
    )
    expect(summary).toContain('| **held** | `film` | famc-v3 |  | it needs intro |')
    expect(summary).toContain('Not known: there is no price for famb-v3.')
  })

  test('buys nothing', () => {
    expect(planSummary(record([step('clip', { do: 'keep' })]))).toBe(
      '### teapots\n\n**This change buys nothing.**',
    )
  })

  test('lets no text of the manifest become markup', () => {
    const evil = step('x', {
      do: 'buy',
      because: ['prompt a → <img src=x> | [b](http://c) @team `d`\n# e (m.yaml:1)'],
    })
    const row = planSummary(record([evil]))
      .split('\n')
      .find(line => line.startsWith('| buy'))
    expect(row).toBe(
      '| buy | `x` | famc-v3 |  | prompt a → &#60;img src=x&#62; &#124; &#91;b&#93;(http://c) &#64;team &#96;d&#96;&#92;u&#123;a&#125;&#35; e (m.yaml:1) |',
    )
  })
})
