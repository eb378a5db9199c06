import { cpSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, onTestFinished, test, vi } from 'vitest'
import { openConnections } from '../../../src/fleet/connections.ts'
import { fleetStatusOf, runWithFleet, workOn } from '../../../src/verbs/fleet.ts'
import { planBesideFleet } from '../../../src/verbs/plan-beside-fleet.ts'
import { runManifest } from '../../../src/verbs/run.ts'
import type { RunRequest } from '../../../src/workspace/workspace.ts'
import { type Postgres, postgresFolder, startPostgres } from '../../fleet/server.ts'
import { manifestName } from '../../verbs/bench.ts'
import { duplicates, openShop, rowsOf } from '../../verbs/shards/shop.ts'

vi.setConfig({ testTimeout: 60_000 })

let server: Postgres
let databases = 0

function folderOfTest(): string {
  const folder = mkdtempSync(join(tmpdir(), 'genrun-beside-'))
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }))
  return folder
}

/** A project with its fleet: checkouts of it, each a folder of its own, on one store and one cache. */
async function openStudio(manifest: string) {
  const shop = await openShop(manifest)
  const { bench, sold } = shop
  const url = await server.database(`beside${++databases}`)
  const tell = () => undefined
  const cache = { folder: folderOfTest() }
  const request = (folder: string, more: Partial<RunRequest>) =>
    bench.request({ cwd: folder, cache, store: url, ...more })
  return {
    bench,
    sold,
    url,
    onOrder: (answers: typeof shop.onOrder) => void (shop.onOrder = answers),
    areRunsOver: (isOver: typeof shop.isOver) => void (shop.isOver = isOver),
    plain: (more: Partial<RunRequest> = {}, folder = bench.folder) => runManifest(request(folder, more)),
    fleet: (more: Partial<RunRequest> = {}, folder = bench.folder) =>
      runWithFleet(request(folder, more), { url: more.store ?? url, tell }),
    standing: (folder = bench.folder) =>
      fleetStatusOf({ manifest: manifestName, cwd: folder }, { url, tell }),
    /** Until the test ends, or earlier. */
    startWorker(more: Partial<RunRequest> = {}): () => Promise<unknown> {
      const stop = new AbortController()
      const working = workOn(request(bench.folder, { stop: stop.signal, ...more }), { url, tell })
      const end = () => {
        stop.abort()
        return working
      }
      onTestFinished(async () => void (await end()))
      return end
    },
    /** Another checkout: what git has of it, and of the folder with the state only what is named. */
    checkout(...names: string[]): string {
      const folder = folderOfTest()
      for (const name of [manifestName, ...names])
        cpSync(join(bench.folder, name), join(folder, name), { recursive: true })
      return folder
    },
  }
}

type Studio = Awaited<ReturnType<typeof openStudio>>

/** Hands out, and stops following before anybody has made anything. */
async function handOut(studio: Studio, many: number, folder?: string): Promise<void> {
  const stop = new AbortController()
  const running = studio.fleet({ stop: stop.signal }, folder)
  await vi.waitFor(
    async () =>
      expect(await studio.standing(folder)).toMatchObject({ status: { jobs: { all: many, ended: 0 } } }),
    20_000,
  )
  stop.abort()
  await running
}

const refused = (message: string) => ({
  got: 'refused',
  problems: [{ code: 'fleet', message: expect.stringContaining(message) as string }],
})
const nothingPaid = { got: 'report', report: { exit: 0, paid: 0 } }

describe.skipIf(postgresFolder === undefined)('on a real server', () => {
  beforeAll(async () => {
    server = await startPostgres(postgresFolder ?? '')
  })
  afterAll(() => server.end())

  test('in another checkout, and where the state is lost, nobody buys beside the fleet', async () => {
    const studio = await openStudio(rowsOf(['a']))
    const end = studio.startWorker()
    await studio.fleet()
    await end()
    studio.bench.write(manifestName, rowsOf(['a', 'b', 'c']))
    const clone = studio.checkout('m.lock.json')
    await handOut(studio, 4)
    for (const folder of [clone, studio.bench.folder])
      expect(await studio.plain({}, folder)).toMatchObject(refused('may be at work on it'))
    studio.bench.remove('.genrun/m')
    expect(await studio.plain()).toMatchObject(refused('may be at work on it'))
    studio.startWorker()
    await vi.waitFor(
      async () => expect(await studio.standing(clone)).toMatchObject({ status: { jobs: { ended: 4 } } }),
      30_000,
    )
    expect(studio.sold).toHaveLength(6)
    const planned = { manifest: manifestName, cwd: clone, store: studio.url }
    const beside = { code: 'fleet', message: expect.stringContaining('bought 4 results') as string }
    expect(await planBesideFleet(planned)).toMatchObject({ got: 'plan', obstacles: [beside] })
    // The lock of the clone knows nothing of it, nor does the one whose state is gone.
    expect(await studio.plain({ cache: undefined } as never, clone)).toMatchObject(
      refused('bought 4 results'),
    )
    expect(await studio.fleet({}, clone)).toMatchObject(nothingPaid)
    expect(await studio.plain({}, clone)).toMatchObject(nothingPaid)
    expect(await studio.fleet()).toMatchObject(nothingPaid)
    expect(await studio.plain()).toMatchObject(nothingPaid)
    expect([studio.sold.length, duplicates(studio.sold)]).toEqual([6, []])
  })

  test('from two checkouts without a lock the same is bought once', async () => {
    const studio = await openStudio(rowsOf(['a', 'b']))
    const [clone, other] = [studio.checkout(), studio.checkout()]
    const stop = new AbortController()
    const first = studio.fleet({ stop: stop.signal })
    const standing = () => studio.standing()
    await vi.waitFor(
      async () => expect(await standing()).toMatchObject({ status: { jobs: { all: 4 } } }),
      20_000,
    )
    expect(await studio.fleet({}, clone)).toMatchObject(
      refused('from another checkout, or another manifest, 4 jobs of these'),
    )
    expect(await studio.plain({}, other)).toMatchObject(
      refused('another checkout has handed this very manifest'),
    )
    stop.abort()
    await first
    // Nobody plans those any more, and nobody has ordered them.
    const second = studio.fleet({}, clone)
    await vi.waitFor(
      async () => expect(await studio.standing(clone)).toMatchObject({ status: { jobs: { all: 4 } } }),
      20_000,
    )
    studio.startWorker()
    expect(await second).toMatchObject({ got: 'report', report: { exit: 0, paid: 4 } })
    expect(await studio.fleet({ caps: { maxPaid: 0 } })).toMatchObject({ got: 'report' })
    expect([studio.sold.length, duplicates(studio.sold)]).toEqual([4, []])
  })

  test.each(['a lock', 'no lock'])(
    'while a run without the fleet buys, nobody hands that out or buys it in another checkout, with %s',
    async records => {
      const studio = await openStudio(rowsOf(['a']))
      if (records === 'a lock') await studio.plain()
      const bought = studio.sold.length
      studio.bench.write(manifestName, rowsOf(['a', 'b', 'c']))
      const clone = records === 'a lock' ? studio.checkout('m.lock.json') : studio.checkout()
      const answers: (() => void)[] = []
      studio.onOrder(() => new Promise(resolve => answers.push(() => resolve(undefined))))
      const running = studio.plain()
      await vi.waitFor(() => expect(answers.length).toBeGreaterThan(0), 20_000)
      expect(await studio.fleet({}, clone)).toMatchObject({ got: 'busy' })
      expect(await studio.plain({}, clone)).toMatchObject(
        refused(records === 'a lock' ? 'somebody is at work on it just now' : 'another checkout'),
      )
      // What looks only says nothing of it here.
      expect(
        await planBesideFleet({ manifest: manifestName, cwd: studio.bench.folder, store: studio.url }),
      ).toMatchObject({ obstacles: [] })
      studio.onOrder(() => undefined)
      for (const answer of answers) answer()
      expect(await running).toMatchObject({ report: { exit: 0 } })
      expect([studio.sold.length > bought, duplicates(studio.sold)]).toEqual([true, []])
      // And then it may be planned from there.
      expect(await studio.fleet({ stop: AbortSignal.timeout(1_000) }, clone)).not.toMatchObject({
        got: 'busy',
      })
    },
  )

  /** Two checkouts that have bought rows, each for itself, and know nothing of each other: locks of two lineages. */
  async function openStrangers(mine: string[], theirs: string[], text: string) {
    const studio = await openStudio(rowsOf(mine))
    const other = studio.checkout()
    await studio.plain()
    writeFileSync(join(other, manifestName), rowsOf(theirs))
    expect(await studio.plain({}, other)).toMatchObject({ report: { exit: 0, paid: 2 * theirs.length } })
    for (const folder of [studio.bench.folder, other]) writeFileSync(join(folder, manifestName), text)
    studio.sold.length = 0
    return { studio, other }
  }

  const abc = rowsOf(['a', 'b', 'c'])
  const elsewhere = refused('another checkout has handed this very manifest')

  test('beside the fleet of another lineage nothing is bought', async () => {
    const { studio, other } = await openStrangers(['a'], ['a'], abc)
    await handOut(studio, 4)
    expect(await studio.plain({}, other)).toMatchObject(elsewhere)
    const planned = { manifest: manifestName, cwd: other, store: studio.url }
    expect(await planBesideFleet(planned)).toMatchObject({ obstacles: elsewhere.problems })
    // Another text is another matter.
    writeFileSync(join(other, manifestName), rowsOf(['a', 'b']))
    expect(await planBesideFleet(planned)).toMatchObject({ obstacles: [] })
    expect(studio.sold).toEqual([])
  })

  test('what needs no order is done beside the fleet of another lineage', async () => {
    const { studio, other } = await openStrangers(['a'], ['a', 'b'], rowsOf(['a', 'b']))
    await handOut(studio, 2)
    expect(await studio.plain({}, other)).toMatchObject(nothingPaid)
    const planned = { manifest: manifestName, cwd: other, store: studio.url }
    expect(await planBesideFleet(planned)).toMatchObject({ obstacles: [] })
  })

  test('what fails meanwhile is not ordered once more beside the fleet of another lineage', async () => {
    const text = 'jobs:\n  tea: { model: fama-imagine-image, mode: submit, prompt: tea, retries: 1 }\n'
    const { studio, other } = await openStrangers(['a'], ['a'], text)
    studio.onOrder(() => 'fail')
    studio.areRunsOver(() => false)
    const stop = new AbortController()
    const running = studio.plain({ stop: stop.signal }, other)
    await vi.waitFor(() => expect(studio.sold).toHaveLength(1), 20_000)
    stop.abort()
    await running
    await handOut(studio, 1)
    studio.areRunsOver(() => true)
    expect(await studio.plain({}, other)).toMatchObject({ got: 'report', report: { paid: 0 } })
    expect(studio.sold).toEqual(['tea'])
  })

  test('while a run of another lineage buys by itself nobody hands the same out or buys it', async () => {
    const { studio, other } = await openStrangers(['a'], ['a'], abc)
    const answers: (() => void)[] = []
    studio.onOrder(() => new Promise(resolve => answers.push(() => resolve(undefined))))
    const running = studio.plain({}, other)
    await vi.waitFor(() => expect(answers.length).toBeGreaterThan(0), 20_000)
    expect(await studio.fleet()).toMatchObject({ got: 'busy' })
    expect(await studio.plain()).toMatchObject(elsewhere)
    studio.onOrder(() => undefined)
    for (const answer of answers) answer()
    expect(await running).toMatchObject({ report: { exit: 0, paid: 4 } })
    expect([studio.sold.length, duplicates(studio.sold)]).toEqual([4, []])
  })

  test('of two lineages that begin at once one buys at most', async () => {
    const { studio, other } = await openStrangers(['a'], ['a'], abc)
    const began = await Promise.all([studio.plain(), studio.plain({}, other)])
    expect(began.map(({ got }) => got)).toContain('refused')
    expect(duplicates(studio.sold)).toEqual([])
  })

  test('what a folder handed out before its records were lost is taken back by a run with the fleet', async () => {
    const { studio } = await openStrangers(['a'], ['a'], abc)
    await handOut(studio, 4)
    for (const name of ['m.lock.json', 'out']) studio.bench.remove(name)
    for (const name of readdirSync(join(studio.bench.folder, '.genrun/m')))
      if (name !== 'fleet.json') studio.bench.remove(`.genrun/m/${name}`)
    const withFleet = expect.stringContaining('genrun run m.yaml --fleet, which orders nothing') as string
    expect(await studio.plain()).toMatchObject({ problems: [{ hint: withFleet }] })
    expect(await studio.plain()).toMatchObject({
      problems: [{ hint: expect.not.stringContaining('unset GENRUN_STORE') as string }],
    })
    const running = studio.fleet()
    // Beside what a worker orders of what was handed out before, the run would be refused.
    await vi.waitFor(
      async () => expect(await studio.standing()).toMatchObject({ status: { jobs: { all: 6 } } }),
      20_000,
    )
    studio.startWorker()
    expect(await running).toMatchObject({ report: { exit: 0, paid: 6 } })
    expect(await studio.plain()).toMatchObject(nothingPaid)
    expect([studio.sold.length, duplicates(studio.sold)]).toEqual([6, []])
  })

  test('a run without the fleet buys nothing more once somebody else has its batch', async () => {
    const studio = await openStudio(rowsOf(['a', 'b', 'c']))
    const connections = await openConnections(studio.url)
    onTestFinished(() => connections.close())
    const answers: (() => void)[] = []
    studio.onOrder(() => new Promise(resolve => answers.push(() => resolve(undefined))))
    const warned: string[] = []
    const emit: RunRequest['emit'] = told => void (told.event === 'warned' && warned.push(told.message))
    const running = studio.plain({ emit })
    await vi.waitFor(() => expect(answers.length).toBeGreaterThan(0), 20_000)
    const sent = studio.sold.length
    await connections.ask("update genrun.batch set planner = 'eve'")
    await vi.waitFor(() => expect(warned.join()).toContain('nothing more is bought'), 10_000)
    studio.onOrder(() => undefined)
    for (const answer of answers) answer()
    await running
    expect(studio.sold).toHaveLength(sent)
  })

  test('what is in doubt elsewhere is not ordered by a checkout that has no lock, unless somebody says so', async () => {
    const studio = await openStudio(rowsOf(['a']))
    studio.onOrder(prompt => (prompt === 'Teapot a' ? 'drop' : undefined))
    studio.startWorker()
    expect(await studio.fleet()).toMatchObject({ report: { exit: 3 } })
    const clone = studio.checkout()
    expect(await studio.fleet({}, clone)).toMatchObject({
      got: 'refused',
      problems: [
        {
          message:
            'from another checkout, or another manifest, 1 order of these is in doubt: paid for, perhaps',
        },
      ],
    })
    expect(await studio.plain({}, clone)).toMatchObject(
      refused('another checkout has handed this very manifest'),
    )
    expect(studio.sold).toEqual(['Teapot a'])
    studio.onOrder(() => undefined)
    const choices = { failed: false, rebuy: false, resubmit: true }
    expect(await studio.fleet({ choices }, clone)).toMatchObject({ report: { exit: 0, paid: 2 } })
  })

  test('what an edit handed out and nobody ordered is taken back by the next run with the fleet', async () => {
    const studio = await openStudio(rowsOf(['a']))
    studio.startWorker()
    expect(await studio.fleet()).toMatchObject({ report: { exit: 0, paid: 2 } })
    studio.bench.edit(manifestName, 'Teapot', 'Kettle')
    await handOut(studio, 2)
    studio.bench.edit(manifestName, 'Kettle', 'Teapot')
    expect(await studio.fleet()).toMatchObject(nothingPaid)
    // A worker on the text of then finds nothing to make.
    studio.bench.edit(manifestName, 'Teapot', 'Kettle')
    const end = studio.startWorker()
    await new Promise(resolve => setTimeout(resolve, 1_500))
    await end()
    studio.bench.edit(manifestName, 'Kettle', 'Teapot')
    expect(await studio.plain()).toMatchObject(nothingPaid)
    expect(studio.sold).toHaveLength(2)
  })

  test('the cap of the run that follows counts, whatever the one before it allowed', async () => {
    const studio = await openStudio(rowsOf(['a', 'b']))
    await handOut(studio, 4)
    await studio.fleet({ caps: { maxPaid: 0 }, stop: AbortSignal.timeout(2_000) })
    studio.startWorker()
    expect(await studio.fleet({ caps: { maxPaid: 0 } })).toMatchObject({ report: { paid: 0 } })
    expect(studio.sold).toEqual([])
    expect(await studio.fleet({ caps: { maxPaid: 3 } })).toMatchObject({ report: { paid: 3 } })
    expect(studio.sold).toHaveLength(3)
  })

  test('what its queue has lost is handed out once more, while nothing else ends', async () => {
    const studio = await openStudio(rowsOf(['a']))
    const running = studio.fleet()
    await vi.waitFor(
      async () => expect(await studio.standing()).toMatchObject({ status: { jobs: { all: 2 } } }),
      20_000,
    )
    const connections = await openConnections(studio.url)
    onTestFinished(() => connections.close())
    const lost = () => connections.ask('delete from bullmq.job returning 1')
    await vi.waitFor(async () => expect(await lost()).toHaveLength(1), 10_000)
    studio.startWorker()
    expect(await running).toMatchObject({ report: { paid: 2 } })
    expect(studio.sold).toHaveLength(2)
  })

  test('what a worker orders while the next run waits for it counts against the cap of that run', async () => {
    const studio = await openStudio(
      'jobs:\n  tea: { model: fama-imagine-image, mode: submit, prompt: tea, retries: 1 }\n',
    )
    let fail: ((answer: 'fail') => void) | undefined
    studio.onOrder(() => new Promise(resolve => (fail = resolve)))
    studio.startWorker()
    const stop = new AbortController()
    const first = studio.fleet({ stop: stop.signal })
    await vi.waitFor(() => expect(studio.sold).toHaveLength(1), 20_000)
    stop.abort()
    await first
    const second = studio.fleet({ caps: { maxPaid: 0 } })
    const connections = await openConnections(studio.url)
    onTestFinished(() => connections.close())
    const caps = () => connections.ask('select max_orders from genrun.budget')
    await vi.waitFor(async () => expect(await caps()).toEqual([{ max_orders: 1 }]), 10_000)
    fail?.('fail')
    expect(await second).toMatchObject({ got: 'report', report: { paid: 0 } })
    expect(studio.sold).toEqual(['tea'])
  })

  test('caps that a fleet cannot keep are refused, wherever they are named', async () => {
    const studio = await openStudio(`limits: { tags: { hero: 1 } }\n${rowsOf(['a'])}`)
    const message = 'keeps no caps of single tags or services'
    expect(await studio.fleet()).toMatchObject(refused(message))
    studio.bench.write(manifestName, rowsOf(['a']))
    expect(await studio.fleet({ caps: { tags: { hero: 1 } } })).toMatchObject(refused(message))
  })

  test('another store than the one of then is refused, as is one that cannot be asked', async () => {
    const studio = await openStudio(rowsOf(['a']))
    await handOut(studio, 2)
    const store = await server.database('another')
    const other = refused('in another store than the one that GENRUN_STORE names')
    expect(await studio.fleet({ store })).toMatchObject(other)
    expect(await studio.plain({ store })).toMatchObject(other)
    const away = 'postgres://ann:s3cretword@127.0.0.1:1/nothing'
    const unasked = await studio.plain({ store: away })
    expect(unasked).toMatchObject(refused('cannot be reached; workers may be at work on this'))
    expect(JSON.stringify(unasked)).not.toContain('s3cretword')
    expect(studio.sold).toEqual([])
  })

  test('what another checkout has heard of meanwhile is no success here', async () => {
    const studio = await openStudio(rowsOf(['a']))
    await handOut(studio, 2)
    const connections = await openConnections(studio.url)
    onTestFinished(() => connections.close())
    // As if whoever has it by now were always there first.
    await connections.ask(
      `create function genrun.heard() returns trigger language plpgsql as $$ begin return null; end $$`,
    )
    await connections.ask(
      `create trigger heard before insert or update on genrun.unheard for each row when (new.state <> 'SENDING') execute function genrun.heard()`,
    )
    // It was handed out anew by then: what is ordered before that would never be heard of.
    const emit: RunRequest['emit'] = told => void (told.event === 'warned' && studio.startWorker())
    expect(await studio.fleet({ emit })).toMatchObject({
      report: { exit: 4, jobs: [{ ending: 'detached' }, { ending: 'detached' }] },
    })
    expect(studio.sold).toHaveLength(2)
  })

  test('what was made and cannot be brought here is no success, and the next run brings it', async () => {
    const studio = await openStudio(rowsOf(['a']))
    studio.startWorker()
    const elsewhere = { folder: join(studio.bench.folder, 'elsewhere') }
    const message = expect.stringContaining('a worker has made it, and its files did not come here') as string
    expect(await studio.fleet({ cache: elsewhere })).toMatchObject({
      report: {
        exit: 7,
        paid: 2,
        jobs: [
          { ending: 'detached', message },
          { ending: 'detached', message },
        ],
      },
    })
    rmSync(elsewhere.folder, { recursive: true, force: true })
    expect(await studio.fleet()).toMatchObject(nothingPaid)
    expect([studio.sold.length, studio.bench.has('out/m/still/a.png')]).toEqual([2, true])
  })
})
