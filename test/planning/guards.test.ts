import { expect, test } from 'vitest'
import { guardsAgainst } from '../../src/planning/guards.ts'
import type { PlannedRun } from '../../src/planning/make-plan.ts'
import { job } from '../engine/fake.ts'

/** A plan that buys so many results again, and one that nobody has. Of a plan, the guards look at no more than this. */
function buying(again: number): PlannedRun {
  const steps = Array.from({ length: again }, (_, nth) => ({
    do: 'buy',
    job: job(`j${nth}`),
    because: [],
    again: true,
  }))
  const bill = { unknown: [] }
  return {
    plan: { steps: [...steps, { do: 'buy', job: job('new'), because: [] }] },
    jobs: [],
    bill,
    caps: {},
  } as never
}

const manifest = { manifest: 'm.yaml', cwd: '/project' }

test.each([
  [20, {}, []],
  [21, {}, ['many-again']],
  [3, { rebuyGuard: 3 }, []],
  [4, { rebuyGuard: 3 }, ['many-again']],
  [0, { rebuyGuard: 0 }, []],
  [1, { rebuyGuard: 0 }, ['many-again']],
  [21, { yes: true }, []],
  [20, { redo: true }, []],
  [21, { redo: true }, ['many-again']],
  [21, { redo: true, yes: true }, []],
] as const)('%i results bought again, with %j, bring about %j', (again, word, codes) => {
  expect(guardsAgainst(buying(again), { ...manifest, ...word }).map(({ code }) => code)).toEqual(codes)
})

test('what is lost and ordered by --rebuy is bought again as well', () => {
  const lost = Array.from({ length: 21 }, (_, nth) => ({
    do: 'buy',
    job: job(`j${nth}`),
    because: [{ why: 'asked', word: '--rebuy' }],
  }))
  const planned = { plan: { steps: lost }, jobs: [], bill: { unknown: [] }, caps: {} } as never
  expect(guardsAgainst(planned, manifest)).toMatchObject([
    {
      code: 'many-again',
      message: '21 results that are paid for would be bought again (j0, j1, j2 and …)',
      hint: '`genrun plan m.yaml --rebuy` shows why; --yes buys them, files that are put back are kept',
    },
  ])
  expect(guardsAgainst(planned, { ...manifest, yes: true })).toEqual([])
})
