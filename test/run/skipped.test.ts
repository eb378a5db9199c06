import { expect, test } from 'vitest'
import { resolveOrders } from '../../src/verbs/resolve.ts'
import { manifestName, openBenchAt, pixel } from '../verbs/bench.ts'

const eight = Array.from(
  { length: 8 },
  (_, nth) => `  j${nth}: { model: famb-v3, prompt: Tea ${nth} }\n`,
).join('')

/** A service whose work fails until it is well. */
async function openNight() {
  let isWell = false
  let paid = 0
  const bench = await openBenchAt((request, response) => {
    request.resume().on('end', () => {
      if (request.url?.startsWith('/files/')) {
        response.end(pixel)
        return
      }
      paid++
      const made = { outputs: [`http://${request.headers.host}/files/${paid}.png`] }
      response.end(JSON.stringify(isWell ? made : { status: 'failed', error: 'out of memory' }))
    })
  })
  bench.write(manifestName, `jobs:\n${eight}`)
  return { bench, paid: () => paid, heal: () => (isWell = true) }
}

const again = { choices: { failed: true }, select: { failed: true } } as const

test('--failed takes along what was skipped because the buying had ended, and nothing that was never asked for', async () => {
  const { bench, paid, heal } = await openNight()
  expect(await bench.run()).toMatchObject({ report: { counts: { failed: 5, skipped: 3 } } })
  expect(paid()).toBe(5)
  heal()
  bench.write(manifestName, `jobs:\n${eight}  late: { model: famb-v3, prompt: Another tea }\n`)
  const report = await bench.run(again)
  expect(report).toMatchObject({ report: { exit: 0, counts: { made: 8 } } })
  expect(paid()).toBe(13)
})

test('what was not ordered because of a cap is no failure', async () => {
  const { bench, paid, heal } = await openNight()
  heal()
  expect(await bench.run({ caps: { maxPaid: 2 } })).toMatchObject({
    report: { counts: { made: 2, skipped: 6 } },
  })
  expect(await bench.run(again)).toMatchObject({ report: { paid: 0 } })
  expect(paid()).toBe(2)
})

test('--failed goes on after --max-failures as well', async () => {
  const { bench, heal } = await openNight()
  expect(await bench.run({ limits: { failures: 1, execute: 1 } })).toMatchObject({
    report: { exit: 6, counts: { failed: 1, skipped: 7 } },
  })
  heal()
  expect(await bench.run(again)).toMatchObject({ report: { exit: 0, counts: { made: 8 } } })
})

test('--failed takes along what a person has said is to be ordered anew', async () => {
  let isWell = false
  const bench = await openBenchAt((request, response) => {
    const isFile = request.url?.startsWith('/files/') === true
    if (!isFile && !isWell) {
      request.socket.destroy()
      return
    }
    const made = { outputs: [`http://${request.headers.host}/files/tea.png`] }
    response.end(isFile ? pixel : JSON.stringify(made))
  })
  bench.write(manifestName, 'jobs:\n  tea: { model: famb-v3, prompt: Tea }\n')
  expect(await bench.run()).toMatchObject({ report: { exit: 3 } })
  isWell = true
  await resolveOrders({ ...bench.request(), words: ['tea'], resolution: { is: 'resubmit' } })
  expect(await bench.run(again)).toMatchObject({ report: { exit: 0, paid: 1, counts: { made: 1 } } })
  expect(await bench.run(again)).toMatchObject({ report: { exit: 0, paid: 0 } })
})

test('what is in doubt is told as that until the order in its place has left', async () => {
  let isWell = false
  const bench = await openBenchAt((request, response) => {
    request.resume().on('end', () => {
      if (!isWell) request.socket.destroy()
      else if (request.url?.startsWith('/files/')) response.end(pixel)
      else response.end(JSON.stringify({ outputs: [`http://${request.headers.host}/files/1.png`] }))
    })
  })
  bench.write(manifestName, 'jobs:\n  cup: { model: famb-v3, prompt: Tea }\n')
  expect(await bench.run()).toMatchObject({ report: { exit: 3, counts: { doubt: 1 } } })
  const anew = { choices: { failed: true, resubmit: true } } as const
  const capped = await bench.run({ ...anew, caps: { maxPaid: 0 } })
  expect(capped).toMatchObject({ report: { exit: 3, counts: { doubt: 1 }, paid: 0 } })
  isWell = true
  expect(await bench.run(anew)).toMatchObject({ report: { exit: 0, counts: { made: 1 }, paid: 1 } })
})
