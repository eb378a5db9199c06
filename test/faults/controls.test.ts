import { beforeAll, describe, expect, test } from 'vitest'
import { apart } from './apart.ts'
import { controls, trustedKey } from './breakages.ts'
import { hangsAfterMs } from './budget.ts'

let lived: Awaited<ReturnType<typeof apart<'controls'>>>
beforeAll(async () => {
  lived = await apart('controls', 1000)
}, hangsAfterMs)

// The zeros of the simulation mean something because these are not zero.
describe('a genrun that is broken on purpose is caught', () => {
  test.each(controls.map(({ name }) => name))('%s', name => {
    const { [name]: caught } = lived.caught
    console.log(`caught by seed ${caught?.seed}: ${caught?.accusation}`)
    expect(caught).toBeDefined()
  })
})

test(`${trustedKey.name}: that alone is no fault`, () => {
  const { seeds, bad } = lived.trusted
  // It does not wait for what the service asks before it sends again.
  const faults = bad.flatMap(({ accusations }) => accusations).filter(each => !each.startsWith('P21'))
  expect(faults).toEqual([])
  expect(seeds).toBe(500)
})

test('a service that forgets runs is no fault of genrun, and what it forgot is not bought again unasked', () => {
  const { seeds, bad } = lived.gone
  expect(bad.flatMap(({ seed, accusations }) => accusations.map(each => `${seed}: ${each}`))).toEqual([])
  expect(seeds).toBe(200)
})
