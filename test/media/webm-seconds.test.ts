import { WebMOutputFormat } from 'mediabunny'
import { expect, test } from 'vitest'
import { webmSeconds } from '../../src/media/webm-seconds.ts'
import { movie, samples } from './samples.ts'

const readFrom = (bytes: Uint8Array) => (start: number, length: number) =>
  bytes.subarray(start, start + length)
const secondsOf = (bytes: Uint8Array) => webmSeconds(readFrom(bytes), bytes.length)

test('a WebM is as long as its segment says', async () => {
  expect(secondsOf((await samples()).webm)).toBeCloseTo(1, 1)
})

test('a live recording does not say it', async () => {
  const live = await movie(new WebMOutputFormat({ appendOnly: true }), ['vp9'])
  expect(secondsOf(live)).toBeUndefined()
})

test('anything else has no length, and a cut file leads nowhere', async () => {
  const { webm, mp4, png } = await samples()
  expect([mp4, png, new Uint8Array(), new Uint8Array(100)].map(secondsOf)).toEqual(Array(4).fill(undefined))
  for (let end = 0; end < 400; end++) expect(() => secondsOf(webm.subarray(0, end))).not.toThrow()
})
