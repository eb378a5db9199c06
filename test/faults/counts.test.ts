import { test } from 'vitest'
import { longest, simulate } from './simulate.ts'

test(
  'whatever number of files people ask for, and however few come, nothing is ordered that is paid for',
  () => simulate('counts'),
  longest,
)
