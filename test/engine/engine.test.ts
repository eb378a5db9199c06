import { expect, test } from 'vitest'
import type { Failure } from '../../src/base/failure.ts'
import { type JobAddress, jobAddress } from '../../src/base/names.ts'
import type { JournalRecord } from '../../src/base/purchase.ts'
import type { JobState } from '../../src/base/state.ts'
import { durationKindOf, seenEarlier } from '../../src/engine/durations.ts'
import { runEngine } from '../../src/engine/engine.ts'
import type { Outcomes } from '../../src/engine/world.ts'
import { foldJournal, recordOf } from '../../src/store/journal/fold.ts'
import { fakeWorld, job, run, saved, task } from './fake.ts'

const limits = { execute: 4, submit: 8, download: 4 }
const refused = {
  got: 'refused',
  failure: { why: 'refused', status: 422, detail: 'no' },
  canRetry: false,
} as const
const differing: readonly (Failure | undefined)[] = [
  { why: 'refused', status: 422, detail: 'the prompt is too long' },
  { why: 'refused', status: 400, detail: 'the picture is too wide' },
]
const busy = { got: 'refused', failure: { why: 'busy', detail: '' }, canRetry: true, waitMs: 30_000 } as const

/** What a next run knows of what was bought. */
function known(records: readonly JournalRecord[]) {
  const histories = foldJournal(records.map(record => ({ ...record, at: 0 })))
  return [...histories.values()].flatMap(history => recordOf(history) ?? [])
}

function endings(outcomes: Outcomes): Record<string, JobState['is']> {
  return Object.fromEntries([...outcomes].map(([address, state]) => [address, state.is]))
}

test('a job is sent once its needs are done, and needs are awaited outside the slots', async () => {
  const world = fakeWorld()
  const [hero, clip] = [job('hero'), job('clip', { needs: [jobAddress('hero')] })]
  const outcomes = await world.clock.run(
    runEngine([task(hero), task(clip)], world, { ...limits, execute: 1 }),
  )
  expect(endings(outcomes)).toEqual({ hero: 'done', clip: 'done' })
  expect(world.orders.map(order => order.address)).toEqual(['hero', 'clip'])
})

test('a failure skips its dependants and their dependants, and nothing else', async () => {
  const world = fakeWorld({
    order: order =>
      order.address === 'hero'
        ? { got: 'failure', failure: { why: 'remote', detail: 'gone wrong' } }
        : { got: 'files', files: [] },
  })
  const tasks = [
    task(job('hero')),
    task(job('clip', { needs: [jobAddress('hero')] })),
    task(job('cut', { needs: [jobAddress('clip')] })),
    task(job('poster')),
  ]
  const outcomes = await world.clock.run(runEngine(tasks, world, limits))
  expect(endings(outcomes)).toEqual({ hero: 'failed', clip: 'skipped', cut: 'skipped', poster: 'done' })
  expect(outcomes.get(jobAddress('cut'))).toEqual({
    is: 'skipped',
    because: { why: 'needs', address: 'clip' },
  })
})

test.each([
  ['turned down by the check that was asked for is kept, and nothing is bought from it', true, 'skipped', 1],
  ['that is only told to differ is used', undefined, 'done', 2],
] as const)('a result %s', async (_, fails, clip, orders) => {
  const flaw = { why: 'unlike-asked', detail: 'it lasts 3 s', ...(fails && { fails }) } as const
  const world = fakeWorld({ save: address => (address === 'hero' ? { ...saved, flaw } : saved) })
  const tasks = [task(job('hero')), task(job('clip', { needs: [jobAddress('hero')] }))]
  const outcomes = await world.clock.run(runEngine(tasks, world, limits))
  expect(endings(outcomes)).toEqual({ hero: 'done', clip })
  expect(outcomes.get(jobAddress('hero'))).toMatchObject({ flaw })
  expect(world.orders).toHaveLength(orders)
})

test('SENDING is written before the first byte, ACCEPTED before the event and the first poll', async () => {
  const trace: string[] = []
  const world = fakeWorld({
    journal: record => trace.push(record.kind),
    order: () => {
      trace.push('bytes')
      return { got: 'run', run: run('r1') }
    },
    read: () => {
      trace.push('poll')
      return { got: 'files', files: [] }
    },
  })
  const told = { ...world, emit: (event: { event: string }) => trace.push(event.event) } as typeof world
  await world.clock.run(runEngine([task(job('clip', { mode: 'submit' }))], told, limits))
  expect(trace).toEqual([
    'INTENT',
    'sending',
    'SENDING',
    'bytes',
    'ACCEPTED',
    'accepted',
    'poll',
    'made',
    'DONE',
    'settled',
  ])
})

test('sending is told of orders that leave, and a paid retry as what it is', async () => {
  const kept = fakeWorld({ gate: () => ({ why: 'budget', detail: '2 of 2 paid requests' }) })
  await kept.clock.run(runEngine([task(job('a'))], kept, limits))
  expect(kept.events.map(({ event }) => event)).toEqual(['settled'])
  const world = fakeWorld({
    order: (_, nth) =>
      nth === 1 ? { got: 'failure', failure: { why: 'remote', detail: '' } } : { got: 'files', files: [] },
  })
  await world.clock.run(runEngine([task(job('a', { retries: 1 }))], world, limits))
  const told = world.events.filter(({ event }) => event === 'sending')
  expect(told).toMatchObject([{ attempt: 1 }, { attempt: 2, again: 1 }])
  expect(told[0]).not.toHaveProperty('again')
})

test('an order whose SENDING cannot be written is not sent, and buys nothing more', async () => {
  const world = fakeWorld({
    journal: record => {
      if (record.kind === 'SENDING') throw new Error('disk full')
    },
  })
  const outcomes = await world.clock.run(runEngine([task(job('a')), task(job('b'))], world, limits))
  expect(world.orders).toEqual([])
  expect(endings(outcomes)).toEqual({ a: 'skipped', b: 'skipped' })
})

test('when an id cannot be written down it is told all the same, the job goes on and nothing more is bought', async () => {
  const world = fakeWorld({
    journal: record => {
      if (record.kind !== 'INTENT' && record.kind !== 'SENDING') throw new Error('disk full')
    },
    order: () => ({ got: 'run', run: run('r1') }),
  })
  const tasks = [task(job('a', { mode: 'submit' })), task(job('b', { mode: 'submit' }))]
  const outcomes = await world.clock.run(runEngine(tasks, world, limits))
  expect(world.events.find(event => event.event === 'accepted')).toMatchObject({
    address: 'a',
    run: { id: 'r1' },
  })
  expect(endings(outcomes)).toEqual({ a: 'done', b: 'skipped' })
  expect(world.orders).toHaveLength(1)
})

test('a doubt is final: the job is not sent again', async () => {
  const world = fakeWorld({ order: () => ({ got: 'doubt', detail: 'the answer was lost' }) })
  const outcomes = await world.clock.run(runEngine([task(job('a'))], world, limits))
  expect(outcomes.get(jobAddress('a'))).toEqual({ is: 'doubt', detail: 'the answer was lost' })
  expect(world.orders).toHaveLength(1)
})

test('500 jobs against one refusal of everything cost three requests for each workflow', async () => {
  const world = fakeWorld({ order: () => refused })
  const tasks = Array.from({ length: 500 }, (_, nth) => task(job(`job${nth}`)))
  const outcomes = await world.clock.run(runEngine(tasks, world, limits))
  expect(world.orders).toHaveLength(3)
  expect(Object.values(endings(outcomes)).filter(end => end === 'failed')).toHaveLength(3)
  expect(Object.values(endings(outcomes)).filter(end => end === 'skipped')).toHaveLength(497)
})

test.each<[string, (nth: number) => Failure | undefined, number, number]>([
  ['one bad job', nth => (nth < 1 ? refused.failure : undefined), 1, 99],
  ['two bad jobs', nth => (nth < 2 ? refused.failure : undefined), 2, 98],
  ['a job that is too long, and one that is too wide', nth => differing[nth], 2, 98],
  [
    'four jobs whose content is rejected',
    nth => (nth < 4 ? { why: 'rejected-content', detail: 'no' } : undefined),
    4,
    96,
  ],
  [
    'a refusal that names each job',
    nth => ({ why: 'refused', status: 422, detail: `job "${nth}": 7${nth} is odd` }),
    3,
    0,
  ],
  ['a workflow that is not there', () => ({ why: 'not-served', workflow: 'w', detail: '' }), 1, 0],
  [
    'refusals of which no two are alike',
    nth => ({ why: 'refused', status: 422, detail: 'a'.repeat(nth) }),
    20,
    0,
  ],
])('of 100 jobs the first is refused by %s', async (_, failureOf, failed, done) => {
  let nth = 0
  const world = fakeWorld({
    order: () => {
      const failure = failureOf(nth++)
      return failure ? { got: 'refused', failure, canRetry: false } : { got: 'files', files: [] }
    },
  })
  const tasks = Array.from({ length: 100 }, (_, at) => task(job(`job${at}`)))
  const ends = Object.values(endings(await world.clock.run(runEngine(tasks, world, limits))))
  const count = (ending: string) => ends.filter(end => end === ending).length
  expect([count('failed'), count('done')]).toEqual([failed, done])
})

test('a refusal after the first good answer concerns its own job only', async () => {
  const world = fakeWorld({ order: order => (order.address === 'b' ? refused : { got: 'files', files: [] }) })
  const outcomes = await world.clock.run(
    runEngine(
      ['a', 'b', 'c', 'd'].map(name => task(job(name))),
      world,
      limits,
    ),
  )
  expect(endings(outcomes)).toEqual({ a: 'done', b: 'failed', c: 'done', d: 'done' })
})

test('a key that stops being accepted ends the buying for every workflow', async () => {
  const unauthorized = {
    got: 'refused',
    failure: { why: 'unauthorized', status: 401, detail: '' },
    canRetry: false,
  } as const
  const world = fakeWorld({
    order: order => (order.address === 'b' ? unauthorized : { got: 'files', files: [] }),
  })
  const tasks = ['a', 'b', 'c', 'd'].map(name => task(job(name)))
  const outcomes = await world.clock.run(runEngine(tasks, world, { ...limits, execute: 1 }))
  expect(endings(outcomes)).toEqual({ a: 'done', b: 'failed', c: 'skipped', d: 'skipped' })
})

test('a busy service pauses everybody for what it asked, and costs no attempt', async () => {
  const sent: [string, number][] = []
  const world = fakeWorld({
    order: (order, nth) => {
      sent.push([order.address, world.clock.now()])
      return order.address === 'a' && nth <= 8 ? busy : { got: 'files', files: [] }
    },
  })
  const outcomes = await world.clock.run(runEngine([task(job('a')), task(job('b'))], world, limits))
  expect(endings(outcomes)).toEqual({ a: 'done', b: 'done' })
  const gaps = sent.slice(1).map(([, at], nth) => at - (sent[nth]?.[1] ?? 0))
  expect(sent[0]?.[0]).toBe('a')
  expect(gaps[0]).toBeGreaterThanOrEqual(30_000)
})

test('connection trouble is tried six times and then given up, with nothing billed', async () => {
  const failure = { why: 'unreachable', origin: 'https://service.example', detail: 'refused' } as const
  const world = fakeWorld({ order: () => ({ got: 'not-sent', failure }) })
  const outcomes = await world.clock.run(runEngine([task(job('a'))], world, limits))
  expect(outcomes.get(jobAddress('a'))).toEqual({ is: 'failed', failure, billed: 'no' })
  expect(world.orders).toHaveLength(6)
  expect(world.records.filter(record => record.kind === 'NOTSENT')).toHaveLength(6)
})

test('a stop buys nothing more, and what was accepted stays resumable', async () => {
  const world = fakeWorld({
    order: order => {
      if (order.address === 'a') world.stopNow()
      return { got: 'run', run: run(`r-${order.address}`) }
    },
  })
  const tasks = ['a', 'b', 'c'].map(name => task(job(name, { mode: 'submit' })))
  const outcomes = await world.clock.run(runEngine(tasks, world, { ...limits, submit: 1 }))
  expect(endings(outcomes)).toEqual({ a: 'detached', b: 'skipped', c: 'skipped' })
  expect(world.records.map(record => record.kind)).toContain('ACCEPTED')
  expect(world.cleaned.get(jobAddress('a'))).toMatchObject({ is: 'detached', run: { id: 'r-a' } })
  expect(known(world.records)).toMatchObject([{ is: 'under-way', address: 'a', run: { id: 'r-a' } }])
})

test('a run that never ends is detached at its deadline, never bought again', async () => {
  const world = fakeWorld({ order: () => ({ got: 'run', run: run('r1') }), read: () => ({ got: 'pending' }) })
  const outcomes = await world.clock.run(
    runEngine([task(job('a', { mode: 'submit', timeoutMs: 60_000 }))], world, limits),
  )
  expect(outcomes.get(jobAddress('a'))).toMatchObject({
    is: 'detached',
    run: { id: 'r1' },
    because: { why: 'overdue' },
  })
  expect(world.orders).toHaveLength(1)
})

test.each([
  ['by its age where nothing is known', 0, 20],
  ['where its end is likely, as earlier runs had theirs', 8, 7],
])('a run is asked after %s', async (_, earlier, most) => {
  const { model, params } = job('a')
  const took = Array.from({ length: earlier }, () => ({ from: 30_000, to: 30_000 }))
  const durations = new Map([[durationKindOf(model.id, params), seenEarlier(took)]])
  const isOver = () => world.clock.now() >= 1_030_000
  const world = fakeWorld({
    order: () => ({ got: 'run', run: run('r1') }),
    read: () => (isOver() ? { got: 'files', files: [] } : { got: 'pending' }),
  })
  const outcomes = await world.clock.run(
    runEngine([task(job('a', { mode: 'submit' }))], { ...world, durations }, limits),
  )
  expect(endings(outcomes)).toEqual({ a: 'done' })
  expect(world.reads.length).toBeLessThanOrEqual(most)
  expect(world.reads.length).toBeGreaterThan(most / 2)
})

test('an expired link is replaced by reading the result again, never by paying', async () => {
  const world = fakeWorld({
    order: () => ({ got: 'run', run: run('r1') }),
    save: (_, nth) => (nth < 3 ? { got: 'expired', failure: { why: 'undelivered', detail: '410' } } : saved),
  })
  const outcomes = await world.clock.run(runEngine([task(job('a', { mode: 'submit' }))], world, limits))
  expect(endings(outcomes)).toEqual({ a: 'done' })
  expect(world.orders).toHaveLength(1)
  expect(world.reads).toHaveLength(3)
})

test('a run that is reported failed is asked a second time before it counts', async () => {
  const failed = { got: 'failure', failure: { why: 'remote', detail: 'out of memory' } } as const
  const world = fakeWorld({
    order: () => ({ got: 'run', run: run('r1') }),
    read: (_, nth) => (nth === 1 ? failed : { got: 'files', files: [] }),
  })
  expect(
    endings(await world.clock.run(runEngine([task(job('a', { mode: 'submit' }))], world, limits))),
  ).toEqual({ a: 'done' })
})

test('work under way goes on without a paid request, even when its needs failed', async () => {
  const world = fakeWorld({ order: () => ({ got: 'failure', failure: { why: 'remote', detail: '' } }) })
  const start = { is: 'remote', run: run('r9'), since: 0, tries: 0, notBefore: 0 } as const
  const tasks = [
    task(job('hero')),
    task(job('clip', { mode: 'submit', needs: ['hero' as JobAddress] }), start),
  ]
  expect(endings(await world.clock.run(runEngine(tasks, world, limits)))).toEqual({
    hero: 'failed',
    clip: 'done',
  })
  expect(world.orders.map(order => order.address)).toEqual(['hero'])
})

test('the longest chain of dependants goes first', async () => {
  const world = fakeWorld()
  const tasks = [
    task(job('lone')),
    task(job('short')),
    task(job('last', { needs: [jobAddress('short')] })),
    task(job('first')),
    task(job('second', { needs: [jobAddress('first')] })),
    task(job('third', { needs: [jobAddress('second')] })),
  ]
  // The canary takes the only slot first, so that the order of the rest shows. `second` cannot start before `first` is
  // saved; meanwhile the slot is not left empty.
  await world.clock.run(runEngine([task(job('canary')), ...tasks], world, { ...limits, execute: 1 }))
  const sent = world.orders.map(order => order.address)
  expect(sent.slice(0, 4)).toEqual(['canary', 'first', 'short', 'second'])
  expect(sent.slice(4).toSorted()).toEqual(['last', 'lone', 'third'])
})

test('who was turned away goes before those who were not', async () => {
  const world = fakeWorld({
    order: (order, nth) => (order.address === 'b' && nth === 1 ? busy : { got: 'files', files: [] }),
  })
  const tasks = ['a', 'b', 'c', 'd', 'e', 'f'].map(name => task(job(name)))
  await world.clock.run(runEngine(tasks, world, { ...limits, execute: 1 }))
  // `c` has the slot by then.
  expect(world.orders.map(order => order.address).join('')).toBe('abcbdef')
})

test('a run that failed is ordered again as often as the job says, each time under a new key', async () => {
  const failure = { why: 'remote', detail: 'out of memory' } as const
  const world = fakeWorld({
    order: (_, nth) => (nth < 3 ? { got: 'failure', failure } : { got: 'files', files: [] }),
  })
  expect(endings(await world.clock.run(runEngine([task(job('a', { retries: 2 }))], world, limits)))).toEqual({
    a: 'done',
  })
  expect(new Set(world.orders.map(order => order.key)).size).toBe(3)
  const once = fakeWorld({ order: () => ({ got: 'failure', failure }) })
  expect(endings(await once.clock.run(runEngine([task(job('a'))], once, limits)))).toEqual({ a: 'failed' })
  expect(once.orders).toHaveLength(1)
})

test('a failed run whose next generation never left ends as the failure that it is', async () => {
  const failure = { why: 'remote', detail: 'out of memory' } as const
  const world = fakeWorld({
    order: (_, nth) => {
      if (nth > 1) world.stopNow()
      return nth > 1 ? { got: 'not-sent', failure: { why: 'stopped' } } : { got: 'failure', failure }
    },
  })
  const outcomes = await world.clock.run(runEngine([task(job('a', { retries: 1 }))], world, limits))
  expect(outcomes.get(jobAddress('a'))).toMatchObject({ is: 'failed', failure, billed: 'unknown' })
})

test('every attempt of one generation sends the same key', async () => {
  const world = fakeWorld({ order: (_, nth) => (nth < 3 ? busy : { got: 'files', files: [] }) })
  await world.clock.run(runEngine([task(job('a'))], world, limits))
  expect(world.orders.map(order => order.key)).toEqual(['key-a', 'key-a', 'key-a'])
})

test('one run for two orders is nobody’s: both are in doubt, and neither is saved', async () => {
  const world = fakeWorld({
    order: () => ({ got: 'run', run: run('same') }),
    read: () => ({ got: 'pending' }),
    save: () => expect.unreachable('whose would it be'),
  })
  const tasks = ['a', 'b'].map(name => task(job(name, { mode: 'submit' })))
  const outcomes = await world.clock.run(runEngine(tasks, world, limits))
  expect(endings(outcomes)).toEqual({ a: 'doubt', b: 'doubt' })
  expect(known(world.records)).toMatchObject([
    { is: 'doubt', address: 'a', detail: 'the service gave it the run same, and gave the same run to b' },
    { is: 'doubt', address: 'b', detail: 'the service gave it the run same, and gave the same run to a' },
  ])
})

test('a run that an earlier order has is not taken for this one’s', async () => {
  const world = {
    ...fakeWorld({ order: () => ({ got: 'run', run: run('old') }) }),
    ownerOf: ({ id }: { readonly id: string }) => (id === 'old' ? 'hero' : undefined),
  }
  const outcomes = await world.clock.run(runEngine([task(job('a', { mode: 'submit' }))], world, limits))
  expect(endings(outcomes)).toEqual({ a: 'doubt' })
  expect(known(world.records)).toMatchObject([
    { is: 'doubt', detail: 'the service gave it the run old, and gave the same run to hero' },
  ])
})

test('what is fetched for nobody says so when it is done', async () => {
  const world = fakeWorld()
  const start = { is: 'remote', run: run('r-1'), since: 0, tries: 0, notBefore: 0 } as const
  await world.clock.run(runEngine([{ ...task(job('a'), start), aside: true }], world, limits))
  expect(world.records.at(-1)).toMatchObject({ kind: 'DONE', purchase: 'key-a', aside: true })
})

test('every record of an order names it, and a further generation has a name of its own', async () => {
  const savedFor: string[] = []
  const world = fakeWorld({
    order: ({ key }) => ({ got: 'run', run: run(key) }),
    read: () => {
      const failure = { why: 'remote', detail: 'no' } as const
      return world.orders.length < 2 ? { got: 'failure', failure } : { got: 'files', files: [] }
    },
    save: (_, __, { purchase }) => {
      savedFor.push(purchase)
      return saved
    },
  })
  await world.clock.run(runEngine([task(job('a', { mode: 'submit', retries: 1 }))], world, limits))
  const keys = world.orders.map(({ key }) => key)
  expect(known(world.records).map(({ id, is, address }) => [id, is, address])).toEqual([
    [keys[0], 'failed', 'a'],
    [keys[1], 'done', 'a'],
  ])
  expect(savedFor).toEqual([keys[1]])
})
