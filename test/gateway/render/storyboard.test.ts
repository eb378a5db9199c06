import { expect, test } from 'vitest'
import { shotsOf } from '../../../src/gateway/render/storyboard.ts'
import { videoRequest } from './tools.ts'

const item = (index: number, prompt: string, duration: number) => ({ index, prompt, duration })

test('a clip without a storyboard is one shot', () => {
  expect(shotsOf(videoRequest({ prompt: 'fog' }), 90)).toEqual([
    { prompt: 'fog', nth: 0, first: 0, frames: 90 },
  ])
})

test('a storyboard is cut in its own order, by its own lengths', () => {
  const params = { multiShot: true, multiPrompt: [item(2, 'b', 2), item(1, 'a', 1)] }
  expect(shotsOf(videoRequest({ params }), 90)).toEqual([
    { prompt: 'a', nth: 0, first: 0, frames: 30 },
    { prompt: 'b', nth: 1, first: 30, frames: 60 },
  ])
})

test('a storyboard without multiShot is not cut', () => {
  expect(
    shotsOf(videoRequest({ params: { multiShot: false, multiPrompt: [item(1, 'a', 1)] } }), 90),
  ).toHaveLength(1)
})

test('cutting left to the model gives a shot for every two seconds', () => {
  const params = { multiShot: true, shotType: 'intelligence' }
  expect(shotsOf(videoRequest({ params, seconds: 6 }), 180).map(shot => shot.frames)).toEqual([60, 60, 60])
})

test.each([
  [[1, 1, 1, 1, 1, 1], 4],
  [[1000, 1, 1], 3],
  [[0, -4, 2], 90],
])('shots of %j cover %i frames without a gap', (durations, frames) => {
  const multiPrompt = durations.map((duration, k) => item(k, String(k), duration))
  const shots = shotsOf(videoRequest({ params: { multiShot: true, multiPrompt } }), frames)
  expect(shots.every(shot => shot.frames >= 1)).toBe(true)
  for (const [k, shot] of shots.entries()) {
    expect(shot.first + shot.frames).toBe(shots[k + 1]?.first ?? frames)
  }
})

test('what is added to a clip begins where it ended', () => {
  expect(shotsOf(videoRequest(), 300, 120)).toMatchObject([{ first: 120, frames: 180 }])
})
