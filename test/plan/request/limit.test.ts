import { expect, test } from 'vitest'
import { jobAddress } from '../../../src/base/names.ts'
import { planRequest } from '../../../src/plan/request/planned.ts'
import type { Selection } from '../../../src/plan/request/select.ts'
import { isJobStep } from '../../../src/plan/shapes/step.ts'
import { remarksOn } from '../../../src/wording/remarks.ts'
import { done, doubt, facts, failed, job, running } from '../world.ts'

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

test.each<[string, Selection, string[], object | undefined]>([
  ['a limit alone', { limit: 1 }, ['buy still', 'aside gone', 'drop lost'], undefined],
  ['a limit above all', { limit: 9 }, ['buy still', 'buy voice', 'aside gone', 'drop lost'], undefined],
  ['a selection', { words: ['still'] }, ['buy still'], { doubts: 2, running: 1 }],
  [
    'a selection with a limit',
    { words: ['still', 'made'], limit: 0 },
    ['doubt made'],
    { doubts: 1, running: 1 },
  ],
])('what no job asks for is dealt with, or told, beside %s', (_, select, steps, unselected) => {
  const wanted = [needing('still'), needing('voice'), needing('made')]
  const purchases = [running(needing('gone')), doubt(needing('lost')), doubt(needing('made'))]
  const planned = planRequest({ jobs: wanted, picked: [], select }, facts({ purchases }))
  if (planned.got !== 'planned') throw new Error(planned.word)
  const told = planned.plan.steps.map(
    step => `${step.do} ${isJobStep(step) ? step.job.address : step.address}`,
  )
  expect(told.filter(each => each !== 'doubt made' || select.words)).toEqual(steps)
  expect(planned.plan.unselected).toEqual(unselected)
  const atWork = { manifest: 'm.yaml', cwd: '/' }
  const remark =
    /^not selected, and left as it is: .* in doubt and 1 run paid for and not fetched; `genrun status m.yaml` tells of it$/
  expect(remarksOn(planned.plan, atWork).some(each => remark.test(each))).toBe(unselected !== undefined)
})

test('a doubt of what a job asked for before is not told as of nobody where a limit leaves the job for another run', () => {
  const before = (address: string) => doubt(job(address, { prompt: 'before' }))
  const purchases = [before('still'), before('voice')]
  const wanted = [needing('still'), needing('voice')]
  const planned = planRequest(
    { jobs: wanted, picked: [], select: { limit: 1 }, choices: { resubmit: true } },
    facts({ purchases }),
  )
  const steps = planned.got === 'planned' ? planned.plan.steps : []
  expect(steps.map(step => [step.do, isJobStep(step) ? step.job.address : step.address])).toEqual([
    ['buy', 'still'],
  ])
})

test('what is ordered in the place of a doubt is not told as left', () => {
  const purchases = [doubt(needing('made')), doubt(needing('lost'))]
  const planned = planRequest(
    {
      jobs: [needing('made')],
      picked: [],
      select: { words: ['made'] },
      choices: { resubmit: true },
    },
    facts({ purchases }),
  )
  expect(planned).toMatchObject({
    plan: { steps: [{ do: 'buy' }], unselected: { doubts: 1, running: 0 } },
  })
})

test('what failed and what is in doubt is meant by one command, also under the names that the jobs have now', () => {
  const purchases = [failed(needing('still')), doubt(job('before', { prompt: 'voice' }))]
  const wanted = [needing('still'), job('voice', { prompt: 'voice' }), needing('film')]
  const select = { failed: true, resubmit: true }
  const planned = planRequest(
    { jobs: wanted, picked: [], select, choices: { failed: true, resubmit: true } },
    facts({ purchases }),
  )
  const steps = planned.got === 'planned' ? planned.plan.steps : []
  expect(steps.map(step => [step.do, isJobStep(step) ? step.job.address : step.address])).toEqual([
    ['buy', 'still'],
    ['buy', 'voice'],
  ])
})
