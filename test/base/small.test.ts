import { expect, test } from 'vitest'
import { systemClock } from '../../src/base/clock.ts'
import { exit, gravestExit } from '../../src/base/exit.ts'
import { failureMessage } from '../../src/base/failure.ts'
import { jobAddress, pointer, pointerSteps, runId } from '../../src/base/names.ts'
import { bareLink, redactor } from '../../src/base/redact.ts'

test.each([
  ['r-1', true],
  ['a/b?c', true],
  ['.', false],
  ['..', false],
  ['', false],
  ['has space', false],
  ['ümlaut', false],
  ['x'.repeat(256), true],
  ['x'.repeat(257), false],
])('%j is a run id: %s', (text, isOne) => {
  expect(runId(text) !== undefined).toBe(isOne)
})

test('a pointer escapes and gives its steps back', () => {
  expect(pointer(['a/b', 0, 'c~d'])).toBe('/a~1b/0/c~0d')
  expect(pointerSteps(pointer(['a/b', 0, 'c~d']))).toEqual(['a/b', '0', 'c~d'])
})

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

test('a secret is taken out as it is, encoded, and in JSON; links lose their query', () => {
  const redact = redactor(['s3cr"et/key'])
  expect(redact('key s3cr"et/key!')).toBe('key [secret]!')
  expect(redact(encodeURIComponent('s3cr"et/key'))).toBe('[secret]')
  expect(redact(JSON.stringify('s3cr"et/key'))).toBe('"[secret]"')
  expect(redact(Buffer.from('s3cr"et/key').toString('base64'))).toBe('[secret]')
  expect(redact('see https://cdn.example/a.png?sig=abc#x ok')).toBe('see https://cdn.example/a.png?… ok')
  expect(bareLink('https://cdn.example/a.png?sig=abc')).toBe('https://cdn.example/a.png')
})

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

test('the clock returns at once for a past date and for an aborted signal', async () => {
  await systemClock.until(0)
  await systemClock.until(systemClock.now() + 60_000, AbortSignal.abort())
  const stop = new AbortController()
  const wait = systemClock.until(systemClock.now() + 60_000, stop.signal)
  stop.abort()
  await wait
})
