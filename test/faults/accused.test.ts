import { expect, test } from 'vitest'
import { live } from './history.ts'
import { type Kind, kinds } from './kinds.ts'

// Each was accused once, and is told here as long as its seed still comes to the same acts.
test.each<[Kind, number, string]>([
  ['simulation', 332_595, 'a pick that a put-back lock does not know came back with the run after the next'],
  ['clones', 3353, 'the judge took it for known at both machines that a result was accepted at one of them'],
  ['clones', 27_949, 'the judge did not find the order of what came from a cache and was accepted'],
])('%s %i: %s', async (kind, seed) => {
  expect((await live(seed, kinds[kind].staging)).accusations).toEqual([])
})
