import { expect, test } from 'vitest'
import { retryAfterMs } from '../../../src/wire/http/retry-after.ts'

const at = Date.parse('1994-11-06T08:49:30Z')
const date = 'Sun, 06 Nov 1994 08:49:27 GMT'

test.each<[string, string, string | undefined, number | undefined]>([
  ['seconds', '5', undefined, 5000],
  ['none at all', '0', undefined, 0],
  ['decimals', '0.25', undefined, 250],
  ['decimals, never rounded down', '1.0001', undefined, 1001],
  ['a date against the answer’s own', 'Sun, 06 Nov 1994 08:49:37 GMT', date, 10_000],
  ['a date without the answer’s own', 'Sun, 06 Nov 1994 08:49:37 GMT', undefined, 7000],
  ['a date of RFC 850', 'Sunday, 06-Nov-94 08:49:37 GMT', date, 10_000],
  ['a date of asctime', 'Sun Nov  6 08:49:37 1994', date, 10_000],
  ['a date that is past', 'Sun, 06 Nov 1994 08:00:00 GMT', date, 0],
  ['a date of the answer that is no date', 'Sun, 06 Nov 1994 08:49:37 GMT', 'now', 7000],
  ['a word', 'soon', date, undefined],
  ['a negative number', '-5', date, undefined],
  ['an exponent', '1e3', date, undefined],
  ['nothing', '', date, undefined],
  ['more than a number holds', '9'.repeat(400), date, 100 * 365 * 86_400_000],
  ['a date that nobody lives to see', 'Fri, 31 Dec 9999 23:59:59 GMT', date, 100 * 365 * 86_400_000],
  ['a date in UTC', 'Sun, 06 Nov 1994 08:49:37 UTC', date, 10_000],
  ['a date in another zone', 'Sun, 06 Nov 1994 10:49:37 +0200', date, 10_000],
  ['a date in small letters', 'sun, 06 nov 1994 08:49:37 gmt', date, 10_000],
  ['the longer of two', '5, 10', date, 10_000],
  ['the longer of two, the first', '10.5,2', date, 10_500],
  ['the longer of a date and seconds', 'Sun, 06 Nov 1994 08:49:37 GMT, 120', date, 120_000],
  ['the longer of seconds and a date', '5, Sun, 06 Nov 1994 08:49:37 GMT', date, 10_000],
  ['the one of two that means something', 'soon, 7', date, 7000],
])('Retry-After is understood as %s', (_, asked, sent, waitMs) => {
  expect(retryAfterMs({ headers: { 'retry-after': asked, date: sent }, at })).toBe(waitMs)
})

test('without the header nothing is asked', () => {
  expect(retryAfterMs({ headers: { date }, at })).toBeUndefined()
})
