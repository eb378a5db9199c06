import { expect, onTestFinished, test } from 'vitest'
import { startGateway } from '../../src/gateway/server.ts'
import { statusOf } from '../../src/verbs/status.ts'
import { closeBench, manifestName, openBench, openBenchAt } from '../verbs/bench.ts'

/** Twelve jobs of four models in both modes, so that four workflows have a first order of their own. */
const models = ['fama-imagine-image', 'fama-imagine-image-2.0', 'famb-v3', 'famc-v3']
const manifest = `jobs:\n${Array.from(
  { length: 12 },
  (_, nth) =>
    `  j${nth}: { model: ${models[nth % 4]}, mode: ${nth % 3 ? 'submit' : 'execute'}, prompt: Tea ${nth} }\n`,
).join('')}`

test('at an address of somebody else two orders are lost, whatever there is to order', async () => {
  let paid = 0
  const bench = await openBenchAt((request, response) => {
    request.resume().on('end', () => {
      if (request.method === 'POST') paid++
      response.writeHead(200, { 'content-type': 'text/html; charset=utf-8' })
      // Every first order would be out by then.
      setTimeout(() => response.end('<!doctype html><title>Welcome</title>'), 50)
    })
  })
  bench.write(manifestName, manifest)
  const result = await bench.run()
  expect(paid).toBe(2)
  expect(result).toMatchObject({ report: { exit: 3, counts: { doubt: 2, skipped: 10 } } })
  const skipped = result.got === 'report' ? result.report.jobs.filter(job => job.ending === 'skipped') : []
  const messages = new Set(skipped.map(({ message }) => message?.replace(/workflows\/\S+/, 'workflows/…')))
  const why = `the service's answer could not be understood: ${bench.origin}/gw-v2/workflows/… answers with text/html`
  expect([...messages]).toEqual([`not sent, because an earlier request failed: ${why}`])
})

test('a run that another address accepted is held: run and status name both, and the word that settles it', async () => {
  const gateways = await Promise.all([1, 2].map(() => startGateway({ outputs: 'memory' })))
  const [first, second] = gateways.map(({ baseUrl, key }) => ({ baseUrl, key, rehearsal: false }))
  if (!first || !second) throw new Error('two were started')
  const bench = openBench(first)
  onTestFinished(async () => {
    closeBench(bench)
    await Promise.all(gateways.map(each => each.close()))
  })
  bench.write(manifestName, 'jobs:\n  rain: { model: famc-t2a, prompt: Rain, duration: 3 }\n')
  const stop = new AbortController()
  let id = ''
  await bench.run({
    stop: stop.signal,
    emit(told) {
      if (told.event !== 'accepted') return
      id = told.run.id
      stop.abort()
    },
  })
  const [there, here] = [first, second].map(({ baseUrl }) => new URL(baseUrl).origin)

  expect(await bench.run({ service: second })).toMatchObject({
    report: {
      exit: 4,
      requests: 0,
      jobs: [
        {
          ending: 'held',
          elsewhere: there,
          message: `its run ${id} was accepted at ${there}, and ${here} is asked now`,
          hint: `set GENRUN_BASE_URL to that service; if it has moved to this address, say so: \`genrun adopt m.yaml rain ${id}\``,
        },
      ],
    },
  })
  expect(statusOf({ manifest: manifestName, cwd: bench.folder, service: second })).toMatchObject({
    status: {
      toBuy: 0,
      open: [
        {
          is: 'under-way',
          detail: `its run ${id} is at ${there}, and ${here} is asked now`,
          next: 'leaves it alone',
          remedy: `set GENRUN_BASE_URL to ${there}, or say that it moved: genrun adopt m.yaml rain ${id}`,
        },
      ],
    },
  })
  expect(await bench.run()).toMatchObject({ report: { exit: 0, paid: 0 } })
})
