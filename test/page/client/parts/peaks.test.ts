import { afterEach, expect, test, vi } from 'vitest'
import { peaksOf } from '../../../../src/page/client/parts/peaks.ts'
import { bars, peaksIn } from '../../../../src/page/data/bars.ts'

function answering(answer: () => Promise<Response>): void {
  vi.stubGlobal('fetch', answer)
}

function file(key: string) {
  return { key, path: `${key}.wav`, type: 'audio/wav', bytes: 44, seconds: 1 }
}

const here = () => Promise.resolve(new Response('sound'))

afterEach(() => void vi.unstubAllGlobals())

test('a sound that is on its right channel alone is drawn as loud as it is there', async () => {
  const right = Float32Array.from({ length: bars }, () => 0.5)
  answering(here)
  const channels = [new Float32Array(bars), right]
  expect(await peaksOf(file('right'), './right', async () => channels)).toEqual(peaksIn([right], bars))
})

test.each([
  ['nobody answers', () => Promise.reject(new TypeError('Failed to fetch'))],
  ['it is refused', () => Promise.resolve(new Response('', { status: 503 }))],
])('where %s nothing is known of a sound, and it is asked for again', async (how, answer) => {
  const loud = Float32Array.from({ length: bars }, () => 1)
  const ask = () => peaksOf(file(how), './voice', async () => [loud])
  answering(answer)
  expect(await ask()).toBeUndefined()
  answering(here)
  expect(await ask()).toEqual(peaksIn([loud], bars))
})

test('what cannot be decoded has no peaks, and is not fetched again for that', async () => {
  const ask = () => peaksOf(file('broken'), './broken', () => Promise.reject(new Error('unable to decode')))
  answering(here)
  expect(await ask()).toEqual([])
  answering(() => Promise.reject(new Error('asked again')))
  expect(await ask()).toEqual([])
})
