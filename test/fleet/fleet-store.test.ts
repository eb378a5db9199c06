import { afterAll, beforeAll, describe, expect, onTestFinished, test } from 'vitest'
import { systemClock } from '../../src/base/clock.ts'
import type { JobAddress } from '../../src/base/names.ts'
import { openConnections } from '../../src/fleet/connections.ts'
import { openFleetStore } from '../../src/fleet/fleet-store.ts'
import { fleetSql } from '../../src/fleet/schema.ts'
import { FleetStoreError } from '../../src/fleet/trouble.ts'
import { type Breakage, breakages } from './breakages.ts'
import { cases, hasty, planner, type Stage } from './contract.ts'
import { type Postgres, postgresFolder, startPostgres } from './server.ts'

let server: Postgres
let [shared, broken] = ['', '']
let stores: Stores

describe.skipIf(postgresFolder === undefined)(
  'on a real server (skipped where postgres and initdb are not)',
  () => {
    beforeAll(async () => {
      server = await startPostgres(postgresFolder ?? '')
      shared = await server.database('shared')
      broken = await server.database('broken')
      stores = await openStores(shared)
    })
    afterAll(async () => {
      await stores.close()
      await server.end()
    })

    test.each(cases)('$name', async ({ check }) => {
      await check(await stageOf(shared, stores))
    })

    test.each(breakages)('it is noticed when $name', async ({ breaks, ...breakage }) => {
      const noticing = cases.filter(({ name }) => name.includes(breaks))
      expect(noticing).toHaveLength(1)
      if (breakage.sql) await empty()
      const url = breakage.sql ? broken : shared
      const weaker = await openStores(url, breakage)
      onTestFinished(weaker.close)
      const stage = await stageOf(url, weaker)
      await expect(noticing[0]?.check(stage)).rejects.toThrow(/expected|no right|instead of rejecting/)
      // The case may have ended while it was down.
      await server.start()
    })

    test('many that open it at once make one schema, and another version of it is left alone', async () => {
      await empty()
      const opened = Array.from({ length: 4 }, () => openFleetStore(broken, { clock: hasty }))
      await Promise.all(opened.map(async each => (await each).close()))
      const connections = await openConnections(broken)
      onTestFinished(() => connections.close())
      await connections.ask('update genrun.version set version = 6')
      await expect(openFleetStore(broken)).rejects.toThrow('is of version 6, and this genrun works with 5')
    })

    test('one of many is found by its whole key, also by a plan that was made before there were any', async () => {
      const url = await server.database('young')
      await (await openFleetStore(url, { clock: hasty })).close()
      const connections = await openConnections(url)
      onTestFinished(() => connections.close())
      const { handed, standing, hear, unheard, beat } = fleetSql.statements
      for (const [statement, ...values] of [
        [handed, "'b'", "array['j7']"],
        [standing, "'b'", "'i7'"],
        [hear, 'array[now(),now()]', "array['p7','p8']", "array['DONE','DONE']", "'b'", "'pat'"],
        [unheard, "'b'", 'now()', "'p7'", '2000', 'true'],
        [beat, "'ann'", "array['p7','p8']", 'array[gen_random_uuid(),gen_random_uuid()]'],
      ] as const) {
        const filled = values.reduce((text, value, nth) => text.replaceAll(`$${nth + 1}`, value), statement)
        const lines = await connections.ask<{ 'QUERY PLAN': string }>(`explain ${filled}`)
        const plan = lines.map(line => line['QUERY PLAN']).join('\n')
        expect(plan).toContain('Index Cond')
        expect(plan).not.toMatch(
          /Filter: .*\b(batch|identity|address|purchase)\b|Seq Scan on (purchase|work|unheard)/,
        )
      }
    })

    test('a server that keeps nothing through a crash, and one that does not know us, are refused at once', async () => {
      const admin = await openConnections(server.adminUrl)
      onTestFinished(() => admin.close())
      const isOff = async (state: string) => {
        await admin.ask(`alter system set fsync = ${state}`)
        await admin.ask('select pg_reload_conf()')
        while ((await admin.ask<{ fsync: string }>('show fsync'))[0]?.fsync !== state)
          await systemClock.until(systemClock.now() + 10)
      }
      await isOff('off')
      await expect(openFleetStore(shared)).rejects.toThrow('its fsync is off')
      await isOff('on')
      const stranger = shared.replace('worker@', 'nobody:secret@')
      const refused = await openFleetStore(stranger).catch((error: unknown) => error)
      expect(refused).toBeInstanceOf(FleetStoreError)
      expect(String(refused)).not.toContain('secret')
    })

    test('however many wait for a server that is away, it is no leak', async () => {
      const own = await openStores(shared)
      onTestFinished(own.close)
      const warned: unknown[] = []
      const hear = (warning: unknown) => void warned.push(warning)
      process.on('warning', hear)
      onTestFinished(() => void process.off('warning', hear))
      await server.crash()
      const all = Array.from({ length: 30 }, () => own.store.status('nothing'))
      await systemClock.until(systemClock.now() + 300)
      await server.start()
      await Promise.all(all)
      expect(warned).toEqual([])
    })

    test('who closes it gives up what is being repeated, and is told so', async () => {
      const own = await openStores(shared)
      onTestFinished(own.close)
      const { store, batch } = await stageOf(shared, own)
      const wanted = { batch, identity: 'tea', address: 'tea', request: '', price: 1 }
      const tea = { address: 'tea' as JobAddress, identity: 'tea', queue: 'q', needs: [], task: {} }
      await store.begin({ batch, planner }, [tea])
      const answer = await store.right('ann', wanted)
      if (answer.got !== 'right') throw new Error(answer.got)
      await store.close()
      expect(await store.accepted(answer.right, { workflow: 'w', id: 'r' as never })).toBe('unrecorded')
      expect(await store.right('ann', wanted)).toEqual({ got: 'no answer' })
    })
  },
)

let batches = 0

/** Of whatever an earlier one made of it. */
async function empty(): Promise<void> {
  const connections = await openConnections(broken)
  await connections.ask('drop schema if exists genrun cascade')
  await connections.close()
}

interface Stores extends Pick<Stage, 'store' | 'other' | 'ask' | 'troubles'> {
  readonly close: () => Promise<void>
}

async function openStores(url: string, { sql = fleetSql, weaken }: Partial<Breakage> = {}): Promise<Stores> {
  const troubles: unknown[] = []
  const options = { clock: hasty, sql, tell: (trouble: unknown) => void troubles.push(trouble) }
  const store = await openFleetStore(url, options)
  const other = await openFleetStore(url, options)
  const connections = await openConnections(`${url}&application_name=witness`)
  return {
    store: weaken?.(store, url) ?? store,
    other: weaken?.(other, url) ?? other,
    ask: connections.ask,
    troubles,
    close: async () => void (await Promise.all([store.close(), other.close(), connections.close()])),
  }
}

async function stageOf(url: string, stores: Stores): Promise<Stage> {
  const batch = `batch${++batches}`
  stores.troubles.length = 0
  // What other stages handed out comes to the same.
  await stores.ask('delete from genrun.work')
  await stores.ask(`delete from genrun.purchase where state = 'DOUBT'`)
  await stores.store.allow(batch, {})
  await stores.store.join('ann', 'q')
  await stores.store.plan({ batch, planner, checkout: 'here', queue: batch })
  return { ...stores, server, url, batch }
}
