import { describe, expect, test } from 'vitest'
import type { Failure } from '../../src/base/failure.ts'
import { jobAddress } from '../../src/base/names.ts'
import { onOrderWait } from '../../src/base/order-waits.ts'
import type { DonePurchase, JournalRecord } from '../../src/base/purchase.ts'
import type { SavedFile } from '../../src/base/state.ts'
import { runEngine } from '../../src/engine/engine.ts'
import type { Task, World } from '../../src/engine/world.ts'
import type { Job } from '../../src/manifest/shapes/job.ts'
import type { OrderReply } from '../../src/wire/http/wire.ts'
import { fakeWorld, job, purchaseOf, recipe, run, type Script, task } from './fake.ts'

// The one paid request, line by line: what leaves, what is written down of it, and what is told.

const limits = { execute: 4, submit: 8, download: 4 }
const busy = { got: 'refused', failure: { why: 'busy', detail: '' }, canRetry: true, waitMs: 30_000 } as const
const submitted = (more: Partial<Job> = {}) => job('a', { mode: 'submit', ...more })

/** Carries one job out, or several that are made like it. */
async function ordered(script: Script, tasks: readonly Task[] = [task(job('a'))], more: Partial<World> = {}) {
  const fake = fakeWorld(script)
  const world = { ...fake, ...more }
  const outcomes = await fake.clock.run(runEngine([...tasks], world, limits))
  const { orders, records, events } = fake
  return { orders, records, events, clock: fake.clock, state: outcomes.get(jobAddress('a')), outcomes }
}

const kinds = (records: readonly JournalRecord[]) => records.map(({ kind }) => kind)

test('what cannot be made ready is not sent, and nothing is written down of it', async () => {
  const failure = { why: 'unsaved', path: 'in.png', detail: 'it is not there' } as const
  const { orders, records, state } = await ordered({}, undefined, {
    prepare: async () => ({ got: 'held-back', failure }),
  })
  expect([orders, records]).toEqual([[], []])
  expect(state).toEqual({ is: 'skipped', because: failure })
})

test('an order whose intent cannot be written down is not sent', async () => {
  const { orders, records, state } = await ordered({
    journal: ({ kind }) => {
      if (kind === 'INTENT') throw new Error('the disk is full')
    },
  })
  expect([orders, kinds(records)]).toEqual([[], []])
  expect(state).toEqual({
    is: 'skipped',
    because: { why: 'unsaved', path: 'the journal', detail: 'the disk is full' },
  })
})

test.each<[string, Failure]>([
  ['a stop', { why: 'stopped' }],
  ['a claim that is lost', { why: 'unsaved', path: 'the claim', detail: 'another genrun has it' }],
])('at last, when SENDING is written down, %s still holds an order back', async (_, because) => {
  const { orders, records, state } = await ordered({ revoked: () => because })
  expect([orders, kinds(records)]).toEqual([[], ['INTENT', 'SENDING', 'NOTSENT']])
  expect(state).toEqual({ is: 'skipped', because })
})

test('who waits to be let in when a stop comes is told of that stop', async () => {
  const stopping = fakeWorld({
    order: () => {
      stopping.stopNow()
      return { got: 'files', files: [] }
    },
  })
  const tasks = ['b', 'a'].map(name => task(job(name)))
  const outcomes = await stopping.clock.run(runEngine(tasks, stopping, limits))
  expect(outcomes.get(jobAddress('a'))).toEqual({ is: 'skipped', because: { why: 'stopped' } })
})

describe('what was to be made anew and comes out as it was', () => {
  const files: SavedFile[] = []
  const standing: DonePurchase = {
    is: 'done',
    id: purchaseOf('old'),
    address: jobAddress('a'),
    recipe,
    files,
    run: run('r-old'),
  }
  const other = { ...recipe, model: 'fama-v2' }

  test.each<[string, DonePurchase]>([
    ['made from the very same', standing],
    ['accepted as the very same', { ...standing, recipe: other, acceptedAs: recipe }],
  ])('is not ordered: %s', async (_, of) => {
    const { orders, records, state } = await ordered({}, [{ ...task(job('a')), standing: of }])
    expect([orders, records]).toEqual([[], []])
    expect(state).toEqual({ is: 'done', files, run: run('r-old') })
  })

  test.each<[string, DonePurchase]>([
    ['made from something else', { ...standing, recipe: other }],
    ['accepted as something else', { ...standing, acceptedAs: other }],
  ])('is ordered: %s', async (_, of) => {
    const { orders } = await ordered({}, [{ ...task(job('a')), standing: of }])
    expect(orders).toHaveLength(1)
  })
})

test.each<[string, Partial<Job>, number]>([
  ['its own time', { timeoutMs: 60_000 }, 60_000],
  ['that of its kind', {}, 15 * 60_000],
])('an order says how long it has: %s', async (_, more, ms) => {
  const { orders } = await ordered({}, [task(job('a', more))])
  expect(orders.map(({ deadlineMs }) => deadlineMs)).toEqual([ms])
})

test('time in which the service had no room is not the job’s, and what was left of it is', async () => {
  const { clock, state } = await ordered(
    {
      order: (_, nth) => (nth === 1 ? busy : { got: 'run', run: run('r1') }),
      read: () => ({ got: 'pending' }),
    },
    [task(submitted({ timeoutMs: 60_000 }))],
  )
  expect(state).toMatchObject({ is: 'detached', because: { why: 'overdue' } })
  const took = clock.now() - 1_000_000
  expect(took).toBeGreaterThanOrEqual(60_000)
  expect(took).toBeLessThan(100_000)
})

describe('an answer', () => {
  const failure = { why: 'remote', detail: 'out of memory' } as const

  test.each<[string, OrderReply, readonly object[]]>([
    [
      'that is in doubt is written down with what came',
      { got: 'doubt', detail: 'cut', raw: 'spool/1' },
      [
        {
          kind: 'DOUBT',
          purchase: purchaseOf('a'),
          attempt: expect.any(String),
          detail: 'cut',
          raw: 'spool/1',
        },
      ],
    ],
    [
      'with files is written down with its run and what it cost',
      { got: 'files', files: [], run: run('r1'), credits: 3 },
      [{ kind: 'RESULT', files: [], run: { id: 'r1', origin: 'https://service.example' }, credits: 3 }],
    ],
    [
      'that says that the work failed, at once and at its end, with its run and what it cost',
      { got: 'failure', failure, run: run('r1'), credits: 3 },
      Array.from({ length: 2 }, () => ({
        kind: 'FAILED',
        purchase: purchaseOf('a'),
        failure,
        billed: 'unknown',
        run: { id: 'r1' },
        credits: 3,
      })),
    ],
  ])('%s', async (_, reply, noted) => {
    const { records } = await ordered({ order: () => reply })
    expect(kinds(records).slice(0, 2)).toEqual(['INTENT', 'SENDING'])
    const told = records.filter(({ kind }) => !['INTENT', 'SENDING', 'DONE'].includes(kind))
    expect(told).toMatchObject(noted)
    expect(told).toHaveLength(noted.length)
  })

  test('that came although the order was held back is no proof that nothing left', async () => {
    const wire = {
      ...fakeWorld().wire,
      async order(_: unknown, beforeFirstByte: () => Promise<() => void>): Promise<OrderReply> {
        await beforeFirstByte().catch(() => undefined)
        return { got: 'doubt', detail: 'who knows' }
      },
    }
    const { records, state } = await ordered({ gate: () => ({ why: 'stopped' }) }, undefined, { wire })
    expect(kinds(records)).toEqual(['INTENT', 'DOUBT'])
    expect(state).toEqual({ is: 'doubt', detail: 'who knows' })
  })

  test('with files is this order’s, though another has the run that is named in it', async () => {
    const tasks = ['a', 'b'].map(name => task(job(name)))
    const { records, outcomes } = await ordered(
      { order: () => ({ got: 'files', files: [], run: run('same') }) },
      tasks,
    )
    expect([...outcomes.values()].map(({ is }) => is)).toEqual(['done', 'done'])
    const results = records.filter(({ kind }) => kind === 'RESULT')
    expect(results.map(each => 'run' in each)).toEqual([true, false])
  })

  test('of work that failed keeps no run from the next order', async () => {
    const tasks = ['a', 'b'].map(name => task(job(name, { mode: 'submit' })))
    const { outcomes } = await ordered(
      {
        order: ({ address }) =>
          address === 'a' ? { got: 'failure', failure, run: run('same') } : { got: 'run', run: run('same') },
      },
      tasks,
    )
    expect([...outcomes.values()].map(({ is }) => is)).toEqual(['failed', 'done'])
  })

  test('of what is no such service ends the buying at the second', async () => {
    const tasks = [...'abc'].map(name => task(job(name, { workflow: name })))
    const { orders, outcomes } = await ordered(
      { order: () => ({ got: 'doubt', detail: 'a page', foreign: 'a page of HTML' }) },
      tasks,
    )
    expect(orders).toHaveLength(2)
    expect(outcomes.get(jobAddress('c'))).toEqual({
      is: 'skipped',
      because: { why: 'closed', because: { why: 'bad-reply', detail: 'a page of HTML' } },
    })
  })
})

describe('who listens hears', () => {
  test.each<[string, OrderReply, readonly string[]]>([
    ['an exchange with a run', { got: 'files', files: [], run: run('r1') }, ['accepted', 'made']],
    ['an exchange without one', { got: 'files', files: [] }, ['made']],
    ['work that failed', { got: 'failure', failure: { why: 'remote', detail: '' }, run: run('r1') }, []],
  ])('of %s', async (_, reply, told) => {
    const { events } = await ordered({ order: () => reply })
    expect(events.map(({ event }) => event)).toEqual(['sending', ...told, 'settled'])
  })

  test.each<[string, OrderReply, Failure | undefined]>([
    ['a service without room', busy, busy.failure],
    ['an order that was let go', { got: 'files', files: [] }, undefined],
  ])('until when an order waits: %s', async (_, first, failure) => {
    const { events } = await ordered({
      order: (__, nth) => (nth === 1 ? first : { got: 'files', files: [] }),
    })
    const waiting = events.filter(({ event }) => event === 'waiting')
    expect(waiting).toEqual(
      failure
        ? [{ event: 'waiting', at: 1_000_010, address: 'a', failure, untilMs: expect.any(Number) }]
        : [],
    )
    // So long as it asked for, and no two jobs come back in the same moment.
    for (const each of waiting)
      expect('untilMs' in each && each.untilMs - each.at).toBeGreaterThanOrEqual(30_000)
  })

  test('what an order waits for', async () => {
    const heard: unknown[] = []
    onOrderWait(wait => heard.push(wait))
    const { orders } = await ordered({}, [task(job('a')), task(job('b'))])
    expect(orders).toHaveLength(2)
    expect(heard).toContainEqual({ address: 'b', gate: 'canary' })
  })

  test.each<[string, OrderReply, readonly string[]]>([
    [
      'a run stands in the lock before it is told',
      { got: 'run', run: run('r1') },
      ['secured', 'accepted', 'poll'],
    ],
    ['an exchange waits for nothing', { got: 'files', files: [], run: run('r1') }, ['accepted']],
  ])('%s', async (_, reply, expected) => {
    const trace: string[] = []
    await ordered(
      {
        order: () => reply,
        read: () => {
          trace.push('poll')
          return { got: 'files', files: [] }
        },
      },
      [task(submitted())],
      {
        secured: async () => void trace.push('secured'),
        emit: ({ event }) => void (event === 'accepted' && trace.push(event)),
      },
    )
    expect(trace.slice(0, expected.length)).toEqual(expected)
    expect(trace.includes('secured')).toBe(expected.includes('secured'))
  })
})

test.each<[string, Failure, Failure]>([
  [
    'its workflow',
    { why: 'not-served', workflow: 'w', detail: '' },
    { why: 'closed', because: { why: 'not-served', workflow: 'w', detail: '' } },
  ],
  [
    'the key',
    { why: 'unauthorized', status: 401, detail: '' },
    { why: 'closed', because: { why: 'unauthorized', status: 401, detail: '' } },
  ],
])('who is not let in is told what closed: %s', async (_, failure, because) => {
  const tasks = ['b', 'a'].map(name => task(job(name)))
  const { state } = await ordered({ order: () => ({ got: 'refused', failure, canRetry: false }) }, tasks)
  expect(state).toEqual({ is: 'skipped', because })
})
