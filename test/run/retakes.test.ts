import { expect, test } from 'vitest'
import { acceptJobs } from '../../src/verbs/accept.ts'
import { pickTake } from '../../src/verbs/pick.ts'
import { type Bench, manifestName, openBenchAt, pixel, toldSteps } from '../verbs/bench.ts'
import { openLookedShop, stripes } from './looked-shop.ts'

// `retakes`: what fails its looks is ordered anew by the next run, one take a run, and never more often than the job says.

const manifest = (retakes: number, more = '') =>
  `jobs:\n  hero: { model: fama-imagine-image, prompt: Tea, gate: { all: fail, retakes: ${retakes} }${more} }\n`
const user = "  user: { model: fama-imagine-image, prompt: Again, imageUrls: '${{ jobs.hero.output }}' }\n"

const again = 'buy hero#2: asked for by `retakes`'

test('orders one take more in the next run, until one is good, and makes the rest from that', async () => {
  const { bench, orders } = await openLookedShop(2, manifest(3) + user)
  expect(await bench.run()).toMatchObject({
    report: { exit: 1, paid: 1, jobs: [{ ending: 'made' }, { address: 'user', ending: 'skipped' }] },
  })
  expect(bench.plan()).toMatchObject({ paid: 2, again: 1 })
  expect(toldSteps(bench.plan())).toEqual([again, 'buy user: not made yet'])
  expect(await bench.run()).toMatchObject({ report: { exit: 1, paid: 1 } })
  expect(await bench.run()).toMatchObject({ report: { exit: 0, paid: 2 } })
  const lock = bench.read('m.lock.json')
  expect(lock.match(/"picked":true/g)).toHaveLength(1)
  expect(bench.bytes('out/m/hero.png')).toEqual(stripes(3))
  expect(await bench.run()).toMatchObject({ report: { exit: 0, requests: 0 } })
  expect(orders()).toBe(4)
})

test('orders no more than it says, and none without it', async () => {
  const { bench, orders } = await openLookedShop(9, manifest(0))
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
  const { bench, orders } = await openLookedShop(9, manifest(2))
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
    const { bench, orders } = await openLookedShop(1, manifest(3))
    await bench.run()
    const stop = new AbortController()
    await bench.run({ stop: stop.signal, emit: told => told.event === event && stop.abort() })
    for (const _ of ['after', 'again']) await bench.run()
    expect(orders()).toBe(2)
    expect(bench.bytes('out/m/hero.png')).toEqual(stripes(2))
    expect(toldSteps(bench.plan())).toEqual([])
  },
)

test('orders nothing past an order in doubt', async () => {
  let lost = 0
  const { bench, orders } = await openLookedShop(9, manifest(3))
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
  const { bench, orders } = await openLookedShop(9, manifest(2, ', takes: 2'))
  await bench.run()
  await pickTake({ ...bench.request(), address: 'hero#2' })
  await bench.run()
  expect(orders()).toBe(2)
  const awaited = await openLookedShop(9, manifest(2, ', takes: 2') + user.replace('.output', '.pick'))
  for (const _ of ['first', 'second']) await awaited.bench.run()
  expect(awaited.orders()).toBe(2)
})

test('makes nothing from what failed its looks when all retakes are spent, until somebody approves it or lets it be', async () => {
  const { bench, orders } = await openLookedShop(9, manifest(1) + user)
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
    who: 'Lead',
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
  const { bench, orders } = await openLookedShop(9, manifest(3) + user)
  await bench.run()
  expect(await bench.run({ select: { limit: 5 } })).toMatchObject({ report: { exit: 4, paid: 0 } })
  expect(orders()).toBe(1)
  expect(await bench.run()).toMatchObject({ report: { exit: 1, paid: 1 } })
})

test('orders none anew that the job lets be by now', async () => {
  const { bench, orders } = await openLookedShop(9, manifest(2))
  await bench.run()
  bench.edit(manifestName, 'all: fail', 'all: warn')
  expect(await bench.run()).toMatchObject({ report: { exit: 0, paid: 0 } })
  expect(orders()).toBe(1)
})

test('what a person picked is used, whatever was found', async () => {
  const { bench } = await openLookedShop(9, manifest(2, ', takes: 2') + user)
  await bench.run()
  await pickTake({ ...bench.request(), address: 'hero#2' })
  expect(toldSteps(bench.plan())).toEqual(['buy user: not made yet'])
})

const verdictOn = (address: string, is: string, digest: string | undefined) =>
  `{"genrunReview":1,"manifest":"m.yaml","verdicts":[\n${JSON.stringify({
    address,
    is,
    who: 'Lead',
    when: '2026-03-01T09:30:00Z',
    seen: [digest],
  })},\nnull]}\n`

/** The digest of a result's file, as the lock has it. */
function digestIn(bench: Bench, address: string): string | undefined {
  return new RegExp(`"${address}".*?"digest":"(sha256:\\w+)"`).exec(bench.read('m.lock.json'))?.[1]
}

const named = (name: string, retakes: number, prompt = 'Tea') =>
  `  ${name}: { model: fama-imagine-image, prompt: ${prompt}, gate: { all: fail, retakes: ${retakes} } }\n`

test('a new name buys no further retake, nor does the old one when it comes back', async () => {
  const { bench, orders } = await openLookedShop(9, manifest(1) + user)
  for (const _ of ['first', 'retake']) await bench.run()
  expect(orders()).toBe(2)
  for (const name of ['other', 'hero', 'third']) {
    bench.write(manifestName, `jobs:\n${named(name, 1)}${user.replace('jobs.hero', `jobs.${name}`)}`)
    expect(bench.plan()).toMatchObject({ paid: 0 })
    for (const _ of ['renamed', 'again'])
      expect(await bench.run()).toMatchObject({ report: { exit: 4, paid: 0 } })
  }
  expect(orders()).toBe(2)
})

test('what was bought counts for the job that asks for it now, when two swap their names, and for no twin of it', async () => {
  const { bench, orders } = await openLookedShop(9, `jobs:\n${named('a', 1)}${named('b', 2, 'Milk')}`)
  for (const _ of ['first', 'retake', 'more', 'none']) await bench.run()
  expect(orders()).toBe(5)
  bench.write(manifestName, `jobs:\n${named('b', 1)}${named('a', 2, 'Milk')}`)
  for (const _ of ['swapped', 'again']) await bench.run()
  expect(orders()).toBe(5)
  const twins = await openLookedShop(9, `jobs:\n${named('a', 2)}${named('b', 2)}`)
  for (const _ of ['first', 'retakes', 'more', 'none']) await twins.bench.run()
  expect(twins.orders()).toBe(6)
  twins.bench.write(manifestName, `jobs:\n${named('c', 2)}${named('d', 2)}`)
  for (const _ of ['renamed', 'again']) await twins.bench.run()
  expect(twins.orders()).toBe(6)
})

test('what a person picked is as it was when two swap their names, and only one of them is ordered again', async () => {
  const { bench, orders } = await openLookedShop(9, `jobs:\n${named('a', 2)}${named('b', 2, 'Milk')}`)
  for (const _ of ['first', 'retake']) await bench.run()
  for (const address of ['a#2', 'b#2']) await pickTake({ ...bench.request(), address })
  bench.write(manifestName, `jobs:\n${named('b', 2)}${named('a', 2, 'Milk')}`)
  const kept = bench.bytes('out/m/a.png')
  expect(await bench.run({ redo: true, select: { words: ['a'] } })).toMatchObject({ report: { paid: 1 } })
  for (const _ of ['the other', 'again']) expect(await bench.run()).toMatchObject({ report: { paid: 0 } })
  expect(orders()).toBe(5)
  expect(bench.bytes('out/m/b.png')).toEqual(kept)
  expect(bench.read('m.lock.json')).toMatch(/"address":"b#2",.*"picked":true,"byHand":true/)
})

test('a retake that failed counts under a new name, too', async () => {
  let isFailing = false
  let orders = 0
  const bench = await openBenchAt((request, response) => {
    if (request.url?.includes('/files/'))
      return response.writeHead(200, { 'content-type': 'image/png' }).end(pixel)
    orders += 1
    const answer = isFailing
      ? { status: 'failed', error: 'no' }
      : { outputs: [`${bench.origin}/files/1.png`] }
    return request.resume().on('end', () => response.end(JSON.stringify(answer)))
  })
  bench.write(manifestName, manifest(1))
  await bench.run()
  isFailing = true
  await bench.run()
  const before = orders
  bench.edit(manifestName, 'hero', 'other')
  for (const _ of ['renamed', 'again']) await bench.run()
  expect([before, orders]).toEqual([2, 2])
})

test('what a person accepted for another prompt is ordered anew no more often than that', async () => {
  const { bench, orders } = await openLookedShop(9, manifest(1))
  await bench.run()
  bench.edit(manifestName, 'Tea', 'Coffee')
  await acceptJobs(bench.request())
  for (const _ of ['retake', 'none', 'none']) await bench.run()
  expect(orders()).toBe(2)
})

test('orders what is more only of the take that is in the place of the one that failed', async () => {
  const { bench, orders } = await openLookedShop(1, manifest(2))
  for (const _ of ['first', 'retake']) await bench.run()
  bench.edit(manifestName, 'prompt: Tea', 'prompt: Tea, count: 2')
  expect(bench.plan()).toMatchObject({ paid: 1 })
  for (const paid of [1, 0]) expect(await bench.run()).toMatchObject({ report: { exit: 0, paid } })
  expect(orders()).toBe(3)
  // Of two that the manifest asks for each is wanted.
  bench.edit(manifestName, 'count: 2', 'count: 2, takes: 2')
  for (const paid of [1, 0]) expect(await bench.run()).toMatchObject({ report: { exit: 0, paid } })
})

test('leaves a job of which a person approved a take, and one of which nobody can tell', async () => {
  const { bench, orders } = await openLookedShop(9, manifest(1) + user)
  for (const _ of ['first', 'retake']) await bench.run()
  const seen = digestIn(bench, 'hero#2')
  bench.write('m.review.json', verdictOn('hero#2', 'approved', seen))
  expect(await bench.run()).toMatchObject({ report: { exit: 0, paid: 1 } })
  bench.edit(manifestName, 'retakes: 1', 'retakes: 3')
  expect(bench.plan()).toMatchObject({ paid: 0 })
  bench.write(manifestName, `jobs:\n${named('z', 3)}${user.replace('jobs.hero', 'jobs.z')}`)
  expect(await bench.run()).toMatchObject({ report: { exit: 0, paid: 0 } })
  expect(orders()).toBe(3)
  // About other files, or turned down, it says nothing against another take.
  bench.write(manifestName, manifest(3) + user)
  bench.write('m.review.json', verdictOn('hero#2', 'approved', `sha256:${'0'.repeat(64)}`))
  expect(toldSteps(bench.plan())).toContain('buy hero#3: asked for by `retakes`')
  bench.write('m.review.json', verdictOn('hero#2', 'rejected', seen))
  expect(toldSteps(bench.plan())).toContain('buy hero#3: asked for by `retakes`')
  bench.write('m.review.json', '{"genrunReview":1,"verdicts":[')
  expect(bench.plan()).toMatchObject({ paid: 0 })
})

test('leaves a job of which a person picked an older retake, and makes the rest from that', async () => {
  const { bench, orders } = await openLookedShop(9, manifest(2) + user)
  for (const _ of ['first', 'retake', 'retake']) await bench.run()
  await pickTake({ ...bench.request(), address: 'hero#2' })
  bench.edit(manifestName, 'retakes: 2', 'retakes: 5')
  expect(toldSteps(bench.plan())).toEqual(['buy user: not made yet'])
  expect(await bench.run()).toMatchObject({ report: { exit: 0, paid: 1 } })
  expect(orders()).toBe(4)
})

test('leaves a job of which a person picked the newest retake, though a run had picked it before', async () => {
  const { bench, orders } = await openLookedShop(9, manifest(2) + user)
  for (const _ of ['first', 'retake', 'retake']) await bench.run()
  await pickTake({ ...bench.request(), address: 'hero#3' })
  bench.edit(manifestName, 'retakes: 2', 'retakes: 5')
  const lock = bench.read('m.lock.json')
  const isLeft = () => expect(toldSteps(bench.plan())).toEqual(['buy user: not made yet'])
  isLeft()
  bench.remove('m.lock.json')
  isLeft()
  bench.write('m.lock.json', lock)
  bench.remove('.genrun')
  isLeft()
  // The name is no matter, nor that the words of a `redo` go on.
  bench.write(manifestName, `jobs:\n${named('z', 5)}${user.replace('jobs.hero', 'jobs.z')}`)
  expect(await bench.run()).toMatchObject({ report: { exit: 0, paid: 1 } })
  expect(orders()).toBe(4)
  expect(bench.read('m.lock.json').match(/"byHand":true/g)).toEqual(lock.match(/"byHand":true/g))
  // Another take, or none, ends that.
  await pickTake({ ...bench.request(), byRun: ['z#3'] })
  expect(bench.read('m.lock.json')).toContain('"picked":true')
  expect(bench.read('m.lock.json')).not.toContain('"byHand"')
  expect(toldSteps(bench.plan())).toContain('buy z#4: asked for by `retakes`')
})

const late = '  late: { model: fama-imagine-image, prompt: Later, needs: [hero] }\n'

test.each([
  ['behind', (retakes: number) => manifest(retakes) + late],
  ['before', (retakes: number) => manifest(retakes).replace('jobs:\n', `jobs:\n${late}`)],
])(
  'what only waits for it, %s it, waits for the retake, and is held when none is left',
  async (_where, text) => {
    const { bench, orders } = await openLookedShop(9, text(1))
    expect(await bench.run()).toMatchObject({ report: { exit: 1, paid: 1 } })
    expect(bench.plan()).toMatchObject({ paid: 2 })
    expect(await bench.run()).toMatchObject({ report: { exit: 1, paid: 1 } })
    const held =
      'hold late: it waits until hero is approved: it fails its looks (blank: it is one color); `gate: warn` there takes it as it is'
    expect(toldSteps(bench.plan())).toEqual([held])
    for (const _ of ['held', 'again'])
      expect(await bench.run()).toMatchObject({ report: { exit: 4, paid: 0 } })
    expect(orders()).toBe(2)
    bench.write('m.review.json', verdictOn('hero', 'approved', digestIn(bench, 'hero')))
    expect(toldSteps(bench.plan())).toEqual(['buy late: not made yet'])
    bench.remove('m.review.json')
    bench.edit(manifestName, 'all: fail', 'all: warn')
    expect(toldSteps(bench.plan())).toEqual(['buy late: not made yet'])
    bench.edit(manifestName, 'all: warn', 'all: fail')
    await pickTake({ ...bench.request(), address: 'hero' })
    expect(await bench.run()).toMatchObject({ report: { exit: 0, paid: 1 } })
  },
)

test.each(['sent', 'fetched'] as const)(
  'what only waits for it is made in the run that brings a good one, also when an earlier one was stopped before that was %s',
  async what => {
    const stop = new AbortController()
    let orders = 0
    const bench = await openBenchAt((request, response) => {
      const [, nth] = /\/files\/(\d+)/.exec(request.url ?? '') ?? []
      if (nth === '2' && what === 'fetched' && !stop.signal.aborted) {
        stop.abort()
        return response.destroy()
      }
      if (nth !== undefined)
        return response
          .writeHead(200, { 'content-type': 'image/png' })
          .end(nth === '1' ? pixel : stripes(Number(nth)))
      orders += 1
      const outputs = [`${bench.origin}/files/${orders}.png`]
      return request.resume().on('end', () => response.end(JSON.stringify({ outputs })))
    })
    bench.write(manifestName, manifest(1) + late)
    await bench.run()
    const isCut = (event: string) => what === 'sent' && event === 'sending'
    await bench.run({ stop: stop.signal, emit: told => isCut(told.event) && stop.abort() })
    expect(orders).toBe(what === 'sent' ? 1 : 2)
    expect(await bench.run()).toMatchObject({ report: { exit: 0, paid: what === 'sent' ? 2 : 1 } })
    expect(await bench.run()).toMatchObject({ report: { exit: 0, requests: 0 } })
    expect(orders).toBe(3)
  },
)

test('what was ordered for another prompt lets nothing be made from what fails now', async () => {
  const { bench, orders } = await openLookedShop(9, manifest(1) + user + late)
  for (const _ of ['first', 'retake']) await bench.run()
  bench.edit(manifestName, 'Tea', 'Coffee')
  for (const _ of ['first', 'retake'])
    expect(await bench.run()).toMatchObject({ report: { exit: 1, paid: 1 } })
  for (const _ of ['held', 'again']) expect(await bench.run()).toMatchObject({ report: { exit: 4, paid: 0 } })
  expect(orders()).toBe(4)
})

test('`retakes: 0` orders none anew, and leaves what fails to a person; `gate: fail` alone does so for its run', async () => {
  const { bench, orders } = await openLookedShop(9, manifest(0) + user + late)
  expect(await bench.run()).toMatchObject({ report: { exit: 1, paid: 1 } })
  expect(await bench.run()).toMatchObject({ report: { exit: 4, paid: 0 } })
  expect(orders()).toBe(1)
  bench.write('m.review.json', verdictOn('hero', 'approved', digestIn(bench, 'hero')))
  expect(toldSteps(bench.plan())).toEqual(['buy user: not made yet', 'buy late: not made yet'])
  bench.remove('m.review.json')
  bench.edit(manifestName, ', retakes: 0', '')
  expect(toldSteps(bench.plan())).toEqual(['buy user: not made yet', 'buy late: not made yet'])
})

test('orders and holds nothing because of looks where they are off', async () => {
  const { bench, orders } = await openLookedShop(9, manifest(3) + user)
  await bench.run()
  expect(toldSteps(bench.plan({ gate: 'off' }))).toEqual(['buy user: not made yet'])
  expect(await bench.run({ gate: 'off' })).toMatchObject({ report: { exit: 0, paid: 1 } })
  expect(orders()).toBe(2)
  expect(toldSteps(bench.plan())[0]).toBe(again)
  const none = await openLookedShop(9, manifest(0) + user)
  await none.bench.run()
  expect(await none.bench.run()).toMatchObject({ report: { exit: 4, paid: 0 } })
  expect(await none.bench.run({ gate: 'off' })).toMatchObject({ report: { exit: 0, paid: 1 } })
})

test('is not at its end while all takes fail and nobody decided, though nothing is made from it', async () => {
  const { bench, orders } = await openLookedShop(9, manifest(1))
  for (const exit of [1, 1]) expect(await bench.run()).toMatchObject({ report: { exit, paid: 1 } })
  const message =
    'it waits until hero is approved: it fails its looks (blank: it is one color); `gate: warn` there takes it as it is'
  for (const _ of ['once', 'again'])
    expect(await bench.run({ tool: 'genrun/1' })).toMatchObject({
      report: {
        exit: 4,
        paid: 0,
        jobs: [{ address: 'hero' }, { address: 'hero#2', ending: 'kept', message }],
      },
    })
  expect(JSON.stringify(bench.plan())).toContain(message)
  await pickTake({ ...bench.request(), address: 'hero' })
  expect(await bench.run()).toMatchObject({ report: { exit: 0 } })
  expect(orders()).toBe(2)
})
