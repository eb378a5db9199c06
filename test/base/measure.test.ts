import { expect, test } from 'vitest'
import { bytesText, clockText, counted, elapsedText, grouped, secondsText } from '../../src/base/measure.ts'

test.each([
  [0, '0 B'],
  [999, '999 B'],
  [1000, '1.0 kB'],
  [9949, '9.9 kB'],
  [9950, '10 kB'],
  [812_400, '812 kB'],
  [999_499, '999 kB'],
  [999_500, '1.0 MB'],
  [1_234_567, '1.2 MB'],
  [2 * 1000 ** 3, '2.0 GB'],
  [5_000 * 1000 ** 4, '5000 TB'],
])('%d bytes read as %s', (bytes, text) => {
  expect(bytesText(bytes)).toBe(text)
})

test.each([
  [0.04, '0.0 s', '+0.0s', '0s'],
  [12.34, '12.3 s', '+12.3s', '12s'],
  [59.94, '59.9 s', '+59.9s', '59s'],
  [59.96, '1 min 00 s', '+1m00s', '59s'],
  [65, '1 min 05 s', '+1m05s', '1m05s'],
  [3599.6, '1 h 00 min', '+59m59s', '59m59s'],
  [7380, '2 h 03 min', '+2h03m', '2h03m'],
])('%d seconds read as %s in a summary, %s in a log and %s on a screen', (seconds, summary, log, screen) => {
  expect([secondsText(seconds), elapsedText(seconds), clockText(seconds)]).toEqual([summary, log, screen])
})

test('time that has not begun is shown as none', () => {
  expect([elapsedText(-0.5), clockText(-3)]).toEqual(['+0.0s', '0s'])
})

test.each([
  [1, 'file', undefined, '1 file'],
  [0, 'file', undefined, '0 files'],
  [10_000, 'file', undefined, '10,000 files'],
  [2, 'entry', 'entries', '2 entries'],
])('%d of a thing is counted in words', (count, one, several, text) => {
  expect(counted(count, one, several)).toBe(text)
})

test('thousands are set apart', () => {
  expect([999, 1000, 1_234_567].map(grouped)).toEqual(['999', '1,000', '1,234,567'])
})
