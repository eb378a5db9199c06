import { expect, test } from 'vitest'
import { adoptRun } from '../../src/verbs/adopt-run.ts'
import { type Resolution, resolveOrders } from '../../src/verbs/resolve.ts'
import { statusOf } from '../../src/verbs/status.ts'
import { type Bench, manifestName, toldSteps } from './bench.ts'
import { locked, openSeller, pictures, unfinished } from './seller.ts'

async function adopt(bench: Bench, address: string, run: string): Promise<string[]> {
  const result = await adoptRun({ manifest: manifestName, cwd: bench.folder, address, run })
  if (result.got === 'resolved') return result.record.resolved.map(({ next }) => next)
  return result.got === 'refused' ? result.problems.map(({ message }) => message) : [result.got]
}

async function resolve(bench: Bench, word: string, resolution: Resolution): Promise<string[]> {
  const result = await resolveOrders({ manifest: manifestName, cwd: bench.folder, words: [word], resolution })
  if (result.got === 'resolved') return result.record.resolved.map(({ next }) => next)
  return result.got === 'refused' ? result.problems.map(({ message }) => message) : [result.got]
}

/** The order of `hero`, which is called `poster` now; `hero` asks for something else. */
const renamed = pictures({ poster: 'tea', hero: 'mud' })

async function lost() {
  const { seller, bench } = await openSeller()
  bench.write(manifestName, pictures({ hero: 'tea' }))
  seller.does = 'lose'
  await bench.run()
  seller.does = 'take'
  return { seller, bench }
}

async function underWay() {
  const { seller, bench } = await openSeller()
  const { answer } = seller
  bench.write(manifestName, pictures({ hero: 'tea' }))
  seller.answer = unfinished
  const stop = new AbortController()
  await bench.run({ stop: stop.signal, emit: told => told.event === 'accepted' && stop.abort() })
  seller.answer = answer
  return { seller, bench }
}

test('a run for one job leaves the doubt of another, whatever that was called', async () => {
  const { seller, bench } = await lost()
  bench.write(manifestName, renamed)
  await adopt(bench, 'hero', 'r9')
  expect(toldSteps(bench.plan()).sort()).toEqual([
    expect.stringMatching(/^doubt poster/),
    expect.stringMatching(/^resume hero/),
  ])
  await bench.run()
  expect(seller.orders).toEqual(['tea'])
})

test('a run for a renamed job settles the doubt that it has now', async () => {
  const { bench } = await lost()
  bench.write(manifestName, pictures({ poster: 'tea' }))
  await adopt(bench, 'poster', 'r1')
  await bench.run()
  expect(locked(bench)).toEqual(['poster done r1'])
})

test('one run is one purchase, whatever its job is called now', async () => {
  const { bench } = await underWay()
  bench.write(manifestName, renamed)
  expect(await adopt(bench, 'hero', 'r1')).toEqual(['this run is the one of poster'])
})

test('one run is one purchase, also after an edit of its job', async () => {
  const { bench } = await underWay()
  bench.edit(manifestName, 'tea', 'mud')
  expect(await adopt(bench, 'hero', 'r1')).toEqual([
    expect.stringMatching(/^this run is the one of hero@\w{6}$/),
  ])
})

test('a run that the job has already is the same purchase', async () => {
  const { seller, bench } = await underWay()
  expect(await adopt(bench, 'hero', 'r1')).toEqual(['fetches it, nothing is paid'])
  expect(locked(bench)).toEqual(['hero running r1'])
  const { answer } = seller
  seller.answer = (run, response) =>
    response.end(JSON.stringify({ id: run, status: 'failed', error: 'no luck' }))
  await bench.run()
  expect(await adopt(bench, 'hero', 'r1')).toEqual(['fetches it, nothing is paid'])
  seller.answer = answer
  await bench.run()
  expect(locked(bench)).toEqual(['hero done r1'])
})

test('an adopted run belongs to the service that the order was sent to', async () => {
  const { bench } = await lost()
  await resolve(bench, 'hero', { is: 'adopt', id: 'r1' })
  const elsewhere = { service: { ...bench.request().service, baseUrl: 'http://127.0.0.1:9/gw-v2' } }
  expect(await bench.run(elsewhere)).toMatchObject({
    report: { requests: 0, jobs: [{ address: 'hero', ending: 'held' }] },
  })
})

test('an order anew ends older failures of the same, and of nothing else', async () => {
  const { seller, bench } = await openSeller()
  const { answer } = seller
  seller.answer = (run, response) =>
    response.end(JSON.stringify({ id: run, status: 'failed', error: 'no luck' }))
  bench.write(manifestName, pictures({ hero: 'tea' }))
  await bench.run()
  bench.edit(manifestName, 'tea', 'mud')
  await bench.run()
  seller.answer = answer
  const mud = /"id":"([^"]{6})[^"]*","recipe":[^\n]*"mud"/.exec(bench.read('m.lock.json'))?.[1]
  expect(await resolve(bench, `hero@${mud}`, { is: 'resubmit' })).toEqual(['orders it anew'])
  bench.edit(manifestName, 'mud', 'tea')
  expect(toldSteps(bench.plan())).toEqual([expect.stringMatching(/^hold hero/)])
})

test('what is open is told under the name that it has now', async () => {
  const { seller, bench } = await openSeller()
  seller.answer = (run, response) =>
    response.end(JSON.stringify({ id: run, status: 'failed', error: 'no luck' }))
  bench.write(manifestName, pictures({ hero: 'tea' }))
  await bench.run()
  const purchase = /"id":"(\w+)","recipe"/.exec(bench.read('m.lock.json'))?.[1]
  bench.write(manifestName, renamed)
  const seen = statusOf(bench.request())
  expect(seen).toMatchObject({ status: { open: [{ address: 'poster', purchase, is: 'failed', run: 'r1' }] } })
})
