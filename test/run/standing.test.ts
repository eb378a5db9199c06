import { afterEach, beforeEach, expect, test } from 'vitest'
import { systemClock } from '../../src/base/clock.ts'
import { type Gateway, startGateway } from '../../src/gateway/server.ts'
import { acceptJobs } from '../../src/verbs/accept.ts'
import { plainPng } from '../gateway/render/tools.ts'
import { type Bench, closeBench, manifestName, openBench, openBenchAt, paidAt } from '../verbs/bench.ts'

let gateway: Gateway
let bench: Bench

beforeEach(async () => {
  gateway = await startGateway({ outputs: 'memory' })
  bench = openBench(gateway)
  bench.write(
    manifestName,
    `jobs:
  hero: { model: fama-imagine-image, prompt: A teapot }
  edit: { model: fama-imagine-image, prompt: In blue, imageUrls: "\${{ jobs.hero.output }}" }
  clip: { model: famc-v3-turbo, prompt: Push in, startFrame: "\${{ jobs.edit.output }}", duration: 3 }
`,
  )
  await bench.run()
})

afterEach(async () => {
  closeBench(bench)
  await gateway.close()
})

test('what is fetched under --rebuy as it was makes nothing anew that is made from it', async () => {
  const clip = bench.bytes('out/m/clip.mp4')
  bench.remove('out/m/hero.png')
  const result = await bench.run({ choices: { rebuy: true } })
  if (result.got !== 'report') throw new Error(JSON.stringify(result))
  const endings = Object.fromEntries(result.report.jobs.map(job => [job.address, job.ending]))
  expect(endings).toEqual({ hero: 'fetched', edit: 'kept', clip: 'kept' })
  expect(bench.bytes('out/m/clip.mp4')).toEqual(clip)
  expect(paidAt(gateway)).toBe(3)
  const lock = bench.read('m.lock.json')
  await bench.run()
  expect(bench.read('m.lock.json')).toBe(lock)
  expect(paidAt(gateway)).toBe(3)
})

test.each([
  ['the first', 2, ['out/m/hero.png']],
  ['the first and the last', 1, ['out/m/hero.png', 'out/m/clip.mp4']],
  ['all', 0, ['out']],
])('of orders by --rebuy none is for what is there where that is lost: %s', async (_, again, lost) => {
  let later = 0
  const clock = { ...systemClock, now: () => systemClock.now() + later }
  const forgetful = await startGateway({ outputs: 'memory', resultSeconds: 60, clock })
  const other = openBench(forgetful)
  other.write(manifestName, bench.read(manifestName))
  await other.run()
  later = 120_000
  for (const path of lost) other.remove(path)
  expect(await other.run()).toMatchObject({ report: { exit: 1 } })
  expect(other.plan({ choices: { rebuy: true } })).toMatchObject({ paid: 3, again })
  closeBench(other)
  await forgetful.close()
})

const files = ['out/m/hero.png', 'out/m/edit.png', 'out/m/clip.mp4']

test.each([
  ['all of them', ['out']],
  ['the journal as well', ['out', '.genrun']],
  ['the first and the last', ['out/m/hero.png', 'out/m/clip.mp4']],
  ['the first two', ['out/m/hero.png', 'out/m/edit.png']],
  ['the last two', ['out/m/edit.png', 'out/m/clip.mp4']],
])('nothing is paid by --rebuy for what the service still has: %s', async (_, lost) => {
  const before = files.map(path => bench.bytes(path))
  for (const path of lost) bench.remove(path)
  const result = await bench.run({ choices: { rebuy: true } })
  expect(result).toMatchObject({ report: { exit: 0, paid: 0 } })
  expect(paidAt(gateway)).toBe(3)
  expect(files.map(path => bench.bytes(path))).toEqual(before)
  expect(await bench.run()).toMatchObject({
    report: { exit: 0, paid: 0, jobs: [{ ending: 'kept' }, { ending: 'kept' }, { ending: 'kept' }] },
  })
})

/** By the job that is in the middle: what may be decided about it, or happen to it, before a file of the chain is lost. */
const acts: readonly [string, () => Promise<unknown>, lost: readonly string[]][] = [
  [
    'a new name',
    async () => bench.write(manifestName, bench.read(manifestName).replaceAll(/\bedit\b/g, 'blue')),
    ['hero.png', 'edit.png'],
  ],
  ['a new name of the last', async () => bench.edit(manifestName, 'clip:', 'film:'), ['hero.png']],
  [
    'another take that is picked',
    async () => {
      await bench.run({ redo: true, select: { words: ['edit'] } })
      await bench.run()
    },
    ['hero.png', 'clip.mp4'],
  ],
  [
    'an edit that is accepted',
    async () => {
      bench.edit(manifestName, 'In blue', 'In deep blue')
      await acceptJobs({ ...bench.request(), select: { words: ['edit'] } })
    },
    ['hero.png', 'edit.png'],
  ],
]

test.each(acts)('nor after %s', async (_, act, lost) => {
  await act()
  const paid = paidAt(gateway)
  for (const path of lost) bench.remove(`out/m/${path}`)
  expect(await bench.run({ choices: { rebuy: true } })).toMatchObject({ report: { exit: 0, paid: 0 } })
  expect(paidAt(gateway)).toBe(paid)
})

test.each([
  { comes: 'comes as it was', colours: ['teal', 'navy', 'teal'], paid: 3 },
  { comes: 'comes out as another', colours: ['teal', 'navy', 'red', 'gold'], paid: 4 },
])(
  'what is made from a result that is gone, and that $comes, is asked for or ordered',
  async ({ colours, paid }) => {
    const lostRuns = new Set<string>()
    let orders = 0
    const { read, run, remove, write } = await openBenchAt((request, response) => {
      request.resume().on('end', () => {
        const path = request.url?.split('/') ?? []
        const id = path.at(path.at(-1) === 'result' ? -2 : -1) ?? ''
        if (request.url?.startsWith('/files/'))
          return response.end(plainPng(colours[Number(id)] ?? 'white', 1024, 1024))
        if (request.method !== 'GET')
          return response.end(JSON.stringify({ id: `r${orders++}`, status: 'queued' }))
        if (lostRuns.has(id)) return response.writeHead(410).end(JSON.stringify({ message: 'no such run' }))
        const outputs = [`http://${request.headers.host}/files/${id.slice(1)}`]
        return response.end(JSON.stringify({ id, status: 'completed', outputs }))
      })
    })
    write(
      manifestName,
      `jobs:
  hero: { model: fama-imagine-image, mode: submit, prompt: A teapot }
  edit: { model: fama-imagine-image, mode: submit, prompt: In blue, imageUrls: "\${{ jobs.hero.output }}" }
`,
    )
    expect(await run()).toMatchObject({ report: { exit: 0, paid: 2 } })
    remove('out')
    lostRuns.add('r0')
    // Nobody knew that it is gone: before the service has said so nothing is paid.
    expect(await run({ choices: { rebuy: true } })).toMatchObject({ report: { exit: 1, paid: 0 } })
    await run({ choices: { rebuy: true } })
    expect(orders).toBe(paid)
    expect(read('m.lock.json')).toContain(paid === 3 ? '"id":"r1"' : '"id":"r3"')
  },
)
