import { test } from 'vitest'
import { budget } from './budget.ts'
import { longest, replay, simulate } from './simulate.ts'

test(
  'whatever number of files people ask for, and however few come, nothing is ordered that is paid for',
  () =>
    budget.replay === undefined
      ? simulate(budget.seeds / 10, { isCounted: true })
      : replay({ isCounted: true }),
  longest,
)
