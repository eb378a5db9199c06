import { describe, expect, test } from 'vitest'
import { jobAddress } from '../../src/base/names.ts'
import type { JournalRecord } from '../../src/base/purchase.ts'
import type { RemoteFile } from '../../src/base/state.ts'
import { runEngine } from '../../src/engine/engine.ts'
import type { Task } from '../../src/engine/world.ts'
import { foldJournal, recordOf } from '../../src/store/journal/fold.ts'
import type { JournalEntry } from '../../src/store/journal/journal-text.ts'
import type { ReadReply } from '../../src/wire/http/wire.ts'
import { fakeWorld, job, purchaseOf, recipe, run, type Script, task } from './fake.ts'

const limits = { execute: 4, submit: 8, download: 4 }
const a = jobAddress('a')
const old = purchaseOf('old')
const ask = { purchase: old, run: run('old'), hasFailed: true } as const
const files: ReadReply = { got: 'files', files: [] }
const failed: ReadReply = { got: 'failure', failure: { why: 'remote', detail: 'out of memory' } }
const trouble = (failure: (ReadReply & { got: 'trouble' })['failure']): ReadReply => ({
  got: 'trouble',
  failure,
})
const refused = (status: number) => trouble({ why: 'refused', status, detail: '' })

/** A job that may be ordered anew, with a run that had failed before. */
async function asked(read: (nth: number) => ReadReply, more: Script = {}, its: Partial<Task> = {}) {
  const world = fakeWorld({
    ...more,
    order: () => ({ got: 'run', run: run('new') }),
    read: (ref, nth) => (ref.id === 'old' ? read(nth) : files),
  })
  const asking = { ...task(job('a', { mode: 'submit' })), ask, recipe, ...its }
  const outcomes = await world.clock.run(runEngine([asking], world, limits))
  const looks = world.reads.filter(({ id }) => id === 'old').length
  return { world, state: outcomes.get(a), looks, kinds: world.records.map(({ kind }) => kind) }
}

/** How the purchase stands whose run failed before, and that of the job's own order. */
function standing(records: readonly JournalRecord[]) {
  const before: JournalRecord = {
    kind: 'STANDS',
    purchase: old,
    record: {
      id: old,
      address: a,
      recipe,
      is: 'failed',
      flaw: { why: 'remote', message: '' },
      billed: 'unknown',
      run: run('old'),
    },
  }
  const entries = [before, ...records].map((record, nth): JournalEntry => ({ ...record, at: nth }))
  return [...foldJournal(entries).values()].map(recordOf)
}

test('where nobody can be asked for the run, nothing is ordered in its place', async () => {
  const unasked = trouble({ why: 'not-served', workflow: 'w', detail: 'no address', unasked: true })
  const { world, state, looks } = await asked(() => unasked)
  expect(state).toMatchObject({ is: 'skipped', because: { why: 'not-served' } })
  expect([world.orders, looks]).toEqual([[], 1])
})

describe('a run from before is asked before anything is paid, and', () => {
  test('its files are taken: nothing is ordered', async () => {
    const { world, state, kinds } = await asked(() => files)
    expect(state).toMatchObject({ is: 'done', run: run('old') })
    expect(world.orders).toEqual([])
    expect(kinds).toEqual(['ACCEPTED', 'DONE'])
    expect(standing(world.records)).toMatchObject([{ id: old, is: 'done', run: run('old') }])
    expect(world.events.map(({ event }) => event)).toEqual(['resumed', 'made', 'settled'])
    expect(world.events[0]).toMatchObject({ run: run('old') })
    expect(world.cleaned.get(a)).toMatchObject({ is: 'done' })
  })

  test('files of its own are written down before they are saved', async () => {
    const spooled: RemoteFile[] = [{ from: 'spool', path: 'spool/1' }]
    const { world, kinds } = await asked(() => ({ got: 'files', files: spooled }), {
      save: () => ({ got: 'blocked', failure: { why: 'unsaved', path: 'media', detail: 'full' } }),
    })
    expect(kinds).toEqual(['ACCEPTED', 'RESULT'])
    expect(standing(world.records)).toMatchObject([
      { id: old, is: 'under-way', files: spooled, run: run('old') },
    ])
  })

  test('is followed while it is at work, also by whoever comes after a stop', async () => {
    const { world, state } = await asked(nth => (nth < 4 ? { got: 'pending' } : files))
    expect(state).toMatchObject({ is: 'done', run: run('old') })
    expect(world.orders).toEqual([])
    const stopped = fakeWorld({
      read: (_, nth) => {
        if (nth > 1) stopped.stopNow()
        return { got: 'pending' }
      },
    })
    const asking = { ...task(job('a', { mode: 'submit' })), ask, recipe }
    const outcomes = await stopped.clock.run(runEngine([asking], stopped, limits))
    expect(outcomes.get(a)).toMatchObject({ is: 'detached', run: run('old') })
    expect(standing(stopped.records)).toMatchObject([{ id: old, is: 'under-way', run: run('old') }])
    expect(stopped.cleaned.get(a)).toMatchObject({ is: 'detached', run: run('old') })
  })

  test.each<[string, ReadReply]>([
    ['it failed', failed],
    ['it is not known', refused(404)],
    ['it is gone', refused(410)],
    ['it cannot be asked for', refused(405)],
    [
      'it is finished without a file',
      { ...trouble({ why: 'bad-reply', detail: '' }), isFinished: true } as ReadReply,
    ],
  ])('one look that says that %s lets the order go', async (_, reply) => {
    const { world, state, looks, kinds } = await asked(() => reply)
    expect(state).toMatchObject({ is: 'done', run: run('new') })
    expect([looks, world.orders.length]).toEqual([1, 1])
    expect(kinds).toEqual(['INTENT', 'SENDING', 'ACCEPTED', 'DONE'])
    expect(standing(world.records)).toMatchObject([
      { id: old, is: 'failed', run: run('old') },
      { id: purchaseOf('a'), is: 'done', run: run('new') },
    ])
  })

  test('a failure that was never told before has to be told twice', async () => {
    const asking = { ask: { purchase: old, run: run('old') } }
    const twice = await asked(() => failed, {}, asking)
    expect([twice.looks, twice.state]).toMatchObject([2, { is: 'done', run: run('new') }])
    const flake = await asked(nth => (nth === 1 ? failed : files), {}, asking)
    expect(flake.state).toMatchObject({ is: 'done', run: run('old') })
    expect(flake.world.orders).toEqual([])
  })

  test.each<[string, ReadReply, number]>([
    ['a service that cannot be reached', trouble({ why: 'unreachable', origin: 'o', detail: '' }), 3],
    ['a service in trouble', trouble({ why: 'bad-reply', detail: 'status 500' }), 3],
    ['a busy service', trouble({ why: 'busy', detail: '' }), 3],
    ['a redirect', refused(302), 3],
    ['a key that is not taken', trouble({ why: 'unauthorized', status: 401, detail: '' }), 1],
  ])('%s lets nothing go', async (_, reply, most) => {
    const { world, state, looks } = await asked(() => reply)
    expect(state).toEqual({ is: 'skipped', because: 'failure' in reply && reply.failure })
    expect(looks).toBe(most)
    expect([world.orders, world.records, world.cleaned.size]).toEqual([[], [], 0])
  })

  test('trouble that passes is forgotten', async () => {
    const { state, looks } = await asked(nth => (nth < 3 ? trouble({ why: 'busy', detail: '' }) : files))
    expect(state).toMatchObject({ is: 'done', run: run('old') })
    expect(looks).toBe(3)
  })

  test('a wait beyond the deadline is no reason to order', async () => {
    const { world, state } = await asked(() => ({
      got: 'trouble',
      failure: { why: 'busy', detail: '' },
      waitMs: 86_400_000,
    }))
    expect(state).toMatchObject({ is: 'skipped', because: { why: 'busy' } })
    expect(world.orders).toEqual([])
  })
})

test('without a recipe the present one counts', async () => {
  const { recipe: _, ...bare } = { ...task(job('a', { mode: 'submit' })), ask, recipe }
  const world = fakeWorld({ read: () => files })
  const outcomes = await world.clock.run(runEngine([bare], world, limits))
  const state = outcomes.get(a)
  expect(state).toMatchObject({ is: 'done', run: run('old') })
})
