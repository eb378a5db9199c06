import { expect, test } from 'vitest'
import { manifestName, openBenchAt, pixel } from '../verbs/bench.ts'

/** A service that finishes the first run of each batch at once, and the others when a crowd is there or nobody has come for a while. */
async function openHall() {
  let batch = { crowd: 0, runs: 0, seen: 0, until: Number.POSITIVE_INFINITY }
  let [count, first] = [0, 0]
  const bench = await openBenchAt((request, response) => {
    request.resume().on('end', () => {
      const path = request.url ?? ''
      if (path.startsWith('/files/')) return response.end(pixel)
      if (path.endsWith('/submit')) {
        batch.runs++
        batch.until = Date.now() + 3000
        return response.end(JSON.stringify({ id: `r${count++}` }))
      }
      const id = path.split('/').at(-2)
      if (id !== `r${first}` && batch.runs < batch.crowd && Date.now() < batch.until)
        return response.end(JSON.stringify({ id, status: 'running' }))
      if (id !== `r${first}` && batch.seen === 0) batch.seen = Math.min(batch.runs, batch.crowd)
      const outputs = [`http://${request.headers.host}/files/${id}.png`]
      return response.end(JSON.stringify({ id, status: 'completed', outputs }))
    })
  })
  const expectCrowd = (crowd: number) => {
    first = count
    batch = { crowd, runs: 0, seen: 0, until: Number.POSITIVE_INFINITY }
  }
  return { bench, expectCrowd, seen: () => batch.seen }
}

function manifestOf(jobs: number): string {
  const lines = Array.from(
    { length: jobs },
    (_, nth) => `  j${nth}: { model: famb-v3, mode: submit, prompt: Tea ${nth} }\n`,
  )
  return `jobs:\n${lines.join('')}`
}

test.each([
  ['eight more without results of the same day, and one in place of the first', 0, 14],
  ['all of them with some', 4, 30],
])('once the first file of a run has come, orders go on: %s', async (_, earlier, most) => {
  const { bench, expectCrowd, seen } = await openHall()
  if (earlier > 0) {
    bench.write(manifestName, manifestOf(earlier))
    expect(await bench.run()).toMatchObject({ report: { counts: { made: earlier } } })
  }
  expectCrowd(30)
  bench.write(manifestName, manifestOf(earlier + 40))
  expect(await bench.run()).toMatchObject({ report: { exit: 0, counts: { made: 40 } } })
  expect(seen()).toBe(most)
})
