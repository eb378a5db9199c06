// A lock may be written by anybody: what lies in the output folder, and another manifest's index names, is not this one's.
import { expect, test } from 'vitest'
import { pruneManifest } from '../../../src/verbs/prune.ts'
import type { Bench } from '../../verbs/bench.ts'
import { openSeller, shade } from '../../verbs/seller.ts'

const own = { manifest: 'own.yaml' }
const tea = { manifest: 'tea.yaml' }

function jobsOf(prompts: Readonly<Record<string, string>>): string {
  const jobs = Object.entries(prompts).map(([name, prompt]) => `  ${name}: { prompt: ${prompt} }\n`)
  return `output: out/own\ndefaults: { model: fama-imagine-image }\njobs:\n${jobs.join('')}`
}

/** A lock that says of the results of `own.yaml` that they are those of `tea.yaml`. */
function claimAll(bench: Bench): void {
  const ids = new Map<string, string>()
  const idFor = (id: string) =>
    ids.get(id) ?? `${ids.set(id, String(ids.size + 77).padStart(32, '0')).get(id)}`
  const lock = bench
    .read('own.lock.json')
    .replace('"own.yaml"', '"tea.yaml"')
    .replace(/"lineage":"\w+"/, `"lineage":"${'7'.padStart(32, '0')}"`)
    .replace(/"id":"(\w{32})"/g, (_, id: string) => `"id":"${idFor(id)}"`)
  bench.write('tea.lock.json', lock)
}

async function openOwn() {
  const { bench, seller } = await openSeller()
  seller.file = run => shade(Number(run.slice(1)))
  bench.write('own.yaml', jobsOf({ mine: 'cup', two: 'pot' }))
  expect(await bench.run(own)).toMatchObject({ report: { paid: 2 } })
  claimAll(bench)
  bench.write('tea.yaml', jobsOf({ mine: 'other' }))
  const files = () => ['mine', 'two'].map(name => bench.bytes(`out/own/${name}.png`).toString('base64'))
  return { bench, seller, files }
}

test('what another manifest has made is not put aside for what this one buys', async () => {
  const { bench, seller, files } = await openOwn()
  const before = files()
  const message = 'mine.png is there already, and it is a result of own.yaml'
  expect(await bench.run(tea)).toMatchObject({ got: 'refused', problems: [{ message }] })
  expect(seller.orders).toHaveLength(2)
  expect(files()).toEqual(before)
})

test('nor is it removed by prune', async () => {
  const { bench, files } = await openOwn()
  const before = files()
  for (const more of [{}, { aside: true }])
    expect(await pruneManifest({ ...bench.request(tea), isConfirmed: true, ...more })).toMatchObject({
      got: 'pruned',
    })
  expect(files()).toEqual(before)
})

test('what no manifest that is there has made any more is this one’s by its lock', async () => {
  const { bench, seller } = await openOwn()
  bench.remove('own.yaml')
  bench.remove('own.lock.json')
  expect(await bench.run(tea)).toMatchObject({ got: 'report' })
  expect(seller.orders).toHaveLength(3)
})
