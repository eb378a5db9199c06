import { test } from 'vitest'
import { budget } from './budget.ts'
import { longest, replay, simulate } from './simulate.ts'

test(
  'a service that honours keys is asked again under the same key, and only while it remembers',
  () =>
    budget.replay === undefined
      ? simulate(budget.seeds / 5, { keys: 'trusted' })
      : replay({ keys: 'trusted' }),
  longest,
)
