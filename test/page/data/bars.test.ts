import { expect, test } from 'vitest'
import { peaksIn, peakText } from '../../../src/page/data/bars.ts'

/** A sound whose halves peak there. */
function sound(...peaks: number[]): Float32Array {
  return Float32Array.from(peaks.flatMap(peak => [0, peak, -peak / 2, 0]))
}

test('a wave is drawn against full scale: what is 10 dB quieter is half as high, whatever else is in its file', () => {
  const rounded = (samples: Float32Array) => peaksIn([samples], 2).map(each => Math.round(each * 1000) / 1000)
  expect(rounded(sound(1, 10 ** (-10 / 20)))).toEqual([1, 0.5])
  expect(rounded(sound(10 ** (-10 / 20), 10 ** (-20 / 20)))).toEqual([0.5, 0.25])
  // A decoder may go beyond.
  expect(rounded(sound(1.3, 0))).toEqual([1, 0])
})

test('a sound is as many bars as are wanted, of the loudest in each part', () => {
  const [one, other] = peaksIn([Float32Array.from([0, 0.1, -0.5, 0.2])], 2)
  expect([one, other]).toEqual([expect.closeTo(0.25, 3), expect.closeTo(0.659, 3)])
  expect(peaksIn([new Float32Array(8)], 2)).toEqual([0, 0])
})

test('of several channels the loudest counts, in each part', () => {
  const [left, right] = [Float32Array.from([0, 0, 0, 0.5]), Float32Array.from([0, -1, 0, 0.1])]
  expect(peaksIn([left, right], 2)).toEqual(peaksIn([Float32Array.from([0, 1, 0, 0.5])], 2))
})

test.each([
  ['0 dB', [1, 0.2]],
  ['−6 dB', [10 ** (-6 / 20)]],
  ['−12 dB', [0.01, -(10 ** (-12 / 20))]],
  ['−40 dB', [0.01]],
  ['silent', [0, 0]],
])('its largest peak is told in decibels of full scale: %s', (text, samples) => {
  expect(peakText(peaksIn([Float32Array.from(samples)], samples.length))).toBe(text)
})

test('of a sound that could not be looked into nothing is told', () => {
  expect(peakText([])).toBe('')
})
