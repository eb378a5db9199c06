import { test } from 'vitest'
import { budget } from './budget.ts'
import { longest, replay, simulate } from './simulate.ts'

test(
  'through crashes, lost answers and power cuts, nothing is paid twice and nothing paid for is lost',
  () => (budget.replay === undefined ? simulate((budget.seeds * 6) / 10) : replay()),
  longest,
)
