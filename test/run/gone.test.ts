import type { ServerResponse } from 'node:http'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { publishToFolder } from '../../src/bucket/publish.ts'
import { askOf } from '../../src/run/one-shot/ask.ts'
import { generate } from '../../src/verbs/generate.ts'
import { quoteOf } from '../../src/verbs/quote.ts'
import { resolveOrders } from '../../src/verbs/resolve.ts'
import { statusOf } from '../../src/verbs/status.ts'
import { verifyManifest } from '../../src/verbs/verify.ts'
import { type Bench, journalOf, manifestName, openBenchAt, pixel, toldSteps } from '../verbs/bench.ts'

const manifest = 'jobs:\n  tea: { model: fama-imagine-image, mode: submit, prompt: A teapot }\n'

/** A service that takes every order, and says of its runs what `result` says. */
async function serve(result: (nth: number, response: ServerResponse) => void) {
  let [paid, looks] = [0, 0]
  const bench = await openBenchAt((request, response) => {
    request.resume().on('end', () => {
      if (request.url?.startsWith('/files/')) return response.end(pixel)
      if (request.method === 'GET') return result(++looks, response)
      paid++
      response.end(JSON.stringify({ id: `r${paid}`, status: 'queued' }))
    })
  })
  bench.write(manifestName, manifest)
  return { bench, paid: () => paid, looks: () => looks, origin: bench.origin }
}

const says = (status: number) => (_: number, response: ServerResponse) =>
  response.writeHead(status).end(JSON.stringify({ message: 'no such run' }))

const brings = (response: ServerResponse) =>
  response.end(
    JSON.stringify({ status: 'completed', outputs: [`http://${response.req.headers.host}/files/1.png`] }),
  )

function status(bench: Bench) {
  const result = statusOf(bench.request())
  if (result.got !== 'status') throw new Error(result.got)
  return result.status.open
}

test('a run that is gone is held from then on: no rerun asks for it or pays again', async () => {
  const { bench, paid, looks } = await serve(says(410))
  const hint =
    'it may have been billed: --rebuy asks for it once more and then orders it anew; `genrun resolve m.yaml tea --adopt ID` names another run'
  expect(await bench.run()).toMatchObject({
    report: {
      exit: 1,
      jobs: [
        {
          ending: 'failed',
          run: 'r1',
          message: 'the service does not know the run r1 (any more): no such run',
          hint,
        },
      ],
    },
  })
  const lookedAt = looks()
  bench.remove('.genrun')
  for (const _ of ['by the lock alone', 'again']) {
    expect(await bench.run()).toMatchObject({ report: { exit: 4, jobs: [{ ending: 'held', hint }] } })
  }
  expect(status(bench)).toMatchObject([{ address: 'tea', is: 'gone', run: 'r1' }])
  expect(toldSteps(bench.plan())).toEqual([
    'hold tea: its run may have been billed: the service does not know the run r1 (any more): no such run; --rebuy asks for it once more and orders it anew',
  ])
  expect([paid(), looks()]).toEqual([1, lookedAt])
})

test('the way out that the message names asks once more and then orders, each by a word', async () => {
  const { bench, paid, looks } = await serve((nth, response) =>
    nth <= 3 ? says(410)(nth, response) : brings(response),
  )
  await bench.run()
  expect(looks()).toBe(2)
  expect(await bench.run({ choices: { rebuy: true } })).toMatchObject({ report: { exit: 0, paid: 1 } })
  // The old run was asked first, which is free.
  expect([paid(), looks()]).toEqual([2, 4])
  // Whoever goes on with it knows what it was ordered for.
  expect(bench.read(`.genrun/m/journal/${journalOf(bench)}`)).toMatch(/"kind":"INTENT".*"rebuy":true/)
})

test('a result that is lost on the disk and at the service is missed, and not told as unshared', async () => {
  const { bench, paid } = await serve((nth, response) =>
    nth > 1 ? says(410)(nth, response) : brings(response),
  )
  await bench.run()
  bench.remove('out/m/tea.png')
  const cache = { folder: join(bench.folder, 'cache') }
  const publish = publishToFolder(join(bench.folder, 'site'))
  for (const _ of ['when it is told', 'from then on'])
    expect(await bench.run({ cache, publish })).toMatchObject({
      problems: [],
      report: { exit: 1, jobs: [{ ending: 'failed' }] },
    })
  // Another file under its name is no altered one: nobody has it as this result.
  bench.write('out/m/tea.png', 'another')
  expect(await bench.run({ cache })).toMatchObject({ problems: [] })
  expect(paid()).toBe(1)
})

test('what a person adopts instead is followed, and is gone in its turn', { timeout: 60_000 }, async () => {
  const { bench, paid } = await serve(says(404))
  const stop = new AbortController()
  await bench.run({ stop: stop.signal, emit: told => told.event === 'accepted' && stop.abort() })
  const adopt = { is: 'adopt', id: 'slip' } as const
  await resolveOrders({ ...bench.request(), words: ['tea'], resolution: adopt })
  const begun = Date.now()
  expect(await bench.run()).toMatchObject({
    report: { exit: 1, jobs: [{ ending: 'failed', run: 'slip', failure: { why: 'gone' } }] },
  })
  expect(Date.now() - begun).toBeLessThan(20_000)
  expect(await bench.run()).toMatchObject({ report: { exit: 4, requests: 0 } })
  expect(paid()).toBe(1)
})

test.each([
  ['a young run of an earlier process', false],
  ['a run that the lock alone knows', true],
])('%s has a minute to appear', { timeout: 60_000 }, async (_, isLost) => {
  const { bench, paid, origin } = await serve((nth, response) => {
    if (nth <= 4) says(404)(nth, response)
    else response.end(JSON.stringify({ status: 'completed', outputs: [`${origin}/files/1.png`] }))
  })
  const stop = new AbortController()
  await bench.run({ stop: stop.signal, emit: told => told.event === 'accepted' && stop.abort() })
  if (isLost) bench.remove('.genrun')
  expect(await bench.run()).toMatchObject({ report: { exit: 0, jobs: [{ ending: 'made', run: 'r1' }] } })
  expect(paid()).toBe(1)
})

test.each([
  ['calls failed', { status: 'failed', error: 'it broke' }],
  ['has no file of', { status: 'completed', outputs: [] }],
])(
  'what the service %s when it is to be fetched again is ordered by --rebuy from then on',
  async (_, told) => {
    let isOver = false
    const { bench, paid, origin } = await serve((_, response) => {
      const outputs = [`${origin}/files/1.png`]
      response.end(JSON.stringify(isOver ? told : { status: 'completed', outputs }))
    })
    await bench.run()
    bench.remove('out/m/tea.png')
    isOver = true
    const hint =
      'its files are gone and the service does not have them any more: put them back, or pay again with --rebuy'
    const rebuy = { choices: { rebuy: true } }
    expect(await bench.run(rebuy)).toMatchObject({ report: { exit: 1, paid: 0, jobs: [{ hint }] } })
    expect(bench.plan(rebuy)).toMatchObject({ paid: 1 })
    expect(paid()).toBe(1)
  },
)

test('what came once and is gone here and there is told as that: the next run asks, and fetches by luck only', async () => {
  let isForgotten = false
  const { bench, paid, origin } = await serve((nth, response) => {
    if (isForgotten) says(410)(nth, response)
    else response.end(JSON.stringify({ status: 'completed', outputs: [`${origin}/files/1.png`] }))
  })
  await bench.run()
  bench.remove('out/m/tea.png')
  expect(status(bench)).toMatchObject([{ is: 'missing', detail: 'gone from disk: tea.png' }])
  expect(quoteOf(bench.request())).toMatchObject({ quote: { free: ['tea'], held: [] } })
  isForgotten = true
  expect(await bench.run()).toMatchObject({ report: { exit: 1, paid: 0 } })
  const detail = 'gone from disk: tea.png; when it was asked last, the service had it no more'
  expect(quoteOf(bench.request())).toMatchObject({
    quote: {
      buys: [],
      free: [],
      held: [`tea: ${detail}: put it back, or \`genrun run m.yaml tea --rebuy\` pays for it again`],
    },
  })
  expect(toldSteps(bench.plan())).toEqual([`fetch tea: ${detail}`])
  expect(status(bench)).toMatchObject([
    { is: 'missing', detail, next: 'asks for it once more, nothing is paid' },
  ])
  expect(paid()).toBe(1)
})

test.each([
  [
    'file beyond a number that was lowered',
    'count',
    'tea-2.png',
    { exit: 0 },
    { paid: 0 },
    'nobody asks for them',
  ],
  ['file that is asked for', 'count', 'tea-1.png', { exit: 1 }, { paid: 1 }, 'pay again with --rebuy'],
  [
    'take that nobody asks for any more',
    'takes',
    'takes/tea.take2.png',
    { exit: 0 },
    { paid: 0 },
    'nobody asks for',
  ],
  ['take that is asked for', 'takes', 'tea.png', { exit: 1 }, { paid: 1 }, 'pay again with --rebuy'],
])(
  'a %s, gone here and there, is ordered by --rebuy where somebody asks for it',
  async (_, number, lost, plain, rebuy, hint) => {
    let isForgotten = false
    const { bench, paid, origin } = await serve((nth, response) => {
      if (isForgotten) {
        says(410)(nth, response)
        return
      }
      const files = number === 'count' ? [1, 2] : [1]
      const outputs = files.map(file => `${origin}/files/${file}.png`)
      response.end(JSON.stringify({ status: 'completed', outputs }))
    })
    const asking = (asked: number) =>
      bench.write(manifestName, manifest.replace('prompt', `${number}: ${asked}, prompt`))
    asking(2)
    expect(await bench.run()).toMatchObject({ report: { exit: 0 } })
    const bought = paid()
    isForgotten = true
    bench.remove(`out/m/${lost}`)
    asking(1)
    const told = await bench.run()
    expect(told).toMatchObject({ report: { exit: 1, paid: 0 } })
    expect(JSON.stringify(told)).toContain(hint)
    expect(await bench.run()).toMatchObject({ report: plain })
    expect(bench.plan({ choices: { rebuy: true } })).toMatchObject(rebuy)
    const verdict = await verifyManifest({ manifest: manifestName, cwd: bench.folder })
    expect(verdict).toMatchObject({ counts: { missing: plain.exit } })
    expect(paid()).toBe(bought)
  },
)

/** A result whose file is gone, and whose run the service does not know any more. */
async function withLoss() {
  let isForgotten = false
  const { bench, paid, origin } = await serve((_, response) => {
    if (isForgotten && response.req.url?.includes('r1')) says(410)(0, response)
    else response.end(JSON.stringify({ status: 'completed', outputs: [`${origin}/files/1.png`] }))
  })
  await bench.run()
  bench.remove('out/m/tea.png')
  isForgotten = true
  return { bench, paid }
}

test('`redo` orders what the service has no more as it is, and no take beside it', async () => {
  const { bench, paid } = await withLoss()
  expect(await bench.run()).toMatchObject({ report: { exit: 1, paid: 0 } })
  const redo = { redo: true, select: { words: ['tea'] } }
  expect(await bench.run(redo)).toMatchObject({ report: { exit: 0, paid: 1, jobs: [{ address: 'tea' }] } })
  expect(toldSteps(bench.plan())).toEqual([])
  expect(await bench.run()).toMatchObject({ report: { exit: 0, paid: 0 } })
  expect(paid()).toBe(2)
})

test('a first take that is gone is missed beside the take of `redo`, as the manifest asks for it, and the hint says so', async () => {
  const { bench, paid } = await withLoss()
  const hint =
    'its files are gone and the service does not have them any more: the manifest asks for this take, whichever is picked: put them back, or pay again with --rebuy'
  const first = { address: 'tea', ending: 'failed', hint }
  const redo = { redo: true, select: { words: ['tea'] } }
  expect(await bench.run(redo)).toMatchObject({
    report: { exit: 1, paid: 1, jobs: [first, { address: 'tea#2', ending: 'made' }] },
  })
  expect(paid()).toBe(2)
})

test('without a manifest, a run that is gone is asked for once more by the same call, and not ordered again', async () => {
  const { bench, paid } = await serve(says(410))
  const { ask } = askOf('fama-imagine-image', { prompt: 'A teapot' })
  if (!ask) throw new Error('it can be asked')
  const { cwd, service } = bench.request()
  const order = () => generate({ ask, cwd, service, name: 'tea', mode: 'submit' })
  expect(await order()).toMatchObject({ generation: { ending: 'failed', failure: { why: 'gone' }, exit: 1 } })
  expect(await order()).toMatchObject({
    generation: { ending: 'failed', failure: { why: 'gone' }, paid: 0 },
    problems: [{ code: 'left-behind', hint: 'another name (`-o`) orders one more' }],
  })
  expect(paid()).toBe(1)
})

test('what came once is never paid for again by a plan that only fetches, whatever the service says by then', async () => {
  let isForgotten = false
  const { bench, paid, origin } = await serve((_, response) =>
    response.end(
      JSON.stringify(
        isForgotten
          ? { id: 'r1', status: 'failed', error: 'expired' }
          : { id: 'r1', status: 'succeeded', outputs: [`${origin}/files/tea.png`] },
      ),
    ),
  )
  bench.edit(manifestName, 'prompt', 'retries: 1, prompt')
  await bench.run()
  isForgotten = true
  bench.remove('out')
  expect(toldSteps(bench.plan())).toEqual(['fetch tea: gone from disk: tea.png'])
  expect(await bench.run()).toMatchObject({ report: { exit: 1, paid: 0, jobs: [{ ending: 'failed' }] } })
  expect(paid()).toBe(1)
})
