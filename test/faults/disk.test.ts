import { beforeAll, expect, test } from 'vitest'
import { apart } from './apart.ts'
import { hangsAfterMs } from './budget.ts'
import type { Way } from './failing-disk.ts'

const batches = 12
let lived: Awaited<ReturnType<typeof apart<'failingDisks'>>>
beforeAll(async () => {
  lived = await apart('failingDisks', batches)
}, hangsAfterMs)

test.each<[string, Way]>([
  ['fails at one call, whichever it is,', 'once'],
  ['fails from one call on, whichever it is, until space is freed,', 'on'],
  ['is full after so many bytes, however many,', 'full'],
])('a disk that %s buys nothing that is not recorded, and a rerun pays nothing twice', (_, way) => {
  const { troubles, bad } = lived[way]
  expect(bad).toEqual([])
  console.log(`${troubles} runs of ${batches} batches met a failing disk; paid twice or lost: 0`)
  expect(troubles).toBeGreaterThan(50 * batches)
})
