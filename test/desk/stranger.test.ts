import { expect, test } from 'vitest'
import { manifestName, openBenchAt } from './bench.ts'

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
