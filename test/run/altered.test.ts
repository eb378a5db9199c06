import { expect, test } from 'vitest'
import { acceptJobs } from '../../src/verbs/accept.ts'
import type { RunEvent } from '../../src/wording/report.ts'
import { type Bench, manifestName, toldSteps } from '../verbs/bench.ts'
import { openLookedShop, stripes } from './looked-shop.ts'

// What a hand has altered is no result any more: nothing is made from it, as the next run would buy that anew, and the one after it.

const manifest =
  "jobs:\n  a: { model: fama-imagine-image, prompt: Tea }\n  d: { model: fama-imagine-image, prompt: From it, imageUrls: '${{ jobs.a.output }}' }\n"
const path = 'out/m/a.png'
const own = '  a: { model: fama-imagine-image, prompt: Tea }'

const longer: [string, (bench: Bench) => Buffer] = ['of another length', () => stripes(7)]
const asLong: [string, (bench: Bench) => Buffer] = [
  'as long as before',
  bench => {
    const bytes = Buffer.from(bench.bytes(path))
    bytes[bytes.length - 20] = (bytes.at(-20) ?? 0) ^ 1
    return bytes
  },
]

test.each([longer, asLong])(
  'nothing is made from a result that was altered, %s, and once it is back, once',
  async (_, alter) => {
    const { bench, orders } = await openLookedShop(0, manifest)
    await bench.run({ select: { words: ['a'] } })
    const made = bench.bytes(path)
    bench.write(path, alter(bench))
    for (const _ of ['first', 'second'])
      expect(await bench.run()).toMatchObject({
        report: {
          paid: 0,
          jobs: [{}, { address: 'd', message: expect.stringContaining('altered since it was made') }],
        },
      })
    expect(orders()).toBe(1)
    bench.write(path, made)
    for (const paid of [1, 0]) expect(await bench.run()).toMatchObject({ report: { exit: 0, paid } })
  },
)

test('a plan holds what would be made from it, and the altered file is used by a name of its own', async () => {
  const { bench, orders } = await openLookedShop(0, manifest)
  await bench.run({ select: { words: ['a'] } })
  bench.write(path, stripes(7))
  expect(toldSteps(bench.plan())).toEqual([
    'keep a: altered since it was made, and left as it is: a.png',
    'hold d: it is made from a.png of a, which was altered since it was made',
  ])
  expect(await bench.run()).toMatchObject({
    report: { exit: 4, jobs: [{}, { ending: 'held', hint: expect.stringContaining('a name of its own') }] },
  })
  bench.write('mended.png', stripes(7))
  bench.write(
    manifestName,
    `jobs:\n${own}\n${manifest.split('\n')[2]?.replace('${{ jobs.a.output }}', 'mended.png')}\n`,
  )
  for (const paid of [1, 0]) expect(await bench.run()).toMatchObject({ report: { exit: 0, paid } })
  expect(orders()).toBe(2)
})

test('what was made before it was altered stays as it is, and is not made anew from it', async () => {
  const { bench, orders } = await openLookedShop(0, manifest)
  await bench.run()
  bench.write(path, stripes(7))
  expect(await bench.run()).toMatchObject({ report: { exit: 0, paid: 0 } })
  bench.edit(manifestName, 'From it', 'From it again')
  for (const _ of ['first', 'second'])
    expect(await bench.run()).toMatchObject({ report: { exit: 4, paid: 0 } })
  expect(orders()).toBe(2)
})

const pair =
  'jobs:\n  a: { model: fama-imagine-image, prompt: Tea }\n  b: { model: fama-imagine-image, prompt: Milk }\n'

async function openPair() {
  const shop = await openLookedShop(0, pair)
  const { bench } = shop
  await bench.run()
  const made = bench.bytes(path)
  return { ...shop, made, alterAsLong: () => bench.write(path, asLong[1](bench)) }
}

test('results whose jobs exchange names do not move where one was altered, and both do once it is back', async () => {
  const { bench, orders, made, alterAsLong } = await openPair()
  const other = bench.bytes('out/m/b.png')
  alterAsLong()
  const altered = bench.bytes(path)
  bench.write(manifestName, pair.replace('Tea', 'Z').replace('Milk', 'Tea').replace('Z', 'Milk'))
  const lock = bench.read('m.lock.json')
  expect(await bench.run()).toMatchObject({
    got: 'refused',
    problems: [{ code: 'file-in-the-way', message: 'a.png was altered since genrun made it' }],
  })
  expect([bench.bytes(path), bench.bytes('out/m/b.png')]).toEqual([altered, other])
  expect(bench.read('m.lock.json')).toBe(lock)
  bench.write(path, made)
  for (const paid of [0, 0]) expect(await bench.run()).toMatchObject({ report: { exit: 0, paid } })
  expect([bench.bytes(path), bench.bytes('out/m/b.png')]).toEqual([other, made])
  expect(orders()).toBe(2)
})

test.each(['put back', 'moved away'])(
  'nothing is ordered whose name an altered result has, as long as before: %s, it is ordered once',
  async how => {
    const { bench, orders, made, alterAsLong } = await openPair()
    alterAsLong()
    bench.edit(manifestName, 'Tea', 'Strong tea')
    for (const _ of ['first', 'second'])
      expect(await bench.run()).toMatchObject({
        report: {
          exit: 4,
          paid: 0,
          jobs: [
            {
              address: 'a',
              message: 'not sent: a.png was altered since genrun made it',
              hint: expect.stringContaining('nothing was sent'),
            },
            { address: 'b', ending: 'kept' },
          ],
        },
      })
    expect(orders()).toBe(2)
    if (how === 'put back') bench.write(path, made)
    else bench.remove(path)
    for (const paid of [1, 0]) expect(await bench.run()).toMatchObject({ report: { exit: 0, paid } })
  },
)

test('an altered result moves with its job as it is, leaves nothing behind, and is told', async () => {
  const { bench, orders } = await openPair()
  bench.write(path, stripes(7))
  bench.edit(manifestName, '  a:', '  x:')
  expect(toldSteps(bench.plan())).toContain(
    'adopt x: the same as a, which is no longer wanted: altered since it was made, and left as it is: a.png',
  )
  expect(bench.plan().remarks).toContain('a.png was altered since genrun made it, and is left as it is')
  expect(await bench.run()).toMatchObject({ report: { paid: 0 } })
  expect(bench.bytes('out/m/x.png')).toEqual(stripes(7))
  expect(bench.has(path)).toBe(false)
  expect(orders()).toBe(2)
})

test('what was altered is not accepted, be it as long as before', async () => {
  const { bench, made, alterAsLong } = await openPair()
  alterAsLong()
  bench.edit(manifestName, 'Tea', 'Teas')
  bench.edit(manifestName, 'Milk', 'Milks')
  const accept = () => acceptJobs(bench.request())
  expect(await accept()).toMatchObject({
    record: { accepted: [{ address: 'b' }], left: [{ address: 'a', why: 'a.png is gone or altered' }] },
  })
  bench.write(path, made)
  expect(await accept()).toMatchObject({ record: { accepted: [{ address: 'a' }], left: [] } })
  expect(await bench.run()).toMatchObject({ report: { exit: 0, paid: 0 } })
})

test('a take that `redo` ordered waits for its name where the one before it was altered meanwhile, and is told', async () => {
  const { bench, orders, during, made, alterAsLong } = await openPair()
  const told: string[] = []
  during(3, alterAsLong)
  const emit = (event: RunEvent) => {
    if (event.event === 'warned') told.push(event.message)
  }
  await bench.run({ redo: true, select: { words: ['a'] }, emit })
  const altered = 'a.png was altered since genrun made it'
  expect(told).toEqual([`not picked yet: a#2, as ${altered}; mend that, and the next run picks it`])
  expect(await bench.run()).toMatchObject({ got: 'refused', problems: [{ message: altered }] })
  bench.write(path, made)
  for (const paid of [0, 0]) expect(await bench.run()).toMatchObject({ report: { exit: 0, paid } })
  expect(bench.read('m.lock.json')).toContain('"picked":true')
  expect(orders()).toBe(3)
})
