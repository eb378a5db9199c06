import { test } from 'vitest'
import { longest, simulate } from './simulate.ts'

test(
  'who gives jobs other names on one branch takes nothing from who picks and orders other takes on another',
  () => simulate('branches'),
  longest,
)
