import { test } from 'vitest'
import { longest, simulate } from './simulate.ts'

test(
  'through crashes, lost answers and power cuts, nothing is paid twice and nothing paid for is lost',
  () => simulate('simulation'),
  longest,
)
