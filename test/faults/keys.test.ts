import { test } from 'vitest'
import { longest, simulate } from './simulate.ts'

test(
  'a service that honours keys is asked again under the same key, and only while it remembers',
  () => simulate('keys'),
  longest,
)
