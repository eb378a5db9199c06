import { describe, expect, test } from 'vitest'
import { type Control, controls, trustedKey } from './breakages.ts'
import { hangsAfterMs } from './budget.ts'
import { live } from './history.ts'
import { liveAll } from './tally.ts'

// The zeros of the simulation mean something because these are not zero.
describe('a genrun that is broken on purpose is caught', () => {
  test.each(controls.map(control => [control.name, control] as const))('%s', async (_, control) => {
    const caught = await firstCaught(control, 1000)
    console.log(`caught by seed ${caught?.seed}: ${caught?.accusation}`)
    expect(caught).toBeDefined()
  })
})

test(`${trustedKey.name}: that alone is no fault`, { timeout: hangsAfterMs }, async () => {
  const { bad } = await liveAll(1, 500, trustedKey)
  // It does not wait for what the service asks before it sends again.
  const faults = bad.flatMap(({ accusations }) => accusations).filter(each => !each.startsWith('P21'))
  expect(faults).toEqual([])
})

test('a service that forgets runs is no fault of genrun, and what it forgot is not bought again unasked', {
  timeout: hangsAfterMs,
}, async () => {
  const { bad } = await liveAll(1, 200, { gone: 0.3 })
  expect(bad.flatMap(({ seed, accusations }) => accusations.map(each => `${seed}: ${each}`))).toEqual([])
})

/** The smallest seed that shows the break for what it is. */
async function firstCaught(
  control: Control,
  most: number,
): Promise<{ readonly seed: number; readonly accusation: string } | undefined> {
  for (let seed = 1; seed <= most; seed++) {
    const { accusations } = await live(seed, control)
    const accusation = accusations.find(each =>
      control.breaks.some(promise => each.startsWith(`${promise}:`)),
    )
    if (accusation !== undefined) return { seed, accusation }
  }
  return undefined
}
