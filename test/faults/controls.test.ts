import { beforeAll, describe, expect, test } from 'vitest'
import { apart } from './apart.ts'
import { controls, trustedKey } from './breakages.ts'
import { hangsAfterMs } from './budget.ts'

// The zeros of the simulation mean something because these are not zero.
describe('a genrun that is broken on purpose is caught', () => {
  let all: Awaited<ReturnType<typeof apart<'caught'>>>
  beforeAll(async () => {
    all = await apart('caught', 1000)
  }, hangsAfterMs)

  test.each(controls.map(({ name }) => name))('%s', name => {
    const { [name]: caught } = all
    console.log(`caught by seed ${caught?.seed}: ${caught?.accusation}`)
    expect(caught).toBeDefined()
  })
})

test(`${trustedKey.name}: that alone is no fault`, { timeout: hangsAfterMs }, async () => {
  const { bad } = await apart('trustedKey', 1, 500)
  // It does not wait for what the service asks before it sends again.
  const faults = bad.flatMap(({ accusations }) => accusations).filter(each => !each.startsWith('P21'))
  expect(faults).toEqual([])
})

test('a service that forgets runs is no fault of genrun, and what it forgot is not bought again unasked', {
  timeout: hangsAfterMs,
}, async () => {
  const { bad } = await apart('all', 1, 200, { gone: 0.3 })
  expect(bad.flatMap(({ seed, accusations }) => accusations.map(each => `${seed}: ${each}`))).toEqual([])
})
