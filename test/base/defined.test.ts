import { expect, test } from 'vitest'
import { defined } from '../../src/base/defined.ts'

test('what is undefined is left out, and everything else stays in its order', () => {
  const values = { b: 0, a: undefined, c: '', d: null, e: false }
  expect(Object.entries(defined(values))).toEqual([
    ['b', 0],
    ['c', ''],
    ['d', null],
    ['e', false],
  ])
})

test('spread, it hides nothing that is there', () => {
  const hint: string | undefined = undefined
  expect({ hint: 'before', ...defined({ hint }) }).toEqual({ hint: 'before' })
})
