import { test } from 'vitest'
import { longest, simulate } from './simulate.ts'

test(
  'two who work at machines of their own, and merge what they have, pay for nothing twice',
  () => simulate('clones'),
  longest,
)
