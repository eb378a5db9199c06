import { createHash } from 'node:crypto'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { acceptJobs } from '../../src/verbs/accept.ts'
import { pickTake } from '../../src/verbs/pick.ts'
import { pruneManifest } from '../../src/verbs/prune.ts'
import { statusOf } from '../../src/verbs/status.ts'
import {
  type Bench,
  manifestName,
  openBenchAt,
  openBenchWith,
  paidAt,
  pixel,
  toldSteps,
} from '../verbs/bench.ts'

const atWork = (manifest: string, faults = '') => openBenchWith(manifest, { faults })

const digest = (bench: Bench, path: string) => createHash('sha256').update(bench.bytes(path)).digest('hex')

const hero = (count: number, more = '') =>
  `jobs:\n  hero: { model: fama-imagine-image, prompt: Tea, count: ${count}${more} }\n`

const user = (nth: number) =>
  `  user: { model: fama-imagine-image, prompt: Again, imageUrls: '\${{ jobs.hero.outputs[${nth}] }}' }\n`

test('as many files again are ordered, though a cache has what was ordered in the same words', async () => {
  const { bench, gateway } = await atWork(hero(2))
  const cache = { folder: join(bench.folder, 'cache') }
  await bench.run({ cache })
  bench.write(manifestName, hero(4))
  expect(await bench.run({ cache })).toMatchObject({ report: { exit: 0, paid: 1 } })
  const names = [1, 2, 3, 4].map(nth => `out/m/hero-${nth}.png`)
  const digests = names.map(path => digest(bench, path))
  expect(new Set(digests).size).toBe(4)
  // What is lost comes back as what it was.
  bench.remove('out')
  bench.remove('.genrun')
  expect(await bench.run({ cache })).toMatchObject({ report: { exit: 0, paid: 0 } })
  expect(names.map(path => digest(bench, path))).toEqual(digests)
  expect(paidAt(gateway)).toBe(2)
})

describe('fewer files than were ordered', () => {
  const oneShort = 'short=1 first=1'

  test('count as failed in every run, until somebody takes them', async () => {
    const { bench, gateway } = await atWork(hero(4), oneShort)
    expect(await bench.run()).toMatchObject({
      report: { exit: 1, jobs: [{ ending: 'made', failure: { why: 'short-delivery', asked: 4, got: 3 } }] },
    })
    const again = {
      report: {
        exit: 1,
        requests: 0,
        jobs: [
          { ending: 'kept', failure: { why: 'short-delivery' }, message: '3 of 4 files were delivered' },
        ],
      },
    }
    expect(await bench.run()).toMatchObject(again)
    expect(await bench.run()).toMatchObject(again)
    expect(statusOf(bench.request())).toMatchObject({
      status: { open: [{ address: 'hero', is: 'short', detail: '3 of 4 files were delivered' }] },
    })
    expect(bench.plan()).toMatchObject({
      steps: [{ do: 'keep', short: { asked: 4, got: 3 } }],
      counts: { keep: 1 },
    })
    expect(toldSteps(bench.plan())).toEqual([
      'keep hero: 3 of 4 files were delivered; --failed orders the rest, `accept` takes it as it is',
    ])
    const accepted = await acceptJobs({ ...bench.request(), select: { words: ['hero'] } })
    expect(accepted).toMatchObject({ got: 'accepted', record: { accepted: [{ address: 'hero' }] } })
    for (const _ of ['first', 'second'])
      expect(await bench.run()).toMatchObject({
        report: {
          exit: 0,
          requests: 0,
          jobs: [{ ending: 'kept', accepted: ['taken as it came: 3 of 4 files were delivered'] }],
        },
      })
    // It is settled: no run calls it trouble any more.
    expect(await bench.run()).not.toMatchObject({ report: { jobs: [{ message: expect.anything() }] } })
    expect(paidAt(gateway)).toBe(1)
  })

  test('are taken as they are where the job says so, and told in every run', async () => {
    const { bench } = await atWork(hero(4, ', shortDelivery: accept'), oneShort)
    const told = { jobs: [{ message: '3 of 4 files were delivered' }], exit: 0 }
    expect(await bench.run()).toMatchObject({ report: told })
    expect(await bench.run()).toMatchObject({ report: told })
    expect(await bench.run({ choices: { failed: true } })).toMatchObject({ report: { ...told, paid: 0 } })
  })

  test('and raised counts keep their places when the job is renamed, and what is made from them is not made anew', async () => {
    const { bench, gateway } = await atWork(`${hero(2)}${user(0)}`)
    await bench.run()
    bench.write(manifestName, `${hero(4)}${user(0)}`)
    await bench.run()
    const names = [1, 2, 3, 4].map(nth => `out/m/hero-${nth}.png`)
    const before = names.map(name => digest(bench, name))
    const paid = paidAt(gateway)
    bench.write(manifestName, `${hero(4)}${user(0)}`.replaceAll('hero', 'pot'))
    expect(await bench.run()).toMatchObject({ report: { exit: 0, paid: 0 } })
    expect(names.map(name => digest(bench, name.replace('hero', 'pot')))).toEqual(before)
    expect(paidAt(gateway)).toBe(paid)
  })

  const job = (name: string, prompt: string, count: number) =>
    `  ${name}: { model: fama-imagine-image, prompt: ${prompt}, count: ${count} }\n`

  test.each([
    ['swapped', job('pot', 'Old', 2) + job('cup', 'New', 4), job('pot', 'New', 4) + job('cup', 'Old', 2)],
    ['put aside and asked for again', job('cup', 'New', 4), job('cup', 'Hat', 2), job('cup', 'New', 4)],
    [
      'put aside and asked for by another name',
      job('cup', 'New', 4),
      job('cup', 'Hat', 2),
      job('can', 'New', 4),
    ],
  ])('and raised counts are not bought again when their words are %s', async (_, raised, ...later) => {
    const { bench, gateway } = await atWork(`jobs:\n${raised.replace('4', '2')}`)
    for (const text of [raised, ...later.slice(0, -1)]) {
      await bench.run()
      bench.write(manifestName, `jobs:\n${text}`)
    }
    await bench.run()
    const paid = paidAt(gateway)
    bench.write(manifestName, `jobs:\n${later.at(-1)}`)
    expect(await bench.run()).toMatchObject({ report: { exit: 0, paid: 0 } })
    expect(await bench.run()).toMatchObject({ report: { exit: 0, requests: 0 } })
    expect(paidAt(gateway)).toBe(paid)
  })

  test('are topped up in the same run, and what needs the rest is made from it', async () => {
    const { bench, gateway } = await atWork(`${hero(4, ', shortDelivery: top-up')}${user(3)}`, oneShort)
    expect(await bench.run()).toMatchObject({
      report: {
        exit: 0,
        paid: 3,
        jobs: [
          { address: 'hero', ending: 'made', files: [{}, {}, {}] },
          { address: 'hero+4', ending: 'made', files: [{ path: 'hero-4.png' }] },
          { address: 'user', ending: 'made' },
        ],
      },
    })
    expect(bench.has('out/m/hero-3.png')).toBe(true)
    const lock = bench.read('m.lock.json')
    expect(await bench.run()).toMatchObject({
      report: { exit: 0, requests: 0, counts: { kept: 3 }, jobs: [{ address: 'hero' }, {}, {}] },
    })
    expect(bench.read('m.lock.json')).toBe(lock)
    // A lost file comes again by the run that brought it, for nothing.
    bench.remove('out/m/hero-4.png')
    bench.remove('out/m/hero-1.png')
    expect(await bench.run()).toMatchObject({ report: { exit: 0, paid: 0, counts: { fetched: 2, kept: 1 } } })
    expect(paidAt(gateway)).toBe(3)
  })

  test('are topped up again and again, as long as anything comes', async () => {
    const { bench, gateway } = await atWork(
      `defaults: { shortDelivery: top-up }\n${hero(4)}`,
      'short=2 first=1, short=1 first=2',
    )
    // 4 ordered and 1 there, 2 and 1, 1.
    const result = await bench.run()
    expect(result).toMatchObject({ report: { exit: 0 } })
    const jobs = result.got === 'report' ? result.report.jobs : []
    // All of it is there, and nothing is told as lacking.
    expect(jobs.flatMap(({ message }) => message ?? [])).toEqual([])
    expect(jobs.flatMap(({ files }) => files.map(({ path }) => path))).toEqual([
      'hero-1.png',
      'hero-2.png',
      'hero-3.png',
      'hero-4.png',
    ])
    const paid = paidAt(gateway)
    expect(await bench.run()).toMatchObject({ report: { exit: 0, requests: 0 } })
    expect(paidAt(gateway)).toBe(paid)
  })

  test('are topped up by --failed, and only what is missing is ordered', async () => {
    const { bench, gateway } = await atWork(`${hero(4)}${user(3)}`, oneShort)
    await bench.run()
    const failed = { choices: { failed: true }, select: { failed: true } }
    expect(await bench.run(failed)).toMatchObject({ report: { exit: 0, paid: 2 } })
    expect(await bench.run()).toMatchObject({ report: { exit: 0, requests: 0, counts: { kept: 3 } } })
    expect(paidAt(gateway)).toBe(3)
  })

  test('are topped up in the run that gives them their name back', async () => {
    const { bench, gateway } = await atWork(hero(4), oneShort)
    await bench.run()
    bench.edit(manifestName, 'Tea', 'Hat')
    bench.edit(manifestName, 'count: 4', 'count: 1')
    await bench.run()
    bench.write(manifestName, hero(4, ', shortDelivery: top-up'))
    expect(toldSteps(bench.plan()).join('; ')).toContain('buy hero+4')
    expect(await bench.run()).toMatchObject({ report: { exit: 0, paid: 1 } })
    expect(await bench.run()).toMatchObject({ report: { exit: 0, requests: 0 } })
    expect(paidAt(gateway)).toBe(3)
  })

  test('have a rest in doubt named in every run, also in the one that gives them their name back', async () => {
    let orders = 0
    const bench = await openBenchAt((request, response) => {
      if (request.url?.includes('/files/')) {
        response.writeHead(200, { 'content-type': 'image/png' }).end(pixel)
        return
      }
      orders += 1
      request.resume().on('end', () => {
        // The second order is taken, and its answer is lost.
        if (orders === 2) response.destroy()
        else response.end(JSON.stringify({ outputs: [`${bench.origin}/files/${orders}.png`] }))
      })
    })
    bench.write(manifestName, hero(2, ', shortDelivery: top-up'))
    const inDoubt = { exit: 3, jobs: [{ address: 'hero' }, { address: 'hero+2', ending: 'doubt' }] }
    expect(await bench.run()).toMatchObject({ report: inDoubt })
    bench.write(manifestName, hero(1).replace('Tea', 'Hat'))
    await bench.run()
    bench.write(manifestName, hero(2, ', shortDelivery: top-up'))
    expect(await bench.run()).toMatchObject({ report: { ...inDoubt, paid: 0 } })
    expect(await bench.run()).toMatchObject({ report: { ...inDoubt, requests: 0 } })
    expect(orders).toBe(3)
  })

  test('cost no more than the caps allow', async () => {
    const { bench, gateway } = await atWork(hero(4, ', shortDelivery: top-up'), oneShort)
    expect(await bench.run({ caps: { maxPaid: 1 } })).toMatchObject({
      report: { exit: 6, paid: 1, jobs: [{ ending: 'made' }, { address: 'hero+4', ending: 'skipped' }] },
    })
    expect(toldSteps(bench.plan())).toEqual(['buy hero+4: 3 of 4 files are there or on their way'])
    expect(await bench.run()).toMatchObject({ report: { exit: 0, paid: 1 } })
    expect(paidAt(gateway)).toBe(2)
  })
})

test('what was taken though it is no media is sent to nobody, and the plan says so', async () => {
  const { bench, gateway } = await atWork(`${hero(1)}${user(0)}`, 'deliver=tiff first=1')
  await bench.run()
  await acceptJobs({ ...bench.request(), select: { words: ['hero'] } })
  const message = 'it is made from hero.tiff of hero, which was taken as it came and cannot be sent'
  expect(toldSteps(bench.plan())).toEqual([`hold user: ${message}`])
  expect(await bench.run()).toMatchObject({
    report: { exit: 4, paid: 0, jobs: [{ ending: 'kept' }, { ending: 'held', message }] },
  })
  expect(statusOf(bench.request())).toMatchObject({
    status: { open: [{ address: 'user', is: 'held', detail: message }] },
  })
  const redo = { redo: true, select: { words: ['hero'] } }
  expect(await bench.run(redo)).toMatchObject({ report: { exit: 0, paid: 1 } })
  expect(await bench.run()).toMatchObject({ report: { exit: 0, paid: 1 } })
  expect(paidAt(gateway)).toBe(3)
})

describe('a count that is raised', () => {
  test('orders the difference, and lowered again nothing', async () => {
    const { bench, gateway } = await atWork(hero(2))
    await bench.run()
    const first = digest(bench, 'out/m/hero-1.png')
    bench.edit(manifestName, 'count: 2', 'count: 4')
    expect(bench.plan()).toMatchObject({ paid: 1 })
    expect(await bench.run()).toMatchObject({ report: { exit: 0, paid: 1, counts: { kept: 1, made: 1 } } })
    expect(digest(bench, 'out/m/hero-1.png')).toEqual(first)
    expect([3, 4].map(nth => bench.has(`out/m/hero-${nth}.png`))).toEqual([true, true])
    for (const count of ['1', '2', '4']) {
      bench.edit(manifestName, /count: \d/.exec(bench.read(manifestName))?.[0] ?? '', `count: ${count}`)
      expect(await bench.run()).toMatchObject({ report: { exit: 0, paid: 0 } })
    }
    expect([1, 2, 3, 4].map(nth => bench.has(`out/m/hero-${nth}.png`))).toEqual([true, true, true, true])
    expect(gateway.ledger().billed).toMatchObject({ execute: 2 })
  })

  test('goes along with another name, and orders all anew where the prompt changes, too', async () => {
    const { bench, gateway } = await atWork(hero(1))
    await bench.run()
    bench.edit(manifestName, 'hero: ', 'cover: ')
    bench.edit(manifestName, 'count: 1', 'count: 2')
    expect(await bench.run()).toMatchObject({
      report: { exit: 0, paid: 1, counts: { moved: 1, made: 1 } },
    })
    expect(['cover-1', 'cover-2', 'hero'].map(name => bench.has(`out/m/${name}.png`))).toEqual([
      true,
      true,
      false,
    ])
    bench.edit(manifestName, 'cover: ', 'hero: ')
    expect(await bench.run()).toMatchObject({ report: { exit: 0, requests: 0, counts: { moved: 2 } } })
    bench.edit(manifestName, 'Tea', 'Coffee')
    expect(await bench.run()).toMatchObject({ report: { exit: 0, paid: 1, counts: { made: 1 } } })
    expect(paidAt(gateway)).toBe(3)
  })

  test('stays whole when takes are pruned that nobody asks for', async () => {
    const { bench, gateway } = await atWork(hero(2))
    await bench.run()
    bench.edit(manifestName, 'count: 2', 'count: 4')
    await bench.run()
    expect(await bench.run({ redo: true, select: { words: ['hero'] } })).toMatchObject({
      report: { exit: 0, paid: 1 },
    })
    // The redone one is picked; the first is asked for all the same, with what was ordered for it later.
    const pruned = await pruneManifest({ ...bench.request(), takes: true, isConfirmed: true })
    expect(pruned).toMatchObject({ got: 'pruned', entries: [] })
    expect(bench.plan()).toMatchObject({ paid: 0 })
    expect(paidAt(gateway)).toBe(3)
    expect(await pickTake({ ...bench.request(), address: 'hero' })).toMatchObject({ got: 'picked' })
    expect(await pruneManifest({ ...bench.request(), takes: true, isConfirmed: true })).toMatchObject({
      entries: [{ address: 'hero#2' }],
    })
    expect(bench.plan()).toMatchObject({ paid: 0 })
  })

  test('keeps the picks: the rest goes with the take that it is of', async () => {
    const { bench, gateway } = await atWork(hero(1, ', takes: 2'))
    await bench.run()
    bench.edit(manifestName, 'count: 1', 'count: 2')
    expect(bench.plan()).toMatchObject({ paid: 2 })
    expect(await bench.run()).toMatchObject({ report: { exit: 0, paid: 2 } })
    const two = digest(bench, 'out/m/takes/hero.take2-2.png')
    expect(await pickTake({ ...bench.request(), address: 'hero#2' })).toMatchObject({ got: 'picked' })
    expect(digest(bench, 'out/m/hero-2.png')).toEqual(two)
    expect(await bench.run()).toMatchObject({ report: { exit: 0, requests: 0 } })
    expect(paidAt(gateway)).toBe(4)
  })
})
