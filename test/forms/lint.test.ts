import { expect, test } from 'vitest'
import type { JsonObject } from '../../src/base/names.ts'
import { type Model, models } from '../../src/catalog/index.ts'
import { checkParams } from '../../src/forms/validate.ts'
import { smallest } from './samples.ts'

const { 'famc-v3': v3, 'famc-v3-omni': omni, 'famc-video-o1': o1, 'famb-v3': famb3 } = models
const shots = (...durations: (number | string)[]) => durations.map((duration, index) => ({ index, duration }))

test.each<[Model, JsonObject, string[]]>([
  [v3, { endFrame: 'b.png' }, ['endFrame has no effect without startFrame [add a startFrame or remove it]']],
  [v3, { endFrame: 'b.png', startFrame: 'a.png' }, []],
  [
    v3,
    { shotType: 'customize' },
    ['shotType has no effect without multiShot [add multiShot: true or remove it]'],
  ],
  [v3, { shotType: 'customize', multiShot: true }, []],
  [
    v3,
    { multiPrompt: shots(5), multiShot: false },
    ['multiPrompt has no effect without multiShot [add multiShot: true or remove it]'],
  ],
  [v3, { multiPrompt: shots(2, 3), multiShot: true }, []],
  [v3, { multiPrompt: shots(2, '3'), multiShot: true }, []],
  [
    v3,
    { multiPrompt: shots(2, 4), multiShot: true },
    ['the shots last 6 s together, the duration is 5 s [change one of them, so that both are the same]'],
  ],
  [
    v3,
    { multiPrompt: shots(2, 4), multiShot: true, duration: 8 },
    ['the shots last 6 s together, the duration is 8 s [change one of them, so that both are the same]'],
  ],
  [v3, { multiPrompt: [...shots(2), { index: 2 }], multiShot: true }, []],
  [v3, { multiPrompt: shots('soon', 3), multiShot: true }, []],
  [omni, { resolution: '1080p', renderingSpeed: 'pro' }, []],
  [omni, { resolution: '4k', renderingSpeed: 'std' }, []],
  [
    omni,
    { resolution: '720p', renderingSpeed: 'pro' },
    ['renderingSpeed pro goes with 1080p, not with 720p [renderingSpeed: std goes with 720p]'],
  ],
  [
    o1,
    { resolution: '1080p' },
    ['renderingSpeed std, the default, goes with 720p, not with 1080p [renderingSpeed: pro goes with 1080p]'],
  ],
  [
    famb3,
    { imageWeight: 50 },
    ['imageWeight has no effect without imageUrls [add an image in imageUrls or remove it]'],
  ],
  [famb3, { imageWeight: 50, imageUrls: 'a.png' }, []],
  [famb3, { imageWeight: 1, imageUrls: 'a.png' }, []],
  [
    famb3,
    { imageWeight: 52, imageUrls: 'a.png' },
    ['imageWeight should be 1 or a multiple of 5 [the nearest are 50 and 55]'],
  ],
  [
    famb3,
    { imageWeight: 3, imageUrls: 'a.png' },
    ['imageWeight should be 1 or a multiple of 5 [the nearest are 1 and 5]'],
  ],
  [
    famb3,
    { imageWeight: 99, imageUrls: 'a.png' },
    ['imageWeight should be 1 or a multiple of 5 [the nearest are 95 and 100]'],
  ],
])('$id with %j', (model, params, expected) => {
  const problems = checkParams(model, { ...smallest(model), ...params })
  expect(problems.map(({ message, hint }) => (hint ? `${message} [${hint}]` : message))).toEqual(expected)
  expect(problems.every(problem => problem.severity === 'warning')).toBe(true)
})

test('what is wrong is not warned about as well', () => {
  const problems = checkParams(famb3, { prompt: 'x', imageWeight: 500 })
  expect(problems.map(problem => problem.code)).toEqual(['out-of-range'])
})

test('no model is warned about for its least parameters or its defaults', () => {
  for (const model of Object.values<Model>(models)) expect(checkParams(model, smallest(model))).toEqual([])
})
