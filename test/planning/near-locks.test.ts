import { renameSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { problemRecord } from '../../src/base/diagnostic.ts'
import { type Bench, openBenchWith, paidAt } from '../verbs/bench.ts'

const asking = (of: string, names: readonly string[], shared: readonly string[] = []) =>
  `jobs:\n${[...shared.map(name => [name, 'Shared']), ...names.map(name => [name, of])]
    .map(([name, prompt]) => `  ${name}: { model: fama-imagine-image, prompt: ${prompt} ${name} }\n`)
    .join('')}`

/** Two manifests in one folder, all of both made. */
async function two(a: string, b: string) {
  const { bench, gateway } = await openBenchWith('')
  bench.remove('m.yaml')
  bench.write('a.yaml', a)
  bench.write('b.yaml', b)
  for (const manifest of ['a.yaml', 'b.yaml']) await bench.run({ manifest })
  return { bench, gateway, paid: paidAt(gateway) }
}

function swap({ folder }: Bench, a: string, b: string): void {
  const move = (from: string, to: string) => renameSync(join(folder, from), join(folder, to))
  move(a, 'between')
  move(b, a)
  move('between', b)
}

async function problemOf(bench: Bench, manifest: string) {
  const result = await bench.run({ manifest })
  return result.got === 'refused' ? result.problems.map(problemRecord)[0] : result
}

test('a job that asks for what another manifest has is bought alone as well as with all others, which this one keeps', async () => {
  const { bench, gateway, paid } = await two(asking('Tea', ['x', 'y']), asking('Snow', ['z']))
  bench.write('a.yaml', asking('Tea', ['x']) + asking('Snow', ['z']).replace('jobs:\n', ''))
  const select = { words: ['z'] }
  expect(await bench.run({ manifest: 'a.yaml', select })).toMatchObject({ report: { exit: 0, paid: 1 } })
  expect(paidAt(gateway)).toBe(paid + 1)
})

test.each<[string, string, string, number]>([
  ['other jobs', asking('Tea', ['x', 'y', 'z']), asking('Snow', ['u', 'v', 'w']), 3],
  ['jobs of the same names', asking('Tea', ['x', 'y', 'z']), asking('Snow', ['x', 'y', 'z']), 3],
  [
    'most jobs in common',
    asking('Tea', ['x', 'y'], ['s', 't', 'u']),
    asking('Snow', ['x', 'y'], ['s', 't', 'u']),
    2,
  ],
])('two manifests with %s that swapped their names buy nothing by themselves', async (_, a, b, count) => {
  const { bench, gateway, paid } = await two(a, b)
  swap(bench, 'a.yaml', 'b.yaml')
  expect(await problemOf(bench, 'a.yaml')).toMatchObject({
    code: 'renamed-manifest',
    message: `it asks for what b.yaml has bought (${count} purchases, known by b.lock.json), and no more for what it has bought itself: have the two manifests each other’s names?`,
  })
  expect(await problemOf(bench, 'b.yaml')).toMatchObject({ code: 'renamed-manifest' })
  expect(paidAt(gateway)).toBe(paid)
  // Who gives the names back goes on as before.
  swap(bench, 'a.yaml', 'b.yaml')
  expect(await bench.run({ manifest: 'a.yaml' })).toMatchObject({ report: { exit: 0, requests: 0 } })
  // And who means it buys.
  swap(bench, 'a.yaml', 'b.yaml')
  expect(await bench.run({ manifest: 'a.yaml', continues: 'none' })).toMatchObject({
    report: { paid: count },
  })
  expect(await bench.run({ manifest: 'a.yaml' })).toMatchObject({ report: { exit: 0, requests: 0 } })
})

test('nor where their locks are gone, and the journals know it', async () => {
  const { bench, gateway, paid } = await two(asking('Tea', ['x', 'y']), asking('Snow', ['x', 'y']))
  bench.remove('a.lock.json')
  bench.remove('b.lock.json')
  swap(bench, 'a.yaml', 'b.yaml')
  for (const manifest of ['a.yaml', 'b.yaml'])
    expect(await problemOf(bench, manifest)).toMatchObject({ code: 'renamed-manifest' })
  expect(paidAt(gateway)).toBe(paid)
})

test('nor where the locks were swapped with them', async () => {
  const { bench, gateway, paid } = await two(asking('Tea', ['x', 'y']), asking('Snow', ['x', 'y']))
  swap(bench, 'a.yaml', 'b.yaml')
  swap(bench, 'a.lock.json', 'b.lock.json')
  expect(await bench.run({ manifest: 'a.yaml' })).toMatchObject({
    got: 'damaged',
    message: expect.stringMatching(/a\.lock\.json: it belongs to the manifest b\.yaml, not to a\.yaml$/),
    hint: 'if two manifests swapped their names, give these back: this lock is b.lock.json; or put it back from version control, so that nothing is bought twice',
  })
  expect(paidAt(gateway)).toBe(paid)
})

test('a lock that was copied along with its manifest is told as the copy, which is deleted', async () => {
  const { bench, gateway, paid } = await two(asking('Tea', ['x', 'y']), asking('Snow', ['x', 'y']))
  bench.write('c.yaml', bench.read('a.yaml'))
  bench.write('c.lock.json', bench.read('a.lock.json'))
  expect(await bench.run({ manifest: 'c.yaml' })).toMatchObject({
    got: 'damaged',
    hint: 'it is a copy of a.lock.json, which stays: delete c.lock.json, and what was bought for this manifest itself is made a lock of anew',
  })
  bench.remove('c.lock.json')
  expect(bench.plan({ manifest: 'c.yaml' })).toMatchObject({ paid: 2 })
  expect(await bench.run({ manifest: 'a.yaml' })).toMatchObject({ report: { exit: 0, requests: 0 } })
  expect(paidAt(gateway)).toBe(paid)
})

test('a job that two manifests ask for in the same words is no such sign', async () => {
  const { bench } = await two(asking('Tea', ['x', 'y']), asking('Snow', ['x', 'y']))
  bench.edit('a.yaml', 'Tea x', 'Snow x')
  expect(await bench.run({ manifest: 'a.yaml' })).toMatchObject({ report: { exit: 0, paid: 1 } })
})
