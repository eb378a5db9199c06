import { expect, test } from 'vitest'
import { failureMessage } from '../../src/base/failure.ts'
import { jobAddress } from '../../src/base/names.ts'

test('a failure names what happened in the words of the user', () => {
  expect(failureMessage({ why: 'refused', status: 422, detail: 'bad ratio' })).toBe(
    'the service refused the request (422): bad ratio',
  )
  expect(failureMessage({ why: 'needs', address: jobAddress('hero') })).toBe(
    'not started: hero did not finish',
  )
  expect(failureMessage({ why: 'closed', because: { why: 'no-credit', detail: '' } })).toBe(
    'not sent, because an earlier request failed: the account has no credit left (402)',
  )
  const because = { why: 'refused', status: 422, detail: '' } as const
  const rule = { is: 'alike', orders: 3, workflow: 'still' } as const
  expect(failureMessage({ why: 'closed', because, rule })).toBe(
    'not sent, because 3 orders of still in a row were refused alike: the service refused the request (422)',
  )
})
