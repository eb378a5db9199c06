// Several orders bring the files of one job: what is paid for, or may be, is not ordered once more.
import { expect, test } from 'vitest'
import { jobAddress } from '../../src/base/names.ts'
import type { DonePurchase, Purchase } from '../../src/base/purchase.ts'
import type { SavedFile } from '../../src/base/state.ts'
import { findModel, type Model } from '../../src/catalog/index.ts'
import type { Job, ShortDelivery } from '../../src/manifest/shapes/job.ts'
import { planRequest } from '../../src/plan/request/planned.ts'
import { type Choices, isJobStep } from '../../src/plan/shapes/step.ts'
import { named } from '../store/records.ts'
import { digest, done, doubt, facts, failed, job, running, told, type World } from './world.ts'

const model = findModel('fama-imagine-image') as Model // it is in the catalog

/** So many pictures; of the model's numbers, which are 1, 2 and 4. */
function pictures(count: number, more: Partial<Job> = {}): Job {
  return job('hero', { prompt: 'tea', count }, { model, count, mode: 'execute', ...more })
}

/** The order of the files from that place on, counted from 1. */
function rest(from: number, count: number): Job {
  return { ...pictures(count), address: jobAddress(`hero+${from}`) }
}

function files(count: number): SavedFile[] {
  return Array.from({ length: count }, (_, nth) => ({
    path: `hero-${nth}.png`,
    digest: digest(`${nth}`),
    bytes: 1,
    type: 'image/png',
  }))
}

/** Of what has the name of a job of which something failed before. */
const since = { id: named('since'), files: files(2) }

function steps(asked: Job, purchases: readonly Purchase[], choices?: Choices): string[] {
  const outcome = planRequest(
    { jobs: [asked], picked: [], ...(choices && { choices }) },
    facts({ purchases }),
  )
  if (outcome.got !== 'planned') throw new Error('nothing is planned')
  return outcome.plan.steps.map(step => {
    const [its = ''] = told([step]).map(text => text.replace(/:.*/, ''))
    return step.do === 'buy' ? `${its} ${step.job.count}` : its
  })
}

function bought(jobs: readonly Job[], purchases: readonly Purchase[]): string[] {
  const outcome = planRequest({ jobs, picked: [] }, facts({ purchases }))
  if (outcome.got !== 'planned') throw new Error('nothing is planned')
  return outcome.plan.steps.flatMap(step =>
    step.do === 'buy' ? `${step.job.address} ${step.job.count}` : [],
  )
}

test.each<[string, Job, readonly Purchase[], string[]]>([
  [
    'and the number is raised: the difference is ordered',
    pictures(4),
    [doubt(pictures(2))],
    ['doubt hero', 'buy hero+3 2'],
  ],
  ['and the number is lowered: nothing is ordered', pictures(1), [doubt(pictures(4))], ['doubt hero']],
  [
    'and the number is lowered: what another order brought behind it does not take its place',
    pictures(2),
    [doubt(pictures(2)), done(rest(3, 2), { files: files(1) })],
    ['doubt hero', 'drop hero+3'],
  ],
  [
    'and is the rest of what came: nothing is ordered in its place',
    pictures(4, { shortDelivery: 'top-up' }),
    [done(pictures(4), { files: files(2) }), doubt(rest(3, 2))],
    ['keep hero', 'doubt hero+3'],
  ],
])('an order is in doubt, %s', (_, asked, purchases, expected) => {
  expect(steps(asked, purchases)).toEqual(expected)
})

test.each([
  ['raised', 2, 4, ['buy hero 2', 'buy hero+3 2']],
  ['lowered', 4, 2, ['buy hero 2']],
  ['the same', 4, 4, ['buy hero 4']],
])(
  'what is in doubt is given up for what is ordered anew, the number %s, under its name and another',
  (_, was, count, expected) => {
    for (const name of ['hero', 'tea']) {
      const doubtful = doubt({ ...pictures(was), address: jobAddress(name) })
      const outcome = planRequest(
        { jobs: [pictures(count)], picked: [], choices: { resubmit: true } },
        facts({ purchases: [doubtful] }),
      )
      const [first, ...more] = outcome.got === 'planned' ? outcome.plan.steps : []
      const buys = [first, ...more].map(
        step => step?.do === 'buy' && `buy ${step.job.address} ${step.job.count}`,
      )
      expect(buys, name).toEqual(expected)
      const isOther = count < was && { isOther: true }
      expect(first?.do === 'buy' && first.insteadOf, name).toEqual([{ doubt: doubtful, ...isOther }])
    }
  },
)

test.each<[string, Purchase, string]>([
  ['there', done(rest(3, 2), { files: files(2) }), 'keep hero+3'],
  ['on its way', running(rest(3, 2)), 'resume hero+3'],
  ['in doubt', doubt(rest(3, 2)), 'doubt hero+3'],
])(
  'the first order came to nothing, and the rest is %s: only what is missing is ordered',
  (_, purchase, step) => {
    expect(steps(pictures(4), [purchase])).toEqual(['buy hero 2', step])
  },
)

test.each<[string, (rest: Job) => Purchase, string, string]>([
  ['there', rest => done(rest, { files: files(2) }), 'adopt hero+3 from tea+3', 'adopt hero+2 from tea+2'],
  ['on its way', rest => running(rest), 'resume hero+3 from tea+3', 'resume hero+2 from tea+2'],
  ['in doubt', rest => doubt(rest), 'doubt hero+3', 'doubt hero+2'],
])(
  'the same of a job that was renamed meanwhile: the rest is %s, and only what is missing is ordered',
  (_, purchaseOf, half, most) => {
    const before = (from: number) => purchaseOf({ ...pictures(2), address: jobAddress(`tea+${from}`) })
    // A file keeps its number.
    expect(steps(pictures(4), [before(3)])).toEqual(['buy hero 2', half])
    expect(steps(pictures(3), [before(2)])).toEqual(['buy hero 1', most])
    // Whoever still has that name, and asks for the same, keeps it.
    const asked = [pictures(4), { ...pictures(4), address: jobAddress('tea') }]
    expect(bought(asked, [before(3)])).toEqual(['hero 4', 'tea 2'])
  },
)

test('what is missing before a rest that is there is ordered up to it', () => {
  const purchases = [
    done(pictures(4), { files: files(1) }),
    done(rest(2, 2), { files: files(1) }),
    done(rest(4, 1), { files: files(1) }),
  ]
  const asked = pictures(4, { shortDelivery: 'top-up' })
  expect(steps(asked, purchases)).toEqual(['keep hero', 'keep hero+2', 'buy hero+3 1', 'keep hero+4'])
})

test.each<[string, ShortDelivery | undefined, Purchase[], string[]]>([
  [
    'is accepted',
    'accept',
    [done(pictures(1), { files: files(1) })],
    ['keep hero', 'keep hero+2', 'keep hero+4'],
  ],
  [
    'fails the run',
    undefined,
    [done(pictures(1), { files: files(1) })],
    ['keep hero', 'keep hero+2', 'keep hero+4'],
  ],
  [
    'is topped up',
    'top-up',
    [done(pictures(1), { files: files(1) })],
    ['keep hero', 'keep hero+2', 'buy hero+3 1', 'keep hero+4'],
  ],
  [
    'is accepted, and the first order came to nothing',
    'accept',
    [],
    ['buy hero 1', 'keep hero+2', 'keep hero+4'],
  ],
])('a further order that came short, where that %s', (_, shortDelivery, first, expected) => {
  const short = [done(rest(2, 2), { files: files(1) }), done(rest(4, 1), { files: files(1) })]
  const asked = pictures(4, shortDelivery && { shortDelivery })
  expect(steps(asked, [...first, ...short])).toEqual(expected)
})

test('what came beyond what was ordered is not ordered by a raised number', () => {
  expect(steps(pictures(4), [done(pictures(1), { files: files(2) })])).toEqual(['keep hero', 'buy hero+3 2'])
})

test('a renamed job with takes keeps each with its number: the short first one is not taken for the second', () => {
  const named = (name: string, take: number, more: Partial<Job> = {}) => ({
    ...pictures(2, more),
    address: jobAddress(take === 1 ? name : `${name}#${take}`),
    take,
    output: take === 1 ? name : `takes/${name}.take${take}`,
  })
  const topUp = { shortDelivery: 'top-up' } as const
  const purchases = [done(named('hero', 1), { files: files(1) }), done(named('hero', 2), { files: files(2) })]
  const outcome = planRequest(
    { jobs: [named('cover', 1), named('cover', 2, topUp)], picked: [] },
    facts({ purchases }),
  )
  expect(outcome.got === 'planned' && told(outcome.plan.steps)).toEqual([
    'adopt cover from hero',
    'adopt cover#2 from hero#2',
  ])
})

test('what is bought again brings nothing that another order brings by now', () => {
  const gone = done(rest(3, 2), { files: files(1) })
  const purchases = [done(pictures(4), { files: files(2) }), gone, done(rest(4, 1), { files: files(1) })]
  const outcome = planRequest(
    { jobs: [pictures(4, { shortDelivery: 'top-up' })], picked: [], choices: { rebuy: true } },
    facts({
      purchases,
      standing: each => (each.id === gone.id ? { is: 'missing', paths: ['hero-3.png'] } : { is: 'whole' }),
    }),
  )
  const bought = outcome.got === 'planned' ? outcome.plan.steps.filter(step => step.do === 'buy') : []
  expect(bought.map(({ job: { address, count, params } }) => [address, count, params.count])).toEqual([
    ['hero+3', 1, 1],
  ])
})

test('what lies behind the files that are asked for moves up where one before them is missing', () => {
  const further = (from: number, count: number) => done(rest(from, count), { files: files(count) })
  const short = done(pictures(2), { files: files(1) })
  const asked = pictures(2, { shortDelivery: 'top-up' })
  expect(steps(asked, [short, further(3, 2)])).toEqual(['keep hero', 'adopt hero+2 from hero+3'])
  // What does not come is not made up for where nobody asked for that.
  expect(steps(pictures(2), [short, further(3, 2)]).slice(0, 1)).toEqual(['keep hero'])
  expect(bought([pictures(2)], [short, further(3, 2)])).toEqual([])
  // Less than what is asked for lies behind it.
  expect(bought([pictures(4)], [done(pictures(1)), further(5, 1)])).toEqual(['hero+3 2'])
})

test('the first order’s files are gone and others brought as many as are asked for: nothing is ordered', () => {
  const first = done(pictures(1), { files: files(1) })
  const purchases = [first, done(rest(2, 2), { files: files(2) })]
  const asked = (count: number) => {
    const outcome = planRequest(
      { jobs: [pictures(count)], picked: [], choices: { rebuy: true } },
      facts({
        purchases,
        standing: each => (each.id === first.id ? { is: 'missing', paths: ['hero-0.png'] } : { is: 'whole' }),
      }),
    )
    return outcome.got === 'planned' ? told(outcome.plan.steps).map(text => text.replace(/:.*/, '')) : []
  }
  expect(asked(1)).toEqual(['adopt hero from hero+2'])
  expect(asked(2)).toEqual(['adopt hero from hero+2'])
  expect(asked(3)).toEqual(['buy hero', 'keep hero+2'])
})

test('under another name what is gone is ordered again, but for what others brought or may bring', () => {
  const named = (from: number, count: number) => ({
    ...rest(from, count),
    address: jobAddress(`tea+${from}`),
  })
  const first = done({ ...pictures(4), address: jobAddress('tea') }, { files: files(3) })
  const outcome = planRequest(
    { jobs: [pictures(2)], picked: [] },
    facts({
      purchases: [first, doubt(named(4, 1))],
      standing: () => ({ is: 'missing', paths: ['tea-0.png'] }),
    }),
  )
  const steps = outcome.got === 'planned' ? outcome.plan.steps.filter(isJobStep) : []
  expect(steps.map(({ do: what, job }) => [what, job.address, job.count])).toEqual([
    ['doubt', 'hero', 1],
    ['buy', 'hero+2', 1],
  ])
})

test('of what is in doubt only what is still asked for is ordered in its place', () => {
  const outcome = planRequest(
    { jobs: [pictures(2)], picked: [], choices: { resubmit: true } },
    facts({ purchases: [done(pictures(1), { files: files(1) }), doubt(rest(2, 2))] }),
  )
  const steps = outcome.got === 'planned' ? outcome.plan.steps : []
  expect(steps.map(step => [step.do, isJobStep(step) && step.job.count])).toEqual([
    ['keep', 1],
    ['buy', 1],
  ])
})

/** What failed of `hero`, or of another job, in that number, with what was ordered before and since. */
const failures: [string, Job, readonly Purchase[], string[], string[]][] = [
  [
    'ordered whole, and fewer were ordered since',
    pictures(4),
    [failed(pictures(4)), done(pictures(2), since)],
    ['keep hero', 'hold hero+3'],
    ['keep hero', 'buy hero+3 2'],
  ],
  [
    'but in another number, in which it may fail again',
    pictures(4),
    [failed(pictures(1)), done(pictures(2), since)],
    ['keep hero', 'buy hero+3 2'],
    ['keep hero', 'buy hero+3 2'],
  ],
  [
    'ordered whole, and not billed',
    pictures(4),
    [failed(pictures(4), { billed: 'no' }), done(pictures(2), since)],
    ['keep hero', 'buy hero+3 2'],
    ['keep hero', 'buy hero+3 2'],
  ],
  [
    'a rest, of which a part was ordered since',
    pictures(4),
    [done(pictures(2), since), failed(rest(3, 2)), done(rest(3, 1), { id: named('part'), files: files(1) })],
    ['keep hero', 'keep hero+3', 'hold hero+4'],
    ['keep hero', 'keep hero+3', 'buy hero+4 1'],
  ],
  [
    'a rest of what came short, of which a part was ordered since',
    pictures(4, { shortDelivery: 'top-up' }),
    [done(pictures(4), since), failed(rest(3, 2)), done(rest(3, 1), { id: named('part'), files: files(1) })],
    ['keep hero', 'keep hero+3', 'hold hero+4'],
    ['keep hero', 'keep hero+3', 'buy hero+4 1'],
  ],
  [
    'and what was ordered in its place came short',
    pictures(4, { shortDelivery: 'top-up' }),
    [failed(pictures(4)), done(pictures(2), since), done(rest(3, 2), { files: files(1) })],
    ['keep hero', 'keep hero+3', 'buy hero+4 1'],
    ['keep hero', 'keep hero+3', 'buy hero+4 1'],
  ],
  [
    'of a job that had another name',
    pictures(4),
    [
      failed({ ...pictures(4), address: jobAddress('tea') }),
      done(pictures(1), { ...since, files: files(1) }),
    ],
    ['keep hero', 'hold hero+2', 'hold hero+4'],
    ['keep hero', 'buy hero+2 2', 'buy hero+4 1'],
  ],
  [
    'and another job has what it asks for in another number',
    pictures(4),
    [failed(pictures(4)), done({ ...pictures(2), address: jobAddress('tea') }, since)],
    ['adopt hero from tea', 'hold hero+3'],
    ['adopt hero from tea', 'buy hero+3 2'],
  ],
]

test.each(failures)(
  'what failed in the number that is asked for, %s, is not ordered in parts either until somebody says so',
  (_, asked, purchases, expected, withFailed) => {
    // A lock is sorted, and tells first what its jobs got something else after.
    for (const known of [purchases, purchases.toReversed()]) {
      expect(steps(asked, known)).toEqual(expected)
      expect(steps(asked, known, { failed: true })).toEqual(withFailed)
    }
  },
)

/** Orders by the names that they have, and the jobs of now: each asks for the same in a number of its own. */
const numbered = (name: string, count: number) => ({ ...pictures(count), address: jobAddress(name) })
const madeAs = (name: string, count: number) =>
  done(numbered(name, count), { id: named(`made-${name}`), files: files(count) })
const lostAs = (name: string, count: number) => doubt(numbered(name, count), { id: named(`lost-${name}`) })
const failedAs = (name: string, count: number) =>
  failed(numbered(name, count), { id: named(`failed-${name}`) })

test.each<[string, readonly Job[], readonly Purchase[], string[]]>([
  [
    'renamed, and another asks for fewer before it',
    [numbered('b', 2), numbered('c', 4)],
    [madeAs('a', 4)],
    ['buy b 2', 'adopt c from a'],
  ],
  [
    'in doubt and renamed, and another asks for fewer before it',
    [numbered('b', 2), numbered('c', 4)],
    [lostAs('a', 4)],
    ['buy b 2', 'doubt c'],
  ],
  [
    'both renamed, one to the name of the other',
    [numbered('b', 2), numbered('c', 4)],
    [madeAs('a', 2), madeAs('b', 4)],
    ['adopt b from a', 'adopt c from b'],
  ],
  [
    'the same, one in doubt',
    [numbered('b', 2), numbered('c', 4)],
    [madeAs('a', 2), lostAs('b', 4)],
    ['adopt b from a', 'doubt c'],
  ],
  [
    'with names that changed hands',
    [numbered('a', 4), numbered('b', 2)],
    [madeAs('a', 2), madeAs('b', 4)],
    ['adopt a from b', 'adopt b from a'],
  ],
  [
    'with names that went round',
    [numbered('a', 4), numbered('b', 1), numbered('c', 2)],
    [madeAs('a', 1), madeAs('b', 2), madeAs('c', 4)],
    ['adopt a from c', 'adopt b from a', 'adopt c from b'],
  ],
  [
    'and what had more is gone from the manifest',
    [numbered('a', 4)],
    [madeAs('a', 2), madeAs('b', 4)],
    ['adopt a from b'],
  ],
  [
    'one of which has more than it asks for, and no other of its number is there',
    [numbered('a', 2), numbered('c', 4)],
    [madeAs('a', 4)],
    ['keep a', 'buy c 4'],
  ],
  [
    'one of which is in doubt, under the name of one that asks for fewer',
    [numbered('a', 2), numbered('c', 4)],
    [lostAs('a', 4)],
    ['buy a 2', 'doubt c'],
  ],
  [
    'one of which has fewer, and the other its own number',
    [numbered('a', 4), numbered('b', 4)],
    [madeAs('a', 2), madeAs('b', 4)],
    ['keep a', 'buy a+3 2', 'keep b'],
  ],
  [
    'one of which has fewer, and what nobody asks for is in doubt',
    [numbered('a', 4)],
    [madeAs('a', 2), lostAs('b', 4)],
    ['keep a', 'buy a+3 2', 'drop b'],
  ],
  [
    'with names that changed hands, and one failed',
    [numbered('a', 2), numbered('b', 4)],
    [failedAs('a', 4), madeAs('b', 2)],
    ['adopt a from b', 'hold b'],
  ],
  [
    'with names that changed hands, one failed and one in doubt',
    [numbered('a', 2), numbered('b', 4)],
    [failedAs('a', 4), lostAs('b', 2)],
    ['doubt a', 'hold b'],
  ],
  [
    'with names that went round, and one failed',
    [numbered('a', 4), numbered('b', 1), numbered('c', 2)],
    [madeAs('a', 1), madeAs('b', 2), failedAs('c', 4)],
    ['adopt b from a', 'adopt c from b', 'hold a'],
  ],
  [
    'one of which failed for the very job that has fewer, and another asks for these',
    [numbered('a', 4), numbered('b', 2)],
    [failedAs('a', 4), madeAs('a', 2)],
    ['buy b 2', 'hold a+3', 'keep a'],
  ],
  [
    'one of which was renamed, and another that asks for fewer by now has one in doubt',
    [numbered('a', 1), numbered('b', 4)],
    [madeAs('c', 4), lostAs('a', 4)],
    ['adopt b from c', 'doubt a'],
  ],
  [
    'with names that changed hands, and what failed was ordered again',
    [numbered('a', 2), numbered('b', 4)],
    [failedAs('a', 4), madeAs('a', 4), madeAs('b', 2)],
    ['adopt a from b', 'adopt b from a'],
  ],
])(
  'jobs ask for the same in several numbers, %s: each gets the order of its number',
  (_, jobs, purchases, expected) => {
    const outcome = planRequest({ jobs, picked: [] }, facts({ purchases }))
    const planned = outcome.got === 'planned' ? outcome.plan.steps : []
    const texts = planned.map(step => {
      const [its = ''] = told([step]).map(text => text.replace(/:.*/, '').replace(' again', ''))
      return step.do === 'buy' ? `${its} ${step.job.count}` : its
    })
    expect(texts.toSorted()).toEqual(expected.toSorted())
  },
)

test('what came by no order is told also where another brought what lies before it, until it is ordered or accepted', () => {
  const part = done(rest(3, 1), { id: named('part'), files: files(1) })
  const shortOf = (first: DonePurchase) => {
    const outcome = planRequest({ jobs: [pictures(4)], picked: [] }, facts({ purchases: [first, part] }))
    const [step] = outcome.got === 'planned' ? outcome.plan.steps : []
    return step?.do === 'keep' ? step.short : step?.do
  }
  const first = done(pictures(4), since)
  expect(shortOf(first)).toEqual({ asked: 4, got: 3 })
  expect(shortOf({ ...first, acceptedAs: first.recipe })).toBeUndefined()
  expect(steps(pictures(4), [first, part], { failed: true })).toEqual([
    'keep hero',
    'keep hero+3',
    'buy hero+4 1',
  ])
  expect(steps(pictures(4, { shortDelivery: 'top-up' }), [first, part])).toContain('buy hero+4 1')
})

test.each(['fama-imagine-image', 'famc-v3'])(
  'what is gone under another name is bought as what is new, by %s as by any model, in its number or another',
  id => {
    const its = (name: string, count: number) =>
      job(name, { prompt: 'tea', count }, { model: findModel(id) as Model, count }) // it is in the catalog
    for (const count of [2, 4]) {
      const outcome = planRequest(
        { jobs: [its('tea', count)], picked: [] },
        facts({ purchases: [done(its('hero', 2))], standing: { is: 'missing', paths: ['hero.png'] } }),
      )
      const bought = outcome.got === 'planned' ? outcome.plan.steps.filter(step => step.do === 'buy') : []
      expect(bought.length).toBeGreaterThan(0)
      expect(outcome.got === 'planned' && told(outcome.plan.steps)).not.toContain('hold tea: files-gone')
    }
  },
)

test('what was ordered behind an order in doubt has the new name of their job already, and the doubt has the old one', () => {
  const lost = doubt(numbered('tea', 1))
  const behind = [done(rest(2, 2), { files: files(2) }), done(rest(4, 1), { files: files(1) })]
  for (const known of [
    [lost, ...behind],
    [...behind, lost],
  ]) {
    expect(steps(pictures(2), known).toSorted()).toEqual(['doubt hero', 'drop hero+4', 'keep hero+2'])
    expect(bought([pictures(2)], known)).toEqual([])
  }
})

test('what is missing before files that go along with their job is ordered, and none of them is brought twice', () => {
  const purchases = [
    done(pictures(1), { id: named('hero'), files: files(1) }),
    done(rest(2, 1), { id: named('second'), files: files(1) }),
    done(rest(3, 2), { id: named('third'), files: files(2) }),
  ]
  const lost: World['standing'] = ({ address }) =>
    address === 'hero' ? { is: 'missing', paths: ['hero-1.png'] } : { is: 'whole' }
  const outcome = planRequest(
    { jobs: [numbered('tea', 4)], picked: [] },
    facts({ purchases, standing: lost }),
  )
  expect(outcome.got === 'planned' ? told(outcome.plan.steps) : []).toEqual([
    'buy tea: not made yet',
    'adopt tea+2 from hero+2',
    'adopt tea+3 from hero+3',
    'drop hero',
  ])
})

test('a take that nobody asks for, and nobody chose, is not told as short: nothing more is ordered for it', () => {
  const take = done({ ...pictures(4), address: jobAddress('hero#2'), take: 2 }, since)
  const first = done(pictures(4), { id: named('first'), files: files(4) })
  const outcome = planRequest({ jobs: [pictures(4)], picked: [] }, facts({ purchases: [first, take] }))
  const planned = outcome.got === 'planned' ? outcome.plan.steps : []
  expect(planned.map(step => [step.do, 'short' in step])).toEqual([
    ['keep', false],
    ['keep', false],
  ])
})

test('what failed in the number that is asked for is not ordered in parts for a doubt that is ordered anew either', () => {
  const purchases = [failed(pictures(4)), doubt(pictures(2), { id: named('lost') })]
  const held = ['doubt hero', 'hold hero+3']
  expect(steps(pictures(4), purchases, { resubmit: true })).toEqual(held)
  expect(steps(pictures(4), purchases, { resubmit: true, failed: true })).toEqual([
    'buy hero 2',
    'buy hero+3 2',
  ])
})

test('what failed for another job that asks for it holds nothing of this one', () => {
  const tea = { ...pictures(4), address: jobAddress('tea') }
  const purchases = [failed(tea), done(pictures(2), since)]
  expect(bought([pictures(4), tea], purchases)).toEqual(['hero+3 2'])
  expect(bought([tea, pictures(4)], purchases)).toEqual(['hero+3 2'])
})

const topUp: ShortDelivery = 'top-up'

test('what moves up to where files are gone goes in its order, also where orders are alike', () => {
  const purchases = [
    done(pictures(4), { files: files(1) }),
    done(rest(2, 2), { files: files(1) }),
    done(rest(3, 2), { files: files(2) }),
  ]
  const outcome = planRequest(
    { jobs: [pictures(2, { shortDelivery: topUp })], picked: [] },
    facts({
      purchases,
      standing: ({ address }) =>
        address === 'hero' ? { is: 'missing', paths: ['hero-0.png'] } : { is: 'whole' },
    }),
  )
  const planned = outcome.got === 'planned' ? told(outcome.plan.steps) : []
  expect(planned.filter(step => !step.startsWith('drop') && !step.startsWith('aside'))).toEqual([
    'adopt hero from hero+2',
    'adopt hero+2 from hero+3',
  ])
})

test.each([
  [4, ['hero', 'theirs-2', 'theirs-3']],
  [3, ['hero', 'mine-2']],
])(
  'two branches ordered the rest in parts of their own: of %i files none is brought twice',
  (count, expected) => {
    const aside = { aside: true } as const
    const purchases = [
      done(pictures(1), { id: named('hero'), files: files(1) }),
      done(rest(2, 2), { id: named('mine-2'), files: files(2) }),
      done(rest(2, 1), { id: named('theirs-2'), files: files(1), ...aside }),
      done(rest(3, 2), { id: named('theirs-3'), files: files(2), ...aside }),
    ]
    for (const known of [purchases, purchases.toReversed()]) {
      const outcome = planRequest({ jobs: [pictures(count)], picked: [] }, facts({ purchases: known }))
      const steps = outcome.got === 'planned' ? outcome.plan.steps.filter(isJobStep) : []
      expect(steps.map(step => ('entry' in step ? step.entry.id : step.do))).toEqual(expected)
    }
  },
)
