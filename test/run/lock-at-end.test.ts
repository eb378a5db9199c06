import { describe, expect, onTestFinished, test } from 'vitest'
import type { RunRequest } from '../../src/workspace/workspace.ts'
import {
  type Bench,
  closeBench,
  manifestName,
  openBench,
  openBenchAt,
  pixel,
  toldSteps,
} from '../verbs/bench.ts'

const manifest = 'jobs:\n  hero: { model: fama-imagine-image, mode: submit, prompt: Tea }\n'

test('an order that no answer came to after a stop stands in the lock, and is not ordered again by it', async () => {
  let paid = 0
  const stop = new AbortController()
  const bench = await openBenchAt(request => {
    request.resume().on('end', () => {
      paid++
      stop.abort()
    })
  })
  bench.write(manifestName, manifest)
  expect(await bench.run({ stop: stop.signal })).toMatchObject({
    report: { exit: 3, jobs: [{ ending: 'doubt' }] },
  })
  expect(bench.read('m.lock.json')).toContain('"state":"doubt"')
  bench.remove('.genrun')
  expect(toldSteps(bench.plan())).toEqual([expect.stringMatching(/^doubt hero/)])
  await bench.run()
  expect(paid).toBe(1)
}, 20_000)

describe('the state folder goes after a kill before the answer', () => {
  /** What `kill -9` leaves when an order has arrived, and no answer has; without its state folder. */
  async function killed({ isFirst, isRefused = false }: { isFirst: boolean; isRefused?: boolean }) {
    let paid = 0
    let isOver = false
    let left: Bench | undefined
    const service = () => ({ baseUrl: `${bench.origin}/gw-v2`, key: 'k3y' })
    const bench = await openBenchAt((request, response) => {
      request.resume().on('end', () => {
        if (request.url?.startsWith('/files/')) return void response.end(pixel)
        paid++
        if (!isOver && bench.read(manifestName).includes('Milk')) {
          isOver = true
          if (isRefused) return void response.writeHead(422).end('{}')
          left = openBench(service(), bench)
        }
        response.end(JSON.stringify({ outputs: [`http://${request.headers.host}/files/${paid}.png`] }))
      })
    })
    const job = (name: string, prompt: string) => `  ${name}: { model: famb-v3, prompt: ${prompt} }\n`
    const before = isFirst ? '' : job('tea', 'Tea')
    bench.write(manifestName, `jobs:\n${before}`)
    if (!isFirst) await bench.run()
    bench.write(manifestName, `jobs:\n${before}${job('milk', 'Milk')}`)
    await bench.run()
    const copy = left ?? openBench(service(), bench)
    onTestFinished(() => closeBench(copy))
    copy.remove('.genrun')
    return { copy, paid: () => paid }
  }

  test('beside a lock: the order is in doubt, and not bought again', async () => {
    const { copy, paid } = await killed({ isFirst: false })
    expect(copy.read('m.lock.json')).not.toContain('Milk')
    expect(await copy.run()).toMatchObject({ report: { exit: 3, counts: { kept: 1, doubt: 1 } } })
    expect(copy.read('m.lock.json')).toContain('"state":"doubt"')
    expect(paid()).toBe(2)
  })

  test('with no lock yet: the run asks for `recover`, which finds the doubt', async () => {
    const { copy, paid } = await killed({ isFirst: true })
    expect(copy.has('m.lock.json')).toBe(false)
    expect(await copy.run()).toMatchObject({ got: 'refused', problems: [{ code: 'lost-records' }] })
    expect(paid()).toBe(1)
  })

  test('what was refused is in doubt for nobody', async () => {
    const { copy, paid } = await killed({ isFirst: false, isRefused: true })
    expect(await copy.run()).toMatchObject({ report: { counts: { kept: 1, made: 1 } } })
    expect(paid()).toBe(3)
  })
})

test('what was written down and did not leave, for a stop, is in doubt for nobody when the state folder goes', async () => {
  let paid = 0
  const bench = await openBenchAt((request, response) => {
    request.resume().on('end', () => {
      if (request.url?.startsWith('/files/')) return void response.end(pixel)
      paid++
      response.end(JSON.stringify({ outputs: [`http://${request.headers.host}/files/${paid}.png`] }))
    })
  })
  const tea = 'jobs:\n  tea: { model: famb-v3, prompt: Tea }\n'
  bench.write(manifestName, tea)
  await bench.run()
  bench.write(manifestName, `${tea}  milk: { model: famb-v3, prompt: Milk }\n`)
  const stop = new AbortController()
  const emit: RunRequest['emit'] = ({ event }) => event === 'sending' && stop.abort()
  await bench.run({ stop: stop.signal, emit })
  expect(paid).toBe(1)
  bench.remove('.genrun')
  expect(await bench.run()).toMatchObject({ report: { counts: { kept: 1, made: 1 } } })
})
