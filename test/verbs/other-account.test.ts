import { expect, test, vi } from 'vitest'
import { manifestName, openBenchAt, pixel } from './bench.ts'

/** A service where each account knows its own runs only. */
async function accounts() {
  let ordered = 0
  const bench = await openBenchAt((request, response) => {
    const answer = (status: number, body: object) =>
      response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(body))
    if (request.url === '/files/r1.png')
      return response.writeHead(200, { 'content-type': 'image/png' }).end(pixel)
    if (request.method === 'POST') {
      ordered++
      return answer(202, { id: 'r1', status: 'accepted' })
    }
    const isOurs = Object.values(request.headers).some(value => String(value).includes('k3y'))
    if (!isOurs) return answer(404, { error: { code: 'unknown_run' } })
    const outputs = [{ url: `http://${request.headers.host}/files/r1.png`, type: 'image/png' }]
    return answer(200, { id: 'r1', status: 'completed', outputs })
  })
  bench.write(manifestName, 'jobs:\n  tea: { model: fama-imagine-image, prompt: Tea, mode: submit }\n')
  const { service } = bench.request()
  return { bench, paid: () => ordered, other: { service: { ...service, key: 'another' } } }
}

test("a run that another account's key does not find is held, and never bought again", async () => {
  const { bench, paid, other } = await accounts()
  const stop = new AbortController()
  await bench.run({ stop: stop.signal, emit: told => void (told.event === 'accepted' && stop.abort()) })
  expect(paid()).toBe(1)
  // No longer young: it is not waited for.
  const later = Date.now() + 600_000
  const clock = vi.spyOn(Date, 'now').mockReturnValue(later)
  try {
    expect(await bench.run(other)).toMatchObject({
      report: { paid: 0, exit: 1, jobs: [{ ending: 'failed', failure: { why: 'gone' } }] },
    })
    for (const _ of ['that key', 'again'])
      expect(await bench.run(other)).toMatchObject({
        report: { paid: 0, exit: 4, jobs: [{ ending: 'held' }] },
      })
    expect(await bench.run({ choices: { failed: true }, select: failed })).toMatchObject({
      report: { exit: 0, jobs: [{ ending: 'made', run: 'r1' }] },
    })
  } finally {
    clock.mockRestore()
  }
  expect(paid()).toBe(1)
}, 60_000)

const failed = { words: [], tags: [], models: [], failed: true, changed: false }
