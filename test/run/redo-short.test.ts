import { describe, expect, test } from 'vitest'
import { pickTake } from '../../src/verbs/pick.ts'
import { type Bench, manifestName, openBenchWith, paidAt, toldSteps } from '../verbs/bench.ts'

const manifest = (more: string) =>
  `jobs:\n  a: { model: fama-imagine-image, prompt: Tea, count: 4, takes: 2${more} }\n`

const redo = { redo: true, select: { words: ['a'] } }

/** Two takes of which the second is picked, at a service that brings what is asked for, and another one that is short by one. */
async function pickedSecond({ more = '', secondIsShort = false }) {
  const { bench, gateway } = await openBenchWith(manifest(more).replace('takes: 2', 'takes: 1'))
  const short = await openBenchWith('', { faults: 'short=1 first=1' })
  const { baseUrl, key } = short.gateway
  const shortly = { service: { baseUrl, key, rehearsal: false } }
  await bench.run()
  bench.write(manifestName, manifest(more))
  await bench.run(secondIsShort ? shortly : {})
  expect(await pickTake({ manifest: manifestName, cwd: bench.folder, address: 'a#2' })).toMatchObject({
    got: 'picked',
  })
  const paid = () => paidAt(gateway) + paidAt(short.gateway)
  return { bench, shortly, before: paid(), paid }
}

const files = (bench: Bench) => bench.snapshot().filter(line => /^out\/m\/a-\d\.png /.test(line)).length

describe('a redo that picks what it brings', () => {
  test('says at once that it came short', async () => {
    const { bench, shortly } = await pickedSecond({})
    expect(await bench.run({ ...redo, ...shortly })).toMatchObject({
      report: { exit: 1, jobs: [{}, {}, { failure: { why: 'short-delivery', asked: 4, got: 3 } }] },
    })
    expect(await bench.run()).toMatchObject({ report: { exit: 1, paid: 0 } })
  })

  test('tops it up in the same run where its job wants that', async () => {
    const { bench, shortly, before, paid } = await pickedSecond({ more: ', shortDelivery: top-up' })
    expect(await bench.run({ ...redo, ...shortly })).toMatchObject({ report: { exit: 0 } })
    expect([paid() - before, files(bench)]).toEqual([2, 4])
    expect(toldSteps(bench.plan())).toEqual([])
    expect(await bench.run()).toMatchObject({ report: { exit: 0, paid: 0 } })
  })

  test('has no concern with the one before it, which was short', async () => {
    const { bench } = await pickedSecond({ secondIsShort: true })
    expect(await bench.run()).toMatchObject({ report: { exit: 1, paid: 0 } })
    expect(await bench.run(redo)).toMatchObject({ report: { exit: 0, paid: 1 } })
    expect(await bench.run()).toMatchObject({ report: { exit: 0, paid: 0 } })
  })

  test.each(['the same words', 'a plain run'])('nor where %s bring it behind a stop', async by => {
    const { bench } = await pickedSecond({ more: ', mode: submit', secondIsShort: true })
    const stop = new AbortController()
    await bench.run({ ...redo, stop: stop.signal, emit: told => told.event === 'accepted' && stop.abort() })
    expect(await bench.run(by === 'a plain run' ? {} : redo)).toMatchObject({ report: { exit: 0, paid: 0 } })
  })
})
