import { test } from 'vitest'
import { longest, simulate } from './simulate.ts'

test(
  'whatever names jobs get that ask for the same, what was made from their files is not ordered again',
  () => simulate('twins'),
  longest,
)
