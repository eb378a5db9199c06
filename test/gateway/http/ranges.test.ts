import { expect, test } from 'vitest'
import { type ByteRange, isKnown, partAsked, rangeHolds } from '../../../src/gateway/http/ranges.ts'

test.each<[string | null, number, ByteRange]>([
  [null, 10, { is: 'whole' }],
  ['bytes=0-3', 10, { is: 'part', start: 0, end: 4 }],
  ['bytes=4-', 10, { is: 'part', start: 4, end: 10 }],
  ['bytes=-3', 10, { is: 'part', start: 7, end: 10 }],
  ['bytes=-30', 10, { is: 'part', start: 0, end: 10 }],
  ['bytes=8-100', 10, { is: 'part', start: 8, end: 10 }],
  ['bytes=9-9', 10, { is: 'part', start: 9, end: 10 }],
  ['bytes=10-', 10, { is: 'outside' }],
  ['bytes=-0', 10, { is: 'outside' }],
  ['bytes=0-', 0, { is: 'outside' }],
  ['bytes=5-2', 10, { is: 'whole' }],
  ['bytes=0-1,4-5', 10, { is: 'whole' }],
  ['bytes=-', 10, { is: 'whole' }],
  ['lines=0-3', 10, { is: 'whole' }],
])('the range %s of %i bytes', (range, bytes, part) => {
  expect(partAsked(range, bytes)).toEqual(part)
})

test.each<[string | null, boolean]>([
  [null, true],
  ['"a/1.png"', true],
  ['W/"a/1.png"', false],
  ['"b/1.png"', false],
  ['Tue, 15 Nov 1994 12:45:26 GMT', false],
])('a range under If-Range %s', (header, holds) => {
  expect(rangeHolds(header, '"a/1.png"')).toBe(holds)
})

test.each<[string | null, boolean]>([
  [null, false],
  ['"a"', true],
  ['"b", W/"a"', true],
  ['*', true],
  ['"b"', false],
])('If-None-Match %s', (header, known) => {
  expect(isKnown(header, '"a"')).toBe(known)
})
