import { createCanvas } from '@napi-rs/canvas'
import { expect, test } from 'vitest'
import { pickTake } from '../../src/verbs/pick.ts'
import { type Bench, manifestName, openBenchAt, pixel, toldSteps } from '../verbs/bench.ts'

// `retakes`: what fails its looks is ordered anew by the next run, one take a run, and never more often than the job says.

const manifest = (retakes: number, more = '') =>
  `jobs:\n  hero: { model: fama-imagine-image, prompt: Tea, gate: { all: fail, retakes: ${retakes} }${more} }\n`
const user = "  user: { model: fama-imagine-image, prompt: Again, imageUrls: '${{ jobs.hero.output }}' }\n"

/** A service whose first pictures are of one color. */
async function shop(broken: number, text: string): Promise<{ bench: Bench; orders: () => number }> {
  let orders = 0
  const bench = await openBenchAt((request, response) => {
    const [, nth] = /\/files\/(\d+)/.exec(request.url ?? '') ?? []
    if (nth !== undefined)
      return response
        .writeHead(200, { 'content-type': 'image/png' })
        .end(Number(nth) <= broken ? pixel : picture(Number(nth)))
    orders += 1
    const outputs = [`${bench.origin}/files/${orders}.png`]
    return request.resume().on('end', () => response.end(JSON.stringify({ outputs })))
  })
  bench.write(manifestName, text)
  return { bench, orders: () => orders }
}

function picture(nth: number): Buffer {
  const canvas = createCanvas(64, 64)
  const pen = canvas.getContext('2d')
  for (let at = 0; at < 64; at++) {
    pen.fillStyle = `hsl(${at * 5 * nth}, 80%, ${20 + at}%)`
    pen.fillRect(at, 0, 1, 64)
  }
  return canvas.encodeSync('png')
}

const again = 'buy hero#2: asked for by `retakes`'

test('orders one take more in the next run, until one is good, and makes the rest from that', async () => {
  const { bench, orders } = await shop(2, manifest(3) + user)
  expect(await bench.run()).toMatchObject({
    report: { exit: 1, paid: 1, jobs: [{ ending: 'made' }, { address: 'user', ending: 'skipped' }] },
  })
  expect(bench.plan()).toMatchObject({ paid: 2, again: 1 })
  expect(toldSteps(bench.plan())).toEqual([again, 'buy user: not made yet'])
  expect(await bench.run()).toMatchObject({ report: { exit: 1, paid: 1 } })
  expect(await bench.run()).toMatchObject({ report: { exit: 0, paid: 2 } })
  const lock = bench.read('m.lock.json')
  expect(lock.match(/"picked":true/g)).toHaveLength(1)
  expect(bench.bytes('out/m/hero.png')).toEqual(picture(3))
  expect(await bench.run()).toMatchObject({ report: { exit: 0, requests: 0 } })
  expect(orders()).toBe(4)
})

test('orders no more than it says, and none without it', async () => {
  const { bench, orders } = await shop(9, manifest(0))
  for (const _ of ['once', 'again']) await bench.run()
  expect(orders()).toBe(1)
  bench.write(manifestName, manifest(2))
  for (const _ of ['first', 'second', 'third', 'fourth']) await bench.run()
  expect(orders()).toBe(3)
  // What was ordered for another prompt is no take of this one.
  bench.edit(manifestName, 'Tea', 'Coffee')
  for (const _ of ['new', 'first', 'second', 'third']) await bench.run()
  expect(orders()).toBe(6)
})

test('keeps the caps, and asks before it orders many anew', async () => {
  const { bench, orders } = await shop(9, manifest(2))
  await bench.run()
  expect(await bench.run({ caps: { maxPaid: 0 } })).toMatchObject({ report: { exit: 6, paid: 0 } })
  expect(await bench.run({ rebuyGuard: 0 })).toMatchObject({
    got: 'refused',
    problems: [{ code: 'many-again', hint: expect.stringContaining('without `retakes` the files stay') }],
  })
  expect(orders()).toBe(1)
  expect(await bench.run({ rebuyGuard: 0, yes: true })).toMatchObject({ report: { paid: 1 } })
})

test.each(['sending', 'accepted'] as const)(
  'goes on with the take of a run that was stopped when it was %s, and orders no other',
  async event => {
    const { bench, orders } = await shop(1, manifest(3))
    await bench.run()
    const stop = new AbortController()
    await bench.run({ stop: stop.signal, emit: told => told.event === event && stop.abort() })
    for (const _ of ['after', 'again']) await bench.run()
    expect(orders()).toBe(2)
    expect(bench.bytes('out/m/hero.png')).toEqual(picture(2))
    expect(toldSteps(bench.plan())).toEqual([])
  },
)

test('orders nothing past an order in doubt', async () => {
  let lost = 0
  const { bench, orders } = await shop(9, manifest(3))
  await bench.run()
  const cut = await openBenchAt((_, response) => {
    lost += 1
    response.destroy()
  })
  const service = { baseUrl: `${cut.origin}/gw-v2`, key: 'k3y', rehearsal: false }
  expect(await bench.run({ service })).toMatchObject({ report: { exit: 3 } })
  for (const _ of ['after', 'again'])
    expect(await bench.run()).toMatchObject({ report: { exit: 3, paid: 0 } })
  expect([orders(), lost]).toEqual([1, 1])
})

test('leaves what a person picked, and what a person picks from', async () => {
  const { bench, orders } = await shop(9, manifest(2, ', takes: 2'))
  await bench.run()
  await pickTake({ ...bench.request(), address: 'hero#2' })
  await bench.run()
  expect(orders()).toBe(2)
  const awaited = await shop(9, manifest(2, ', takes: 2') + user.replace('.output', '.pick'))
  for (const _ of ['first', 'second']) await awaited.bench.run()
  expect(awaited.orders()).toBe(2)
})

test('makes nothing from what failed its looks when all retakes are spent, until somebody approves it or lets it be', async () => {
  const { bench, orders } = await shop(9, manifest(1) + user)
  for (const _ of ['first', 'retake'])
    expect(await bench.run()).toMatchObject({ report: { exit: 1, paid: 1 } })
  const held =
    'hold user: it waits until hero#2 is approved: it fails its looks (blank: it is one color); `gate: warn` there takes it as it is'
  expect(toldSteps(bench.plan())).toEqual([held])
  const report = { exit: 4, paid: 0, requests: 0 }
  expect(await bench.run()).toMatchObject({
    report: {
      ...report,
      jobs: [{}, {}, { ending: 'held', hint: expect.stringContaining('genrun review m.yaml') }],
    },
  })
  // Nor by a word that orders it anew.
  expect(await bench.run({ redo: true, select: { words: ['user'] } })).toMatchObject({ report })
  expect(orders()).toBe(2)
  const seen = /"hero#2".*?"digest":"(sha256:\w+)"/.exec(bench.read('m.lock.json'))?.[1]
  const verdict = {
    address: 'hero#2',
    is: 'approved',
    who: 'Mara',
    when: '2026-03-01T09:30:00Z',
    seen: [seen],
  }
  const decided = (verdicts: object) =>
    bench.write(
      'm.review.json',
      `{"genrunReview":1,"manifest":"m.yaml","verdicts":[\n${JSON.stringify(verdicts)},\nnull]}\n`,
    )
  decided({ ...verdict, is: 'rejected' })
  expect(toldSteps(bench.plan())).toEqual([expect.stringContaining('hero#2 is approved: it is rejected')])
  decided(verdict)
  expect(toldSteps(bench.plan())).toEqual(['buy user: not made yet'])
  bench.remove('m.review.json')
  bench.edit(manifestName, 'all: fail', 'all: warn')
  expect(toldSteps(bench.plan())).toEqual(['buy user: not made yet'])
  expect(await bench.run()).toMatchObject({ report: { exit: 0, paid: 1 } })
  // What was made from it stays.
  bench.edit(manifestName, 'all: warn', 'all: fail')
  expect(await bench.run()).toMatchObject({ report: { exit: 0, paid: 0 } })
})

test('makes nothing from it under a limit either, which orders no retake', async () => {
  const { bench, orders } = await shop(9, manifest(3) + user)
  await bench.run()
  expect(await bench.run({ select: { limit: 5 } })).toMatchObject({ report: { exit: 4, paid: 0 } })
  expect(orders()).toBe(1)
  expect(await bench.run()).toMatchObject({ report: { exit: 1, paid: 1 } })
})

test('orders none anew that the job lets be by now', async () => {
  const { bench, orders } = await shop(9, manifest(2))
  await bench.run()
  bench.edit(manifestName, 'all: fail', 'all: warn')
  expect(await bench.run()).toMatchObject({ report: { exit: 0, paid: 0 } })
  expect(orders()).toBe(1)
})

test('what a person picked is used, whatever was found', async () => {
  const { bench } = await shop(9, manifest(2, ', takes: 2') + user)
  await bench.run()
  await pickTake({ ...bench.request(), address: 'hero#2' })
  expect(toldSteps(bench.plan())).toEqual(['buy user: not made yet'])
})
