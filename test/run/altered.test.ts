import { expect, test } from 'vitest'
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
