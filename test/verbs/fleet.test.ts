import { once } from 'node:events'
import { readdirSync, renameSync, rmSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, onTestFinished, test, vi } from 'vitest'
import { openConnections } from '../../src/fleet/connections.ts'
import { openFleet } from '../../src/fleet/fleet.ts'
import { type FleetPlace, fleetStatusOf, runWithFleet, workOn } from '../../src/verbs/fleet.ts'
import { statusOf } from '../../src/verbs/status.ts'
import type { RunRequest } from '../../src/workspace/workspace.ts'
import { type Postgres, postgresFolder, startPostgres } from '../fleet/server.ts'
import { type Bench, manifestName, openBenchWith, paidAt } from './bench.ts'
import { duplicates, openShop, plainLock, rowsOf } from './shards/shop.ts'

vi.setConfig({ testTimeout: 60_000 })

let server: Postgres
let databases = 0

/** A place of its own for the fleet of one test. */
async function openPlace(): Promise<FleetPlace> {
  return { url: await server.database(`fleet${++databases}`), tell: () => undefined }
}

const shared = (bench: Bench): Partial<RunRequest> => ({ cache: { folder: join(bench.folder, 'shared') } })

function planner(bench: Bench, place: FleetPlace, more: Partial<RunRequest> = {}) {
  return runWithFleet(bench.request({ ...shared(bench), ...more }), place)
}

/** So many workers, until the test ends. */
function startWorkers(bench: Bench, place: FleetPlace, many = 2): () => Promise<unknown> {
  const stop = new AbortController()
  const workers = Array.from({ length: many }, () =>
    workOn(bench.request({ ...shared(bench), stop: stop.signal }), place),
  )
  const end = () => {
    stop.abort()
    return Promise.all(workers)
  }
  onTestFinished(async () => void (await end()))
  return end
}

const addressesOf = (bench: Bench, state: string) =>
  (
    JSON.parse(bench.read('m.lock.json')) as { jobs: ({ address: string; state: string } | null)[] }
  ).jobs.flatMap(each => (each?.state === state ? each.address : []))

describe.skipIf(postgresFolder === undefined)('on a real server', () => {
  beforeAll(async () => {
    server = await startPostgres(postgresFolder ?? '')
  })
  afterAll(() => server.end())

  test('a fleet comes to what one run comes to, and a run after it finds everything up to date', async () => {
    const rows = rowsOf(['a', 'b', 'c'])
    const one = await openShop(rows)
    await one.bench.run()
    const { bench, sold } = await openShop(rows)
    const place = await openPlace()
    const end = startWorkers(bench, place)
    expect(await planner(bench, place)).toMatchObject({ got: 'report', report: { exit: 0, paid: 6 } })
    expect([sold.length, duplicates(sold)]).toEqual([6, []])
    expect(await end()).toEqual([{ got: 'ended' }, { got: 'ended' }])
    const plain = (of: Bench) => {
      const { jobs } = JSON.parse(plainLock(of).replaceAll(/127\.0\.0\.1:\d+/g, 'host')) as {
        jobs: unknown[]
      }
      return jobs.map(each => JSON.stringify(each)).toSorted()
    }
    expect(plain(bench)).toEqual(plain(one.bench))
    expect(await bench.run()).toMatchObject({ report: { exit: 0, paid: 0, requests: 0 } })
    expect(await planner(bench, place)).toMatchObject({ report: { exit: 0, paid: 0 } })
    expect(sold).toHaveLength(6)
  })

  test('who stops following leaves the workers at work; nobody buys beside them, and the next hears of all', async () => {
    const { bench, sold } = await openShop(rowsOf(['a', 'b']))
    const place = await openPlace()
    const late = new AbortController()
    const warned: string[] = []
    const emit: RunRequest['emit'] = told => told.event === 'warned' && warned.push(told.message)
    const first = planner(bench, place, { stop: late.signal, emit })
    const standing = () => fleetStatusOf({ manifest: manifestName, cwd: bench.folder }, place)
    await vi.waitFor(
      async () => expect(await standing()).toMatchObject({ status: { jobs: { all: 4 } } }),
      20_000,
    )
    const noWorker = 'no worker is at work on this text of the manifest: start one with genrun work m.yaml'
    await vi.waitFor(() => expect(warned).toEqual([noWorker]), 20_000)
    late.abort()
    expect(await first).toMatchObject({ got: 'report', report: { paid: 0 } })
    expect(warned[1]).toBe(
      '4 jobs wait for a worker: genrun work m.yaml starts one; genrun run m.yaml --fleet follows them again, and takes back what nobody has ordered',
    )
    expect(sold).toEqual([])
    const refused = await bench.run()
    expect(refused).toMatchObject({ got: 'refused', problems: [{ code: 'fleet' }] })
    startWorkers(bench, place)
    await vi.waitFor(
      async () => expect(await standing()).toMatchObject({ status: { jobs: { ended: 4 } } }),
      30_000,
    )
    expect(sold).toHaveLength(4)
    expect(await bench.run()).toMatchObject({ got: 'refused' })
    expect(await planner(bench, place)).toMatchObject({ report: { exit: 0, paid: 0 } })
    expect(addressesOf(bench, 'done')).toHaveLength(4)
    expect(await bench.run()).toMatchObject({ report: { exit: 0, paid: 0, requests: 0 } })
    expect(sold).toHaveLength(4)
  })

  test('who stops following is told what the service has by then, and the lock knows it', async () => {
    const shop = await openShop(`jobs:
  far: { model: fama-imagine-image, mode: submit, prompt: far }
  near: { model: famb-v4, mode: execute, prompt: near }
  late: { model: famb-character, mode: submit, prompt: late, imageUrls: "\${{ jobs.far.output }}" }
`)
    const { bench, sold } = shop
    const place = await openPlace()
    const over = new AbortController()
    onTestFinished(() => over.abort())
    shop.onOrder = prompt =>
      prompt === 'near' ? once(over.signal, 'abort').then(() => 'picture') : undefined
    shop.isOver = () => over.signal.aborted
    startWorkers(bench, place)
    const late = new AbortController()
    const first = planner(bench, place, { stop: late.signal })
    const standing = () => fleetStatusOf({ manifest: manifestName, cwd: bench.folder }, place)
    await vi.waitFor(
      async () => expect(await standing()).toMatchObject({ status: { orders: { ACCEPTED: 1, SENDING: 1 } } }),
      20_000,
    )
    late.abort()
    const goesOn = 'it is paid for: the same command goes on with it and pays nothing for it'
    const waits =
      'it was sent, and whether it is paid for is not known yet: the same command waits for the answer, and sends nothing beside it'
    expect(await first).toMatchObject({
      report: {
        paid: 2,
        jobs: [
          { address: 'far', ending: 'detached', run: 'far', hint: goesOn },
          { address: 'near', ending: 'detached', hint: waits },
          { address: 'late', ending: 'skipped' },
        ],
      },
    })
    expect(statusOf(bench.request())).toMatchObject({
      status: { toBuy: 2, open: [{ address: 'far' }], fleet: true },
    })
    over.abort()
    await vi.waitFor(
      async () => expect(await standing()).toMatchObject({ status: { orders: { DONE: 3 } } }),
      30_000,
    )
    const told: string[] = []
    const emit: RunRequest['emit'] = event => event.event === 'warned' && told.push(event.message)
    expect(await planner(bench, place, { emit })).toMatchObject({ report: { exit: 0, paid: 0 } })
    expect(told.at(-1)).toBe(
      "workers made 1 order since the last run ended: this one's end counts only its own",
    )
    expect(statusOf(bench.request())).not.toHaveProperty('status.fleet')
    expect(sold.toSorted()).toEqual(['far', 'late', 'near'])
  })

  test('an order that has failed since nobody follows is not under way any more, and the one after it is the job’s', async () => {
    const again = 'jobs:\n  rain: { model: famc-t2a, prompt: Rain, duration: 3, retries: 1 }\n'
    const { bench, gateway } = await openBenchWith(again, {
      faults: 'fail on=submit first=1, delay=2000 on=result',
    })
    const place = await openPlace()
    startWorkers(bench, place, 1)
    const late = new AbortController()
    const first = planner(bench, place, { stop: late.signal })
    const orders = async () => {
      const standing = await fleetStatusOf({ manifest: manifestName, cwd: bench.folder }, place)
      return standing.got === 'fleet' ? standing.status.orders : {}
    }
    await vi.waitFor(async () => expect(await orders()).toEqual({ ACCEPTED: 1 }), 20_000)
    late.abort()
    expect(await first).toMatchObject({ report: { paid: 1, jobs: [{ ending: 'detached' }] } })
    await vi.waitFor(async () => expect(await orders()).toEqual({ FAILED: 1, DONE: 1 }), 30_000)
    expect(await planner(bench, place)).toMatchObject({ report: { exit: 0, paid: 0 } })
    expect(await bench.run()).toMatchObject({ report: { exit: 0, requests: 0 } })
    expect(paidAt(gateway)).toBe(2)
  })

  describe('when the job is taken out of the manifest while its run is at the service', () => {
    const two =
      'jobs:\n  rain: { model: famc-t2a, prompt: Rain, duration: 3, retries: 1 }\n  tea: { model: famb-v4, prompt: Tea }\n'
    const one = two.replace(/ {2}rain.*\n/, '')

    async function removed(faults: string) {
      const { bench, gateway } = await openBenchWith(two, { faults })
      const place = await openPlace()
      startWorkers(bench, place, 1)
      const late = new AbortController()
      const first = planner(bench, place, { stop: late.signal })
      await vi.waitFor(async () => {
        const standing = await fleetStatusOf({ manifest: manifestName, cwd: bench.folder }, place)
        expect(standing).toMatchObject({ status: { orders: { ACCEPTED: 1, DONE: 1 } } })
      }, 20_000)
      late.abort()
      await first
      bench.write(manifestName, one)
      return { bench, gateway, result: await planner(bench, place) }
    }

    test('what fails of it is not ordered once more', async () => {
      const { gateway, result } = await removed('fail on=submit first=1, delay=3000 on=result')
      expect(result).toMatchObject({ report: { exit: 0, paid: 0 } })
      expect(paidAt(gateway)).toBe(2)
    })

    test('what comes of it lies in the output folder', async () => {
      const { bench, gateway, result } = await removed('delay=4000 on=result')
      expect(result).toMatchObject({ report: { exit: 0, paid: 0 } })
      expect(paidAt(gateway)).toBe(2)
      expect(readdirSync(join(bench.folder, 'out/m')).toSorted()).toEqual(['.genrun', 'rain.wav', 'tea.png'])
    })
  })

  test('where caps allow nothing it ends without a worker, and a run without the fleet goes on', async () => {
    const { bench, sold } = await openShop(rowsOf(['a']))
    const place = await openPlace()
    const late = new AbortController()
    const first = planner(bench, place, {
      stop: late.signal,
      emit: told => told.event === 'warned' && late.abort(),
    })
    await first
    expect(await bench.run()).toMatchObject({ got: 'refused' })
    expect(await planner(bench, place, { caps: { maxPaid: 0 } })).toMatchObject({
      report: { exit: 6, paid: 0, jobs: [{ failure: { why: 'budget' } }, { failure: { why: 'needs' } }] },
    })
    expect(await bench.run()).toMatchObject({ report: { exit: 0, paid: 2 } })
    expect(sold).toHaveLength(2)
  })

  test('who stops while the store is away is told the end all the same', async () => {
    const shop = await openShop(rowsOf(['a']))
    const place = await openPlace()
    const over = new AbortController()
    onTestFinished(() => over.abort())
    shop.isOver = () => over.signal.aborted
    startWorkers(shop.bench, place, 1)
    const late = new AbortController()
    const told: string[] = []
    const emit: RunRequest['emit'] = event => event.event === 'warned' && told.push(event.message)
    const following = planner(shop.bench, place, { stop: late.signal, emit })
    await vi.waitFor(() => expect(shop.sold).toEqual(['Teapot a']), 20_000)
    await server.crash()
    onTestFinished(() => server.start())
    late.abort()
    expect(await following).toMatchObject({
      report: { jobs: [{ ending: 'skipped' }, { ending: 'skipped' }] },
    })
    expect(told.at(-1)).toMatch(
      /^the fleet’s store did not answer in time: workers may be at work on 2 jobs;/,
    )
    await server.start()
    over.abort()
    expect(await planner(shop.bench, place)).toMatchObject({ report: { exit: 0 } })
    expect(shop.sold).toHaveLength(2)
  })

  test('what all of them may spend together is exact, and counts for each run', async () => {
    const { bench, sold } = await openShop(rowsOf(['a', 'b', 'c', 'd']))
    const place = await openPlace()
    startWorkers(bench, place)
    for (const bought of [3, 6])
      expect([
        await planner(bench, place, { caps: { maxPaid: 3 } }),
        sold.length,
        duplicates(sold),
      ]).toMatchObject([{ report: { paid: 3 } }, bought, []])
    const around = { manifest: manifestName, cwd: bench.folder }
    expect(await fleetStatusOf(around, place)).toMatchObject({
      status: { jobs: { all: 5, ended: 5, skipped: 2 } },
    })
    expect(await planner(bench, place)).toMatchObject({ report: { exit: 0, paid: 2 } })
  })

  test('what a worker has put into the cache is not put there once more by whoever plans', async () => {
    const { bench } = await openShop(rowsOf(['a']))
    const place = await openPlace()
    const stop = new AbortController()
    const working = workOn(bench.request({ ...shared(bench), verify: 'off', stop: stop.signal }), place)
    expect(await planner(bench, place, { verify: 'off' })).toMatchObject({ report: { exit: 0, paid: 2 } })
    stop.abort()
    await working
    const connections = await openConnections(place.url ?? '')
    onTestFinished(() => connections.close())
    const ends = await connections.ask<{ at: number }>(
      'select 1000 * extract(epoch from max(ended_at))::float8 as at from genrun.work',
    )
    const results = join(bench.folder, 'shared/results')
    const written = readdirSync(results).map(name => statSync(join(results, name)).mtimeMs)
    expect(written).toHaveLength(2)
    expect(Math.max(...written)).toBeLessThan(ends[0]?.at ?? 0)
  })

  test('two jobs that ask for the same have one each', async () => {
    const { bench, sold } = await openShop(`jobs:
  left: { model: fama-imagine-image, mode: submit, prompt: tea }
  right: { model: fama-imagine-image, mode: submit, prompt: tea }
`)
    const place = await openPlace()
    startWorkers(bench, place)
    await planner(bench, place)
    expect(sold).toEqual(['tea', 'tea'])
  })

  test('an order without an answer is in doubt in the lock, and what needs it is not bought', async () => {
    const shop = await openShop(rowsOf(['a', 'b']))
    const { bench, sold } = shop
    shop.onOrder = prompt => (prompt === 'Teapot a' ? 'drop' : undefined)
    const place = await openPlace()
    startWorkers(bench, place)
    expect(await planner(bench, place)).toMatchObject({ report: { exit: 3 } })
    expect(sold.toSorted()).toEqual(['Blue teapot b', 'Teapot a', 'Teapot b'])
    expect(addressesOf(bench, 'doubt')).toEqual(['still[a]'])
    const doubts = [{ address: 'still[a]', inLock: true }]
    expect(await fleetStatusOf({ manifest: manifestName, cwd: bench.folder }, place)).toMatchObject({
      doubts,
    })
    expect(await planner(bench, place)).toMatchObject({ report: { exit: 3, paid: 0 } })
    expect(sold).toHaveLength(3)
  })

  test('an answer that lies with a worker that is gone is in doubt, with its ways out, and the worker’s disk brings it', async () => {
    const shop = await openShop('jobs:\n  tea: { model: fama-imagine-image, mode: execute, prompt: tea }\n')
    const { bench, sold } = shop
    const place = await openPlace()
    shop.onOrder = () => 'picture'
    // Its answer is there, and cannot be shared.
    bench.write('full', '')
    const stop = new AbortController()
    const told: string[] = []
    const away = workOn(bench.request({ cache: { folder: join(bench.folder, 'full') }, stop: stop.signal }), {
      ...place,
      tell: text => void told.push(text),
    })
    const first = planner(bench, place)
    await vi.waitFor(() => expect(told.join()).toContain('tea: '), 20_000)
    stop.abort()
    await away
    const disk = join(bench.folder, '.genrun/.workers')
    renameSync(disk, `${disk}-away`)
    const end = startWorkers(bench, place, 1)
    const message = expect.stringContaining(disk) as string
    for (const run of [() => first, () => planner(bench, place), () => bench.run()])
      expect(await run()).toMatchObject({ report: { exit: 3, jobs: [{ ending: 'doubt', message }] } })
    const remedy = expect.stringContaining('--resubmit, or --abandon') as string
    expect(statusOf(bench.request())).toMatchObject({ status: { open: [{ address: 'tea', remedy }] } })
    await end()
    rmSync(disk, { recursive: true })
    renameSync(`${disk}-away`, disk)
    // A worker for another store knows nothing of it, and leaves it where it is.
    const stranger = new AbortController()
    const begun = () => stranger.abort()
    await workOn(bench.request({ ...shared(bench), stop: stranger.signal }), {
      ...(await openPlace()),
      begun,
    })
    startWorkers(bench, place, 1)
    const standing = () => fleetStatusOf({ manifest: manifestName, cwd: bench.folder }, place)
    await vi.waitFor(
      async () => expect(await standing()).toMatchObject({ status: { orders: { DONE: 1 } } }),
      20_000,
    )
    expect(await planner(bench, place)).toMatchObject({ report: { exit: 0, paid: 0 } })
    expect([addressesOf(bench, 'done'), sold]).toEqual([['tea'], ['tea']])
  })

  test('a worker whose folder is taken away stops by itself, and another one goes on with what it has ordered', async () => {
    const shop = await openShop(rowsOf(['a', 'b']))
    const { bench, sold } = shop
    const place = await openPlace()
    shop.onLook = () => rmSync(join(bench.folder, '.genrun/.workers'), { recursive: true, force: true })
    const first = workOn(bench.request(shared(bench)), place)
    const run = planner(bench, place)
    await vi.waitFor(() => expect(sold.length).toBeGreaterThan(0), 20_000)
    expect(await first).toMatchObject({ got: 'damaged' })
    shop.onLook = () => undefined
    startWorkers(bench, place, 1)
    expect(await run).toMatchObject({ report: { exit: 0, paid: 4 } })
    expect([sold.length, duplicates(sold)]).toEqual([4, []])
  })

  test('what failed and may not be ordered once more has failed, as in any run', async () => {
    const again = 'jobs:\n  rain: { model: famc-t2a, prompt: Rain, duration: 3, retries: 2 }\n'
    const ends = async (isFleet: boolean) => {
      const { bench, gateway } = await openBenchWith(again, { faults: 'fail on=submit' })
      const place = await openPlace()
      if (isFleet) startWorkers(bench, place)
      const caps = { maxPaid: 2 }
      const result = isFleet ? await planner(bench, place, { caps }) : await bench.run({ caps })
      expect(paidAt(gateway)).toBe(2)
      const { report } = result as Extract<typeof result, { got: 'report' }>
      const { exit, paid, cost, jobs } = report
      return { exit, paid, cost, endings: jobs.map(({ ending }) => ending) }
    }
    const one = await ends(false)
    expect(one).toMatchObject({ exit: 1, paid: 2, endings: ['failed'] })
    expect(await ends(true)).toEqual(one)
  })

  describe('when of two files one came', () => {
    const clips = (shortDelivery: string) => `jobs:
  still: { model: fama-imagine-image, mode: execute, prompt: tea, count: 2, shortDelivery: ${shortDelivery} }
  clip:
    matrix: { shot: "\${{ jobs.still.outputs }}" }
    model: famc-v3-turbo
    mode: submit
    prompt: It moves
    startFrame: \${{ matrix.shot }}
    duration: 3
`

    async function ran(shortDelivery: string) {
      const faults = 'short=1 first=1 on=execute'
      const { bench, gateway } = await openBenchWith(clips(shortDelivery), { faults })
      const place = await openPlace()
      startWorkers(bench, place)
      return { bench, gateway, place, result: await planner(bench, place) }
    }

    test('what is made from the other one is skipped, and the run comes to its end', async () => {
      const { bench, gateway, place, result } = await ran('fail')
      expect(result).toMatchObject({
        report: {
          exit: 1,
          paid: 2,
          jobs: [
            { address: 'still', ending: 'made', message: '1 of 2 files were delivered' },
            { address: 'clip[1]', ending: 'made' },
            { address: 'clip[2]', ending: 'skipped', failure: { why: 'needs', address: 'still' } },
          ],
        },
      })
      expect(paidAt(gateway)).toBe(2)
      expect(await planner(bench, place)).toMatchObject({ report: { exit: 1, paid: 0 } })
    })

    test('the other one is ordered where the job wants that, and what is made from it is made', async () => {
      const { bench, gateway, place, result } = await ran('top-up')
      expect(result).toMatchObject({ report: { exit: 0, paid: 4 } })
      expect(paidAt(gateway)).toBe(4)
      expect(await planner(bench, place)).toMatchObject({ report: { exit: 0, paid: 0 } })
    })
  })

  test('a worker whose store is another one by now says so', async () => {
    const { bench } = await openShop(rowsOf(['a']))
    const place = await openPlace()
    const begun = new AbortController()
    const stop = new AbortController()
    onTestFinished(() => stop.abort())
    const worker = workOn(bench.request({ ...shared(bench), stop: stop.signal }), {
      ...place,
      begun: () => begun.abort(),
    })
    await once(begun.signal, 'abort')
    const connections = await openConnections(place.url ?? '')
    onTestFinished(() => connections.close())
    await connections.ask('drop schema genrun cascade')
    expect(await worker).toMatchObject({
      got: 'refused',
      problems: [{ code: 'fleet', message: expect.stringContaining('answers') as string }],
    })
  })

  test('of orders in another store than the one of then no standing is told', async () => {
    const { bench } = await openShop(rowsOf(['a']))
    const place = await openPlace()
    await planner(bench, place, { stop: AbortSignal.timeout(1_500) })
    const standing = (its: FleetPlace) => fleetStatusOf({ manifest: manifestName, cwd: bench.folder }, its)
    expect(await standing(place)).toMatchObject({ got: 'fleet' })
    expect(await standing(await openPlace())).toMatchObject({
      got: 'refused',
      problems: [{ message: expect.stringContaining('is in another store than the one') as string }],
    })
  })

  test('no word about the store holds its password', async () => {
    const { bench } = await openShop(rowsOf(['a']))
    for (const url of [
      'postgres://ann:s3cretword@127.0.0.1:1/nothing',
      'mysql://ann:s3cretword@127.0.0.1/x',
      'postgres://ann:s3cretword@[bad/x',
    ]) {
      const told: string[] = []
      const opening = openFleet(url, trouble => void told.push(String(trouble)))
      const ended = url.includes(':1/') ? undefined : await opening.catch((error: unknown) => error)
      void opening.catch(() => undefined)
      expect([String(ended), ...told].join('\n')).not.toContain('s3cretword')
    }
    const result = await planner(bench, { url: 'mysql://ann:s3cretword@127.0.0.1/x', tell: () => undefined })
    expect(JSON.stringify(result)).toContain('no address of a PostgreSQL')
    expect(JSON.stringify(result)).not.toContain('s3cretword')
  })
})
