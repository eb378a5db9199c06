import { expect, test } from 'vitest'
import { resultsText } from '../../../src/page/client/words.ts'

const of = (...files: number[]) => files.map(count => ({ files: Array.from({ length: count }) }))

test.each([
  [of(1, 1), '2 results, 2 files'],
  [of(2, 1, 0), '3 results, 3 files, 1 without a file'],
  [of(1), '1 result, 1 file'],
  [of(0, 0), '2 results, 0 files: nothing is made yet'],
])('results are counted take by take, files one by one', (results, text) => {
  expect(resultsText(results)).toBe(text)
})
