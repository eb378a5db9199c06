import { test } from 'vitest'
import { longest, simulate } from './simulate.ts'

test(
  'what people say of orders is done once, and nothing beside it is bought',
  () => simulate('wishes'),
  longest,
)
