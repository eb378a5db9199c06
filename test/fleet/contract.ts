import { randomUUID } from 'node:crypto'
import pg from 'pg'
import { expect, onTestFinished } from 'vitest'
import { type Clock, systemClock } from '../../src/base/clock.ts'
import { type JobAddress, type RunId, runId } from '../../src/base/names.ts'
import type { SavedFile } from '../../src/base/state.ts'
import { type AskStore, openConnections } from '../../src/fleet/connections.ts'
import { type FleetStore, openFleetStore } from '../../src/fleet/fleet-store.ts'
import { keyOf, type Right, type WantedOrder } from '../../src/fleet/right.ts'
import { fleetSql } from '../../src/fleet/schema.ts'
import { takenBack, type Unheard } from '../../src/fleet/works.ts'
import { allUnheard } from '../../src/run/planner/follow-fleet.ts'
import { digestBytes } from '../../src/store/files/digest.ts'
import type { Postgres } from './server.ts'

/** Two workers on one store, and a batch of their own. */
export interface Stage {
  readonly store: FleetStore
  /** Another process, as far as the server knows. */
  readonly other: FleetStore
  readonly server: Postgres
  readonly url: string
  /** Asks the same database past the store. */
  readonly ask: AskStore
  readonly batch: string
  /** Of what the stores heard and waited out. */
  readonly troubles: unknown[]
}

interface Case {
  readonly name: string
  check(stage: Stage): Promise<void>
}

/** As the machine's, but that nobody waits for longer than a moment. */
export const hasty: Clock = {
  ...systemClock,
  until: (date, signal) => systemClock.until(Math.min(date, systemClock.now() + 20), signal),
}

/** On which every wait is a second. */
function hurrying(): Clock {
  let ahead = 0
  return {
    now: () => systemClock.now() + ahead,
    wall: () => systemClock.wall() + ahead,
    async until() {
      await hasty.until(systemClock.now() + 10)
      ahead += 1_000
    },
  }
}

const run = { workflow: 'w', id: runId('r1') as RunId }
const file: SavedFile = { path: 'a.png', digest: digestBytes('a'), bytes: 1, type: 'image/png' }

function order({ batch }: Stage, identity: string, price = 1): WantedOrder {
  return { batch, identity, address: identity, request: 'sha256:0', price }
}

/** Handed out, as far as that is what a right asks. */
async function want({ ask, batch }: Stage, ...identities: readonly string[]): Promise<void> {
  await ask(
    `insert into genrun.work (batch, address, nth, identity, queue, needs, task)
      select $1, each, 0, each, 'q', '{}', '{}' from unnest($2::text[]) each on conflict do nothing`,
    [batch, identities],
  )
}

/** Who plans the batch of a stage. */
export const planner = 'pat'

function byTurns({ store, other }: Stage, nth: number): FleetStore {
  return nth % 2 === 0 ? store : other
}

async function rightOf(stage: Stage, identity: string, worker = 'ann'): Promise<Right> {
  await want(stage, identity)
  const answer = await stage.store.right(worker, order(stage, identity))
  if (answer.got !== 'right') throw new Error(`no right for ${identity}: ${answer.got}`)
  return answer.right
}

async function got(stage: Stage, identity: string, price = 1): Promise<string> {
  await want(stage, identity)
  return (await stage.other.right('ann', order(stage, identity, price))).got
}

async function stateOf({ store, batch }: Stage, identity: string): Promise<string | undefined> {
  return (await store.standing({ batch, identity }))?.state
}

async function spent({ store, batch }: Stage) {
  return (await store.status(batch)).spent
}

/** As if so many seconds had passed for the worker and its attempts. */
async function age({ ask, batch }: Stage, seconds: number, worker = 'ann'): Promise<void> {
  const by = `interval '${seconds} s'`
  await ask(`update genrun.worker set seen = seen - ${by} where id = $1`, [worker])
  await ask(`update genrun.purchase set seen = seen - ${by} where batch = $1`, [batch])
}

/** What a batch has to make: addresses, each with those that it waits for. */
async function begin(
  { store, batch }: Stage,
  works: readonly (readonly [string, string[]])[],
): Promise<void> {
  const its = works.map(([address, needs]) => ({ address, needs, identity: address, queue: batch, task: {} }))
  await store.begin({ batch, planner }, its as never) // names that are good enough here
}

/** The address of a hero, then its dependants. */
async function queue({ ask }: Stage): Promise<void> {
  await ask('create table if not exists queue (job text)')
  await ask('truncate queue')
}

const enqueue = async (ready: readonly string[], ask: AskStore) => {
  await ask('insert into queue select * from unnest($1::text[])', [ready])
}

async function queued({ ask }: Stage): Promise<string[]> {
  return (await ask<{ job: string }>('select job from queue order by job')).map(({ job }) => job)
}

async function paid(stage: Stage, identity: string): Promise<Right> {
  const right = await rightOf(stage, identity)
  await stage.store.accepted(right, run)
  return right
}

/** Kept from the store, until the returned function is called: every connection that others may have. */
async function exhaust({ server }: Stage): Promise<() => Promise<void>> {
  const url = server.adminUrl.replace('admin@', 'worker@')
  const clients: pg.Client[] = []
  for (;;) {
    const client = new pg.Client({ connectionString: url })
    client.on('error', () => undefined)
    try {
      await client.connect()
      clients.push(client)
    } catch {
      return async () => void (await Promise.all(clients.map(each => each.end())))
    }
  }
}

async function cutConnections({ ask }: Stage): Promise<void> {
  await ask(
    `select pg_terminate_backend(pid) from pg_stat_activity where application_name = 'genrun' and datname = current_database()`,
  )
}

export const cases: readonly Case[] = [
  {
    name: 'of many who want one order at once, one has the right, and it costs once',
    async check(stage) {
      await want(stage, 'tea')
      const asked = Array.from({ length: 12 }, (_, nth) =>
        byTurns(stage, nth).right('ann', order(stage, 'tea')),
      )
      const answers = (await Promise.all(asked)).map(each => each.got)
      expect(answers.toSorted()).toEqual(['right', ...Array(11).fill('taken')])
      expect(await spent(stage)).toEqual({ cost: 1, orders: 1 })
    },
  },
  {
    name: 'there is no right without a lease',
    async check(stage) {
      const { store, batch } = stage
      await want(stage, 'tea', 'jam')
      expect((await store.right('nobody', order(stage, 'tea'))).got).toBe('no lease')
      await age(stage, 10)
      expect((await store.right('ann', order(stage, 'tea'))).got).toBe('no lease')
      expect(await store.beat('ann', [])).toBe(true)
      expect((await store.right('ann', order(stage, 'tea'))).got).toBe('right')
      await store.leave('ann')
      expect((await store.right('ann', order(stage, 'jam'))).got).toBe('no lease')
      expect(await store.beat('ann', [])).toBe(false)
      expect(await spent(stage)).toEqual({ cost: 1, orders: 1 })
      // Who has one is at work.
      await store.join('eve', batch)
      expect(await stage.other.workers(batch)).toMatchObject({ here: 1 })
      await age(stage, 10, 'eve')
      expect(await stage.other.workers(batch)).toMatchObject({ here: 0 })
    },
  },
  {
    name: 'there is no right over the budget, and the budget is exact under fifty takers',
    async check(stage) {
      const { store, other, batch } = stage
      await store.allow(batch, { maxCost: 10.5 })
      const wanted = Array.from({ length: 50 }, (_, nth) => order(stage, `job${nth}`, 0.7))
      await want(stage, ...wanted.map(({ identity }) => identity))
      const answers = await Promise.all(wanted.map((each, nth) => byTurns(stage, nth).right('ann', each)))
      expect(answers.filter(each => each.got === 'right')).toHaveLength(15)
      expect(answers.filter(each => each.got === 'over budget')).toHaveLength(35)
      expect(await spent(stage)).toEqual({ cost: 10.5, orders: 15 })
      await store.allow(batch, { maxOrders: 16 })
      expect([await got(stage, 'more'), await got(stage, 'yet more')]).toEqual(['right', 'over budget'])
      expect((await other.right('ann', { ...order(stage, 'tea'), batch: 'unknown' })).got).toBe('over budget')
    },
  },
  {
    name: 'rights that one worker wants at the same time share a commit, each with an answer of its own',
    async check(stage) {
      const { store, ask, batch } = stage
      await store.allow(batch, { maxOrders: 5 })
      const names = ['a', 'b', 'b', 'c', 'd', 'e', 'f']
      await want(stage, ...names)
      const answers = await Promise.all(names.map(each => store.right('ann', order(stage, each))))
      const gots = ['right', 'right', 'taken', 'right', 'right', 'right', 'over budget']
      expect(answers.map(({ got }) => got)).toEqual(gots)
      const rows = await ask('select distinct xmin::text from genrun.purchase where batch = $1', [batch])
      expect(rows).toHaveLength(2)
      for (const [nth, answer] of answers.entries())
        if (answer.got === 'right') expect(answer.right).toMatchObject({ identity: names[nth] })
    },
  },
  {
    name: 'what was not sent or was refused gives its price back once, and may be sent again under its key',
    async check(stage) {
      const { store } = stage
      const first = await rightOf(stage, 'tea')
      expect(await store.notSent(first)).toBe('recorded')
      await store.notSent(first)
      expect(await spent(stage)).toEqual({ cost: 0, orders: 0 })
      expect(await store.beside(stage.batch)).toMatchObject({ unheard: 0 })
      const second = await rightOf(stage, 'tea')
      expect(second).toMatchObject({ purchase: first.purchase })
      // Heard late: it is about an attempt that is over.
      await store.notSent(first)
      expect(await got(stage, 'tea')).toBe('taken')
      await store.refused(second, 'busy')
      expect(await store.standing(second)).toMatchObject({ state: 'REFUSED', detail: 'busy' })
      expect(await got(stage, 'tea')).toBe('right')
      expect(await spent(stage)).toEqual({ cost: 1, orders: 1 })
    },
  },
  {
    name: 'there is no right after anything that may be paid for',
    async check(stage) {
      const { store } = stage
      const failure = { why: 'remote', detail: 'no' } as const
      const paths = {
        sending: () => Promise.resolve(),
        doubt: (right: Right) => store.doubt(right, 'no answer'),
        accepted: (right: Right) => store.accepted(right, run),
        result: (right: Right) => store.result(right, { files: [{ from: 'link', url: 'https://x/1' }] }),
        failed: (right: Right) => store.failed(right, { failure, billed: 'unknown', run }),
        async done(right: Right) {
          await store.accepted(right, run)
          return store.done(right, { files: [file] }, enqueue)
        },
      }
      for (const [name, go] of Object.entries(paths)) {
        await go(await rightOf(stage, name))
        expect([name, await got(stage, name)]).toEqual([name, 'taken'])
      }
      expect((await store.status(stage.batch)).orders).toEqual({
        ...{ SENDING: 1, DOUBT: 1, ACCEPTED: 1, RESULT: 1, FAILED: 1, DONE: 1 },
      })
    },
  },
  {
    name: 'ACCEPTED comes through a crash of the server in the middle, and all that was told before is there',
    async check(stage) {
      const { store, server, url } = stage
      const rights = await Promise.all(['a', 'b', 'c', 'd'].map(each => rightOf(stage, each)))
      const [first, ...rest] = rights as [Right, ...Right[]]
      await store.accepted(first, run)
      const hurried = await openFleetStore(url, { clock: hurrying() })
      onTestFinished(() => hurried.close())
      await server.crash()
      const late = hurried.right('ann', order(stage, 'e'))
      let isDown = true
      const told = Promise.allSettled(
        rest.map(async each => [await store.accepted(each, run), isDown ? 'too early' : 'in time']),
      )
      await systemClock.until(systemClock.now() + 60)
      isDown = false
      await server.start()
      expect(await told).toEqual(rest.map(() => ({ status: 'fulfilled', value: ['recorded', 'in time'] })))
      // For as long as a right lasts nobody answered.
      expect(await late).toEqual({ got: 'no answer' })
      expect((await store.status(stage.batch)).orders).toEqual({ ACCEPTED: 4 })
      expect(stage.troubles.length).toBeGreaterThan(0)
    },
  },
  {
    name: 'ACCEPTED is told again while there is no connection to be had, and while something else is wrong',
    async check(stage) {
      const { store, ask } = stage
      const [tea, jam] = [await rightOf(stage, 'tea'), await rightOf(stage, 'jam')]
      await cutConnections(stage)
      const giveUp = await exhaust(stage)
      const told = Promise.allSettled([store.accepted(tea, run)])
      await systemClock.until(systemClock.now() + 60)
      await giveUp()
      expect(await told).toMatchObject([{ value: 'recorded' }])
      await ask('alter table genrun.purchase rename to purchase_away')
      const toldLater = Promise.allSettled([store.accepted(jam, run)])
      await systemClock.until(systemClock.now() + 60)
      await ask('alter table genrun.purchase_away rename to purchase')
      expect(await toldLater).toMatchObject([{ value: 'recorded' }])
      expect(stage.troubles.length).toBeGreaterThan(1)
    },
  },
  {
    name: 'ACCEPTED lifts a doubt that was declared meanwhile, is the same said twice, and is written where the row was lost',
    async check(stage) {
      const { store, ask, batch } = stage
      const tea = await rightOf(stage, 'tea')
      await age(stage, 10)
      expect(await store.declareDead(tea)).toBe(true)
      expect([await store.accepted(tea, run), await store.accepted(tea, run)]).toEqual([
        'recorded',
        'recorded',
      ])
      expect(await store.standing(tea)).toMatchObject({ state: 'ACCEPTED', run, attempt: tea.attempt })
      await ask('delete from genrun.purchase where batch = $1', [batch])
      expect(await store.accepted(tea, run)).toBe('recorded')
      await ask('update genrun.purchase set attempt = gen_random_uuid() where batch = $1', [batch])
      expect(await store.accepted(tea, run)).toBe('disowned')
    },
  },
  {
    name: 'SENDING of a dead worker becomes a doubt after its lease and not before, and costs on',
    async check(stage) {
      const { store } = stage
      const tea = await rightOf(stage, 'tea')
      expect(await store.declareDead(tea)).toBe(false)
      await age(stage, 9)
      expect([await store.declareDead(tea), await stateOf(stage, 'tea')]).toEqual([false, 'SENDING'])
      await store.beat('ann', [tea])
      await age(stage, 9)
      expect([await store.declareDead(tea), await store.silent(stage.batch)]).toEqual([false, []])
      // The worker lives, and has let go of this one.
      await store.beat('ann', [])
      await age(stage, 1)
      expect([await store.declareDead(tea), await stateOf(stage, 'tea')]).toEqual([true, 'DOUBT'])
      expect(await got(stage, 'tea')).toBe('taken')
      expect(await spent(stage)).toEqual({ cost: 1, orders: 1 })
      expect(await store.declareDead(tea)).toBe(false)
    },
  },
  {
    name: 'a doubt that nobody dated is told with the date of its right',
    async check(stage) {
      const { store, ask, batch } = stage
      const tea = await rightOf(stage, 'tea')
      const told = async (record: object) => {
        await ask('update genrun.purchase set record = $2 where batch = $1', [batch, JSON.stringify(record)])
        return (await store.unheard(batch)).map(each => each.record)
      }
      await age(stage, 10)
      await store.declareDead(tea)
      const date = 'select floor(extract(epoch from at) * 1000)::float8 as since from genrun.purchase'
      const [{ since } = { since: 0 }] = await ask<{ since: number }>(`${date} where batch = $1`, [batch])
      expect(await told({ is: 'doubt' })).toEqual([{ is: 'doubt', since }])
      expect(await told({ is: 'doubt', since: 1 })).toEqual([{ is: 'doubt', since: 1 }])
      expect(await told({ is: 'under-way' })).toEqual([{ is: 'under-way' }])
    },
  },
  {
    name: 'DONE counts down and enqueues once, also when several say it at once, and crosswise',
    async check(stage) {
      const { store, other, batch } = stage
      await queue(stage)
      const needs = ['hero', 'foil', 'third']
      const clips = ['clip', 'film', 'song']
      await begin(stage, [...clips.map(address => [address, needs] as const), ['last', clips]])
      expect((await store.status(batch)).waiting).toBe(4)
      const rights = await Promise.all(needs.map(each => paid(stage, each)))
      const [hero, ...rest] = rights as [Right, ...Right[]]
      for (const by of [store, other, store]) await by.done(hero, { files: [file] }, enqueue)
      expect(await queued(stage)).toEqual([])
      const both = [...rest, ...rest.toReversed()].map((right, nth) =>
        byTurns(stage, nth).done(right, { files: [file] }, enqueue),
      )
      expect(await Promise.all(both)).toEqual(Array(4).fill('recorded'))
      expect(await queued(stage)).toEqual(clips.toSorted())
      expect((await store.status(batch)).waiting).toBe(1)
      // What was skipped waits for nobody any more.
      await store.end(batch, ['last' as JobAddress], takenBack)
      expect((await store.status(batch)).waiting).toBe(0)
    },
  },
  {
    name: 'ends that are told together share a transaction, each with an answer of its own, and what waits for several counts each',
    async check(stage) {
      const { store, ask, batch } = stage
      await queue(stage)
      await begin(stage, [
        ['clip', ['hero', 'foil']],
        ['film', ['hero', 'third']],
        ['song', ['hero']],
      ])
      const [hero, foil, third] = [
        await paid(stage, 'hero'),
        await paid(stage, 'foil'),
        await rightOf(stage, 'third'),
      ]
      const handed: string[][] = []
      const ends = [foil, hero, third, hero].map(right =>
        store.done(right, { files: [file] }, async (ready, its) => {
          handed.push([...ready])
          await enqueue(ready, its)
        }),
      )
      expect(await Promise.all(ends)).toEqual(['recorded', 'recorded', 'unpaid', 'recorded'])
      expect([handed, await queued(stage)]).toEqual([[['clip', 'song']], ['clip', 'song']])
      const rows = await ask(
        `select distinct xmin::text from genrun.purchase where batch = $1 and state = 'DONE'`,
        [batch],
      )
      expect(rows).toHaveLength(1)
      expect((await store.status(batch)).waiting).toBe(1)
    },
  },
  {
    name: 'a job is handed out with the newest results of those that it needs',
    async check(stage) {
      const { store, batch } = stage
      await queue(stage)
      const beginAnew = () =>
        begin(stage, [
          ['clip', ['hero', 'foil']],
          ['hero', []],
        ])
      await beginAnew()
      const madeFor = async (address: string) => (await store.handed(batch, [address as never]))[0]?.made
      expect([await madeFor('clip'), await madeFor('hero')]).toEqual([null, null])
      for (const [identity, more] of Object.entries({ hero: 1, 'hero~1': 2 })) {
        await beginAnew()
        const record = { is: 'done', more } as never
        const answer = await store.right('ann', { ...order(stage, identity), address: 'hero', record })
        if (answer.got !== 'right') throw new Error(answer.got)
        await store.accepted(answer.right, run)
        expect(await madeFor('clip')).toEqual(more === 1 ? null : { hero: { is: 'done', more: 1 } })
        await store.done(answer.right, { files: [file] }, enqueue)
      }
      expect(await madeFor('clip')).toEqual({ hero: { is: 'done', more: 2 } })
    },
  },
  {
    name: 'a job waits until all that it needs is made, also when an earlier plan has made it',
    async check(stage) {
      const { store, batch } = stage
      await queue(stage)
      const waits = async (address: string) => (await store.handed(batch, [address as never]))[0]?.waits
      for (const identity of ['hero', 'hero~1']) {
        await begin(stage, [
          ['clip', ['hero']],
          ['hero', []],
        ])
        expect([await waits('hero'), await waits('clip')]).toEqual([false, true])
        const answer = await store.right('ann', { ...order(stage, identity), address: 'hero' })
        if (answer.got !== 'right') throw new Error(answer.got)
        await store.accepted(answer.right, run)
        expect(await waits('clip')).toBe(true)
        await store.done(answer.right, { files: [file] }, enqueue)
        expect(await waits('clip')).toBe(false)
      }
    },
  },
  {
    name: 'what came of several orders at once shares a commit, each with an answer of its own',
    async check(stage) {
      const { store, ask, batch } = stage
      const rights = await Promise.all(['a', 'b', 'c', 'd'].map(each => rightOf(stage, each)))
      const other = { ...(rights[2] as Right), attempt: randomUUID() }
      const failure = { why: 'remote', detail: 'no' } as const
      const [a, b, , d] = rights as [Right, Right, Right, Right]
      const told = [
        store.accepted(a, run),
        store.accepted(b, run),
        store.accepted(other, run),
        store.failed(d, { failure, billed: 'unknown', run }),
      ]
      expect(await Promise.all(told)).toEqual(['recorded', 'recorded', 'disowned', 'recorded'])
      const { orders } = await store.status(batch)
      expect(orders).toEqual({ SENDING: 1, ACCEPTED: 2, FAILED: 1 })
      const rows = await ask(
        `select distinct xmin::text from genrun.purchase where batch = $1 and state <> 'SENDING'`,
        [batch],
      )
      expect(rows).toHaveLength(2)
    },
  },
  {
    name: 'whoever waits for a worker that is not heard is told which order it is',
    async check(stage) {
      const { store, batch } = stage
      await paid(stage, 'tea')
      await rightOf(stage, 'jam')
      expect(await store.silent(batch)).toEqual([])
      await age(stage, 12)
      const [first, second] = await store.silent(batch)
      expect(first).toMatchObject({ address: 'tea', worker: 'ann' })
      expect(second).toMatchObject({ address: 'jam', worker: 'ann' })
      expect(first?.seconds).toBeGreaterThanOrEqual(11)
      await store.leave('ann')
      expect(await store.silent(batch)).toMatchObject([{ seconds: null }, { seconds: null }])
      await store.join('ann', 'q')
      await store.end(batch, ['tea', 'jam'] as never, { is: 'skipped', because: { why: 'stopped' } })
      expect(await store.silent(batch)).toEqual([])
    },
  },
  {
    name: 'what cannot be written of one end keeps none of the others from being written',
    async check(stage) {
      const { store } = stage
      await queue(stage)
      const [tea, pot] = [await paid(stage, 'tea'), await paid(stage, 'pot')]
      const unwritable = { ...file, path: 'a\u0000.png' }
      const ends = [
        store.done(tea, { files: [unwritable] }, enqueue),
        store.done(pot, { files: [file] }, enqueue),
      ]
      expect(await Promise.allSettled(ends)).toMatchObject([{ status: 'rejected' }, { value: 'recorded' }])
      expect([await stateOf(stage, 'tea'), await stateOf(stage, 'pot')]).toEqual(['ACCEPTED', 'DONE'])
    },
  },
  {
    name: 'what is being changed while it is heard is not waited for, and told again',
    async check(stage) {
      const { store, batch, url } = stage
      const record = { is: 'under-way' } as never
      await want(stage, 'pot')
      const pot = await store.right('ann', { ...order(stage, 'pot'), record })
      if (pot.got !== 'right') throw new Error(pot.got)
      expect(await store.sending(batch)).toEqual([{ address: 'pot', purchase: pot.right.purchase }])
      await store.accepted(pot.right, run)
      expect(await store.sending(batch)).toEqual([])
      // Most of what is under way is done a moment later.
      expect(await store.unheard(batch, undefined, true)).toEqual([])
      const { attempt, purchase } = pot.right
      const told = async () => (await store.unheard(batch)).map(each => [each.purchase, each.state])
      const news = await store.unheard(batch)
      const connections = await openConnections(url)
      await connections.together(async its => {
        await its(fleetSql.statements.doubt, [batch, 'pot', attempt, 'no answer', null])
        const late = systemClock.until(systemClock.now() + 2_000).then(() => 'waited')
        expect(await Promise.race([store.hear({ batch, planner }, news), late])).toBeUndefined()
      })
      await connections.close()
      // What was told is not how it stands now.
      await store.hear({ batch, planner }, news)
      expect(await told()).toEqual([[purchase, 'DOUBT']])
      await store.hear({ batch, planner }, await store.unheard(batch))
      expect(await told()).toEqual([])
      await store.accepted(pot.right, run)
      for (const still of [[[purchase, 'DONE']], []]) {
        await store.done(pot.right, { files: [file] }, enqueue)
        expect(await told()).toEqual(still)
        await store.hear({ batch, planner }, await store.unheard(batch))
      }
      expect(await store.beside(batch)).toMatchObject({ unheard: 0 })
    },
  },
  {
    name: 'DONE and enqueueing are one: a transaction that dies leaves neither, and it is done again',
    async check(stage) {
      const { store } = stage
      await queue(stage)
      await begin(stage, [['clip', ['hero']]])
      const hero = await paid(stage, 'hero')
      const bug = new Error('a bug')
      const thrown = store.done(hero, { files: [file] }, () => Promise.reject(bug))
      await expect(thrown).rejects.toBe(bug)
      expect([await stateOf(stage, 'hero'), await queued(stage)]).toEqual(['ACCEPTED', []])
      let calls = 0
      const done = store.done(hero, { files: [file] }, async (ready, ask) => {
        await enqueue(ready, ask)
        if (++calls === 1) await cutConnections(stage)
        // What the first statement that fails says is kept to himself by whoever enqueues.
        if (calls === 2) await ask('select 1/0').catch(() => undefined)
      })
      expect([await done, calls]).toEqual(['recorded', 3])
      expect([await stateOf(stage, 'hero'), await queued(stage)]).toEqual(['DONE', ['clip']])
    },
  },
  {
    name: 'nothing is done that was not paid for',
    async check(stage) {
      const { store } = stage
      await queue(stage)
      await begin(stage, [['clip', ['hero']]])
      const hero = await rightOf(stage, 'hero')
      expect(await store.done(hero, { files: [file] }, enqueue)).toBe('unpaid')
      await store.doubt(hero, 'no answer')
      expect(await store.done(hero, { files: [file] }, enqueue)).toBe('unpaid')
      expect(await queued(stage)).toEqual([])
    },
  },
  {
    name: 'whoever had an order is near for a minute after it was heard last, and not once it has left',
    async check(stage) {
      const { store } = stage
      const tea = await paid(stage, 'tea')
      const isNear = async () => (await store.standing(tea))?.near
      expect(await store.open([tea.purchase])).toMatchObject([{ state: 'ACCEPTED', near: true }])
      await age(stage, 59)
      expect(await isNear()).toBe(true)
      await age(stage, 1)
      expect(await isNear()).toBe(false)
      await store.beat('ann', [])
      await store.leave('ann')
      expect(await isNear()).toBe(false)
      await store.join('ann', 'q')
    },
  },
  {
    name: 'the first order of a workflow is one worker’s at a time, until one was taken',
    async check(stage) {
      const { store, other, batch } = stage
      await other.join('bob', 'q')
      const say = async () => [await store.canary(batch, 'w', 'ann'), await other.canary(batch, 'w', 'bob')]
      expect(await say()).toEqual(['test', 'wait'])
      await other.tested(batch, 'w', 'bob', true)
      expect(await other.canary(batch, 'w', 'bob')).toBe('wait')
      await store.tested(batch, 'w', 'ann', false)
      expect((await say()).toSorted()).toEqual(['test', 'wait'])
      // Whoever tests dies with it.
      await age(stage, 10)
      expect(await other.canary(batch, 'w', 'bob')).toBe('test')
      await store.join('ann', 'q')
      expect(await store.canary(batch, 'w', 'ann')).toBe('wait')
      await other.tested(batch, 'w', 'bob', true)
      expect(await say()).toEqual(['go', 'go'])
      expect(await store.canary(batch, 'v', 'ann')).toBe('test')
      await other.leave('bob')
    },
  },
  {
    name: 'a busy service lowers what each may have on its way, once for answers of one moment, and it grows again',
    async check(stage) {
      const { store, other, ask, batch } = stage
      await ask(`delete from genrun.worker where id <> 'ann'`)
      await ask(`delete from genrun.unheard where state = 'SENDING'`)
      await other.join('bob', 'q')
      expect(await store.room(batch)).toBeUndefined()
      for (let nth = 0; nth < 16; nth++) await rightOf(stage, `job${nth}`)
      for (const by of [store, other, store]) await by.busy(batch)
      expect([await store.room(batch), await other.room(batch)]).toEqual([4, 4])
      const later = `update genrun.ceiling set since = since - interval '60 s' where account = $1`
      await ask(later, [batch])
      expect(await store.room(batch)).toBe(8)
      await store.busy(batch)
      expect(await store.room(batch)).toBe(4)
      await other.leave('bob')
      expect(await store.room(batch)).toBe(8)
    },
  },
  {
    name: 'however many there are of a batch, they are told some at a time, each once, and replaced by the next',
    async check(stage) {
      const { store, ask, batch } = stage
      const many = 4_100
      await ask(
        `with paid as (insert into genrun.purchase (batch, identity, purchase, attempt, worker, address, request, price, state, record, at)
            select $1, $1 || n, $1 || n, gen_random_uuid(), 'ann', n, '', 1, 'DONE', '{}', now() from generate_series(1, $2::int) n
            returning batch, at, purchase, state)
          insert into genrun.unheard (batch, at, purchase, state) select * from paid`,
        [batch, many],
      )
      const [told, pages] = [[] as Unheard[], [] as number[]]
      for await (const news of allUnheard(batch, store)) {
        pages.push(news.length)
        told.push(...news)
      }
      const keys = new Set(told.map(({ purchase }) => purchase))
      expect([keys.size, pages]).toEqual([many, [2_000, 2_000, 100]])
      await store.hear({ batch, planner }, told)
      expect(await store.unheard(batch)).toEqual([])
      const addresses = Array.from({ length: many }, (_, nth) => `job${nth}`)
      await begin(
        stage,
        addresses.map(each => [each, []]),
      )
      expect((await store.works(batch)).map(({ address }) => address)).toEqual(addresses)
      expect((await store.known(batch, [...keys, 'none'])).size).toBe(many)
      await store.end(batch, addresses as never, { is: 'skipped', because: { why: 'stopped' } })
      expect((await store.status(batch)).jobs).toEqual({ all: many, ended: many, skipped: many })
      await begin(stage, [['clip', ['hero']]])
      expect(await store.works(batch)).toMatchObject([{ address: 'clip', ended: null }])
    },
  },
  {
    name: 'a right is asked for twice by one attempt, when an answer was lost, and is one',
    async check(stage) {
      const { ask, batch } = stage
      const attempt = randomUUID()
      await want(stage, 'tea')
      const wanted = {
        ...order(stage, 'tea'),
        purchase: keyOf({ batch, identity: 'tea' }),
        attempt,
        worker: 'ann',
      }
      const asked = () => ask(fleetSql.statements.right, [JSON.stringify([wanted])])
      const answers = [await asked(), await asked()]
      expect(answers).toEqual([[{ attempt, got: 'right' }], [{ attempt, got: 'right' }]])
      expect(await spent(stage)).toEqual({ cost: 1, orders: 1 })
    },
  },
  {
    name: 'what nobody has ordered is withdrawn, and no right to it is had after that; what was ordered goes on',
    async check(stage) {
      const { store, other, ask, batch } = stage
      const names = Array.from({ length: 40 }, (_, nth) => `job${nth}`)
      await begin(
        stage,
        names.map(each => [each, []]),
      )
      await paid(stage, 'job0')
      const skipped = { is: 'skipped', because: { why: 'stopped' } } as const
      const taken = names.slice(1).map(each => store.right('ann', order(stage, each)))
      // The first is asked for alone, and all others together: those are in the server's hands by now, or had.
      await taken[0]
      let areHad = false
      void Promise.all(taken).then(() => {
        areHad = true
      })
      const atWork = `select from pg_stat_activity where datname = current_database() and state = 'active'
        and query like '%take_right%' and pid <> pg_backend_pid()`
      while (!areHad && (await ask(atWork)).length === 0) await systemClock.until(systemClock.now() + 2)
      const its = { batch, planner, checkout: 'here', queue: batch }
      await other.withdraw({ ...its, planner: 'nobody' }, skipped)
      const withdrawing = other.withdraw(its, skipped)
      const answers = await Promise.all(taken)
      await withdrawing
      const left = await Promise.all(names.slice(1).map(each => store.right('ann', order(stage, each))))
      for (const [nth, { got }] of answers.entries()) {
        expect(['right', 'unwanted']).toContain(got)
        expect(left[nth]?.got).toBe(got === 'right' ? 'taken' : 'unwanted')
      }
      const both = await ask(
        `select from genrun.work w join genrun.purchase p using (batch, identity) where w.batch = $1 and w.ended is not null`,
        [batch],
      )
      expect(both).toEqual([])
      const rights = answers.filter(each => each.got === 'right').length + 1
      expect(await spent(stage)).toEqual({ cost: rights, orders: rights })
      // Another order for a job that failed is its job's still.
      expect((await store.right('ann', { ...order(stage, 'job0'), identity: 'job0~1' })).got).toBe('right')
      // Not once another text was planned.
      await store.plan({ ...its, queue: 'another' })
      expect((await store.right('ann', { ...order(stage, 'job0'), identity: 'job0~2' })).got).toBe('unwanted')
      await store.plan(its)
      await begin(stage, [['job1', []]])
      expect((await store.right('ann', order(stage, 'never handed out'))).got).toBe('unwanted')
    },
  },
  {
    name: 'a batch has one planner, whom another checkout follows after its lease, and hears all anew',
    async check(stage) {
      const { store, other, ask, batch } = stage
      const [here, there] = ['here', 'there'].map(checkout => ({ batch, planner, checkout, queue: batch }))
      if (!here || !there) throw new Error('no planners')
      const eve = { ...there, planner: 'eve' }
      await begin(stage, [['tea', []]])
      await store.allow(batch, {})
      const tea = await paid(stage, 'tea')
      const record = { id: tea.purchase }
      await ask('update genrun.purchase set record = $2 where batch = $1', [batch, JSON.stringify(record)])
      await store.hear(here, await store.unheard(batch))
      expect(await store.beside(batch)).toMatchObject({ unheard: 0, checkout: 'here', isPlanned: true })
      expect(await other.plan(eve)).toBe(false)
      // Within a checkout the claim sees to it that the one before is gone.
      expect(await other.plan({ ...here, planner: 'ann' })).toBe(true)
      expect(await store.planOn(here)).toBe('lost')
      await other.leavePlan({ ...here, planner: 'ann' })
      expect(await store.plan(here)).toBe(true)
      await ask(`update genrun.batch set seen = seen - interval '10 s' where batch = $1`, [batch])
      expect(await other.plan(eve)).toBe(true)
      expect(await store.planOn(here)).toBe('lost')
      expect(await other.planOn(eve)).toBe('kept')
      expect(await store.beside(batch)).toMatchObject({ unheard: 1, checkout: 'there' })
      await store.hear(here, await store.unheard(batch))
      await expect(store.begin(here, [])).rejects.toThrow('another genrun run --fleet')
      expect(await store.beside(batch)).toMatchObject({ unheard: 1 })
      await other.hear(eve, await other.unheard(batch))
      expect(await store.beside(batch)).toMatchObject({ open: 1, unheard: 0 })
    },
  },
  {
    name: 'while somebody is at work by itself nobody plans its batch, nor is at work on it, for a lease',
    async check(stage) {
      const { store, other, ask, batch } = stage
      const planner = { batch, planner: 'ann', checkout: 'here', queue: batch }
      const its = { batch, planner: 'alone:here', queue: batch, checkout: 'here' }
      const theirs = { batch, planner: 'alone:there', queue: batch }
      expect(await store.alone(its)).toBe(true)
      expect([await other.aloneOn(batch), await other.openOn(batch)]).toEqual([[batch], [batch]])
      const toItself = [await other.aloneOn(batch, its.planner), await other.openOn(batch, its.planner)]
      expect(toItself).toEqual([[], []])
      expect(await store.beside(batch)).toMatchObject({
        open: 0,
        unheard: 0,
        isPlanned: true,
      })
      expect([
        await other.alone(theirs),
        await other.plan(planner),
        await other.plan(planner, 'alone:there'),
      ]).toEqual([false, false, false])
      // Within a checkout the claim sees to it that the one before is gone.
      expect(await store.alone(its)).toBe(true)
      expect(await store.planOn(its)).toBe('kept')
      expect(await store.plan(planner, 'alone:here')).toBe(true)
      expect(await store.planOn(its)).toBe('lost')
      expect([await other.alone(theirs), await store.alone(its)]).toEqual([false, true])
      // It plans from the checkout of which somebody else is at work by itself: not that either.
      await store.leavePlan(its)
      expect(await other.alone({ ...theirs, checkout: 'there' })).toBe(true)
      expect([await store.alone(its), await store.plan(planner, 'alone:here')]).toEqual([false, false])
      await ask(`update genrun.batch set seen = seen - interval '10 s' where batch = $1`, [batch])
      expect(await store.aloneOn(batch)).toEqual([])
      expect(await store.alone(its)).toBe(true)
      expect(await other.planOn(theirs)).toBe('lost')
      await store.leavePlan(its)
      expect(await store.beside(batch)).toMatchObject({ checkout: 'here', isPlanned: false })
    },
  },
  {
    name: 'of two batches that come to the same one is made, and what nobody has ordered of the other is taken back',
    async check(stage) {
      const { store, ask, batch } = stage
      const [tea, jam] = ['tea', 'jam'].map(each => `${each} of ${batch}`)
      const its = (nth: number) => ({
        batch: `${batch}-${nth}`,
        planner: `p${nth}`,
        checkout: `c${nth}`,
        queue: 'q',
      })
      const works = [tea, jam].map(identity => ({
        identity,
        address: identity,
        needs: [],
        queue: 'q',
        task: {},
      }))
      const beginAs = (nth: number) => byTurns(stage, nth).begin(its(nth), works as never) // names that are good enough here
      for (const nth of [0, 1, 2, 3]) await store.plan(its(nth))
      const began = await Promise.allSettled([0, 1, 2, 3].map(beginAs))
      const first = began.findIndex(({ status }) => status === 'fulfilled')
      expect(began.filter(({ status }) => status === 'rejected')).toHaveLength(3)
      const other = (first + 1) % 4
      const wanted = { ...order(stage, tea ?? ''), batch: `${batch}-${first}` }
      await store.allow(wanted.batch, {})
      await store.leavePlan(its(first))
      const answer = await store.right('ann', wanted)
      if (answer.got !== 'right') throw new Error(`no right: ${answer.got}`)
      await expect(beginAs(other)).rejects.toThrow(
        'from another checkout, or another manifest, 1 job of these is on the way',
      )
      await store.accepted(answer.right, run)
      await store.done(answer.right, { files: [file] }, () => Promise.resolve())
      await beginAs(other)
      const left = await ask<{ address: string; ended: unknown }>(
        'select address, ended is not null as ended from genrun.work where batch = $1 order by address desc',
        [`${batch}-${first}`],
      )
      expect(left).toEqual([tea, jam].map(address => ({ address, ended: true })))
      expect((await store.right('ann', { ...wanted, identity: jam ?? '', address: jam ?? '' })).got).toBe(
        'unwanted',
      )
    },
  },
  {
    name: 'what another batch has on the way or in doubt is not handed out beside it, whatever is known by now of what it is made from',
    async check(stage) {
      const { store, ask, batch } = stage
      const its = (nth: number) => ({
        batch: `${batch}-${nth}`,
        planner: `p${nth}`,
        checkout: `c${nth}`,
        queue: 'q',
      })
      const task = { recipe: { model: 'm', params: { prompt: `push in, ${batch}` } } }
      const clip = (identity: string, needs: string[]) => [
        { identity: `${identity} of ${batch}`, address: 'clip', needs, queue: 'q', task } as never, // names that are good enough here
      ]
      for (const nth of [0, 1]) await store.plan(its(nth))
      await store.allow(its(0).batch, {})
      await store.begin(its(0), clip('frame to come', ['hero']))
      const right = async () => {
        const order = {
          identity: `frame to come of ${batch}`,
          address: 'clip',
          request: 'sha256:0',
          price: 1,
        }
        const answer = await store.right('ann', { ...order, batch: its(0).batch })
        if (answer.got !== 'right') throw new Error(`no right: ${answer.got}`)
        return answer.right
      }
      const sent = await right()
      await expect(store.begin(its(1), clip('frame known', []))).rejects.toThrow(
        '1 job of these is on the way',
      )
      await store.doubt(sent, 'no answer')
      await store.end(its(0).batch, ['clip' as never], { is: 'doubt', detail: 'no answer' })
      const again = clip('frame to come', ['hero'])
      await expect(store.begin(its(1), again)).rejects.toThrow(
        'from another checkout, or another manifest, 1 order of these is in doubt',
      )
      expect(await ask('select from genrun.work where batch = $1', [its(1).batch])).toEqual([])
      await store.begin(its(1), again, { resubmit: true })
      expect(await store.works(its(1).batch)).toMatchObject([{ address: 'clip' }])
    },
  },
  {
    name: 'the rate holds within two in a hundred',
    async check(stage) {
      const { store, other, ask, batch } = stage
      const [perSecond, burst, block] = [200, 200, 2]
      await store.limit(batch, { perSecond, burst })
      const end = new AbortController()
      await store.take(batch, burst, end.signal)
      let taken = burst
      const [{ began } = { began: '' }] = await ask<{ began: string }>(
        `select (tat - interval '1 s' * burst / per_s)::text as began from genrun.rate where account = $1`,
        [batch],
      )
      const takers = [store, other, store, other].map(async by => {
        while (await by.take(batch, block, end.signal)) taken += block
      })
      const elapsed = async () =>
        (
          await ask<{ s: number }>(
            `select extract(epoch from clock_timestamp() - $1::timestamptz)::float8 as s`,
            [began],
          )
        )[0]?.s ?? 0
      while ((await elapsed()) < 1) await systemClock.until(systemClock.now() + 50)
      end.abort()
      await Promise.all(takers)
      expect(taken).toBeLessThanOrEqual(((await elapsed()) * perSecond + burst) * 1.02)
      // However busy the machine was: the row has moved on by what was taken, and by nothing else.
      const [row] = await ask<{ moved: number }>(
        'select extract(epoch from tat - $2::timestamptz)::float8 as moved from genrun.rate where account = $1',
        [batch, began],
      )
      expect(Math.abs((row?.moved ?? 0) * perSecond - taken)).toBeLessThan(0.02 * taken)
      await expect(store.take(batch, burst + 1, new AbortController().signal)).rejects.toThrow('at once')
    },
  },
]
