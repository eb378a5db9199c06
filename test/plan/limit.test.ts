import { expect, test } from 'vitest'
import { jobAddress } from '../../src/base/names.ts'
import { planRequest } from '../../src/plan/planned.ts'
import { isJobStep } from '../../src/plan/step.ts'
import { done, facts, job } from './world.ts'

const needing = (address: string, ...needs: string[]) =>
  job(address, { prompt: address }, { needs: needs.map(jobAddress) })

const jobs = [
  needing('clip', 'still'),
  needing('made'),
  needing('still'),
  needing('voice'),
  needing('film', 'clip', 'voice'),
]

test.each([
  [1, ['still']],
  [2, ['still', 'clip']],
  [3, ['still', 'clip', 'voice']],
  [4, ['still', 'clip', 'voice', 'film']],
  [100, ['still', 'clip', 'voice', 'film']],
])('of four that would be bought, the first %i, what they need before them', (limit, bought) => {
  const planned = planRequest(
    { jobs, picked: [], select: { limit } },
    facts({ purchases: [done(needing('made'))] }),
  )
  if (planned.got !== 'planned') throw new Error(planned.word)
  const doing = (what: string) =>
    planned.plan.steps.flatMap(step => (isJobStep(step) && step.do === what ? [step.job.address] : []))
  expect(doing('buy').toSorted()).toEqual(bought.toSorted())
  expect(doing('keep')).toEqual(['made'])
  expect(planned.leftOut ?? 0).toBe(Math.max(0, 4 - limit))
})
