import { expect, test } from 'vitest'
import { exit, gravestExit } from '../../src/base/exit.ts'

test.each([
  [[], exit.ok],
  [[exit.ok, exit.failed], exit.failed],
  [[exit.failed, exit.unfinished, exit.doubt], exit.doubt],
  [[exit.doubt, exit.damaged], exit.damaged],
  [[exit.interrupted, exit.failed, exit.budget], exit.interrupted],
  [[exit.budget, exit.failed], exit.budget],
  [[exit.refused], exit.refused],
])('of %j a script hears %i', (codes, expected) => {
  expect(gravestExit(codes)).toBe(expected)
})
