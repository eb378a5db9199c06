import { test } from 'vitest'
import { budget } from './budget.ts'
import { deciding } from './people.ts'
import { longest, replay, simulate } from './simulate.ts'

const staging = { acts: deciding, redoes: 0.3, resubmits: 0.3 }

test(
  'what people say of orders is done once, and nothing beside it is bought',
  () => (budget.replay === undefined ? simulate(budget.seeds / 20, staging) : replay(staging)),
  longest,
)
