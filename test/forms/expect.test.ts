import { describe, expect, test } from 'vitest'
import type { JsonObject } from '../../src/base/names.ts'
import { type Model, type ModelId, models } from '../../src/catalog/index.ts'
import { type Expectation, expectOf } from '../../src/forms/expect.ts'

/** `image x2 1024x576 16:9`, `video x1 1280x720 16:9 5s sound`. */
function short({ kind, count, width, height, aspectRatio, seconds, sound }: Expectation): string {
  const size = width === undefined ? '?' : `${width}x${height}`
  const length = seconds === undefined ? [] : [`${seconds}s`]
  const heard = sound === undefined ? [] : [sound ? 'sound' : 'silent']
  return [kind, `x${count}`, size, aspectRatio ?? '?', ...length, ...heard].join(' ')
}

test('with nothing but defaults, each model yields', () => {
  const yields = Object.values<Model>(models).map(model => `${model.id}: ${short(expectOf(model, {}))}`)
  expect(yields).toEqual([
    'fama-imagine-video: video x1 1280x720 16:9 6s sound',
    'fama-imagine-video-1.5: video x1 1280x720 16:9 8s sound',
    'fama-edit-video: video x1 ? ?',
    'fama-extend-video: video x1 ? ?',
    'fama-imagine-image: image x1 1024x1024 1:1',
    'fama-imagine-image-quality: image x1 2048x2048 1:1',
    'fama-imagine-image-2.0: image x1 1024x1024 1:1',
    'fama-tts: audio x1 ? ?',
    'famb-v4: image x1 2048x2048 ?',
    'famb-p-image: image x1 1024x1024 ?',
    'famb-v3: image x1 ? 16:9',
    'famb-character: image x1 1024x1024 ?',
    'famc-v3: video x1 1280x720 16:9 5s sound',
    'famc-v3-turbo: video x1 1280x720 16:9 5s',
    'famc-v2-6: video x1 1280x720 16:9 5s sound',
    'famc-v3-omni: video x1 1280x720 16:9 5s silent',
    'famc-video-o1: video x1 1280x720 16:9 5s silent',
    'famc-motion-control-v3: video x1 ? ?',
    'famc-motion-control: video x1 ? ?',
    'famc-avatar: video x1 ? ?',
    'famc-3.0-image: image x1 1024x576 16:9',
    'famc-o1-image: image x1 1024x576 16:9',
    'famc-video-effects: video x1 ? ?',
    'famc-t2a: audio x1 ? ? 5s',
    'famc-v2a: audio x1 ? ?',
  ])
})

describe('what is written decides', () => {
  test.each<[ModelId, JsonObject, string]>([
    [
      'famc-v3',
      { renderingSpeed: 'pro', aspectRatio: '9:16', duration: 12 },
      'video x1 1080x1920 9:16 12s sound',
    ],
    ['famc-v3', { renderingSpeed: '4k', generateAudio: false }, 'video x1 3840x2160 16:9 5s silent'],
    ['famc-v3-omni', { resolution: '1080p', renderingSpeed: 'std' }, 'video x1 1920x1080 16:9 5s silent'],
    ['famc-v3-omni', { resolution: '4k', aspectRatio: '1:1' }, 'video x1 2160x2160 1:1 5s silent'],
    ['fama-imagine-video', { resolution: '480p' }, 'video x1 854x480 16:9 6s sound'],
    ['fama-imagine-video', { resolution: '480p', aspectRatio: '2:3' }, 'video x1 480x720 2:3 6s sound'],
    ['fama-imagine-video', { resolution: '480p', aspectRatio: '4:3' }, 'video x1 640x480 4:3 6s sound'],
    ['fama-imagine-image', { aspectRatio: '19.5:9', count: 4 }, 'image x4 1024x472 19.5:9'],
    ['fama-imagine-image', { aspectRatio: '9:19.5', resolution: '2k' }, 'image x1 946x2048 9:19.5'],
    ['famc-3.0-image', { resolution: '4k', aspectRatio: '21:9', count: 9 }, 'image x9 4096x1756 21:9'],
    ['famb-v4', { resolution: '1296x3168' }, 'image x1 1296x3168 ?'],
    ['famb-v3', { aspectRatio: '3:4', count: 6 }, 'image x6 ? 3:4'],
    ['famc-t2a', { duration: 7.5 }, 'audio x1 ? ? 7.5s'],
    ['fama-extend-video', { duration: 10 }, 'video x1 ? ?'],
  ])('%s with %j', (id, params, expected) => {
    expect(short(expectOf(models[id], params))).toBe(expected)
  })
})

test('every size of every model is even, and has both sides or none', () => {
  for (const model of Object.values<Model>(models)) {
    for (const aspectRatio of valuesOf(model, 'aspectRatio')) {
      for (const resolution of valuesOf(model, 'resolution')) {
        const { width, height } = expectOf(model, { ...aspectRatio, ...resolution })
        expect((width === undefined) === (height === undefined)).toBe(true)
        expect([(width ?? 0) % 2, (height ?? 0) % 2]).toEqual([0, 0])
      }
    }
  }
})

function valuesOf(model: Model, name: string): JsonObject[] {
  const param = model.params[name]
  return param?.type === 'enum' ? param.values.map(value => ({ [name]: value })) : [{}]
}
