import { describe, expect, test } from 'vitest'
import { pointer } from '../../../src/base/names.ts'
import { findModel, type Model } from '../../../src/catalog/index.ts'
import type { Input } from '../../../src/gateway/runs/inputs.ts'
import { renderRequest, unfetchedWarning } from '../../../src/gateway/runs/work.ts'
import type { Media } from '../../../src/media/probe.ts'

const video: Media = {
  kind: 'video',
  type: 'video/mp4',
  extension: 'mp4',
  width: 640,
  height: 360,
  seconds: 4,
  sound: true,
}
const image: Media = { kind: 'image', type: 'image/png', extension: 'png', width: 300, height: 400 }
const audio: Media = { kind: 'audio', type: 'audio/wav', extension: 'wav', seconds: 7 }
const silent: Media = { ...video, sound: false }

function input(param: string, media: Media): Input {
  return { param, kind: media.kind, at: pointer([param]), file: { bytes: new Uint8Array(), media } }
}

function known(id: string): Model {
  const model = findModel(id)
  if (!model) throw new Error(`no model ${id}`)
  return model
}

const facts = ['count', 'width', 'height', 'seconds', 'sound'] as const

describe('sizes and lengths come from the parameters and, where they are silent, from the inputs', () => {
  test.each<[string, string, Record<string, string | number | boolean>, Input[], Record<string, unknown>]>([
    [
      'an image',
      'fama-imagine-image',
      { aspectRatio: '20:9', resolution: '2k' },
      [],
      { width: 2048, height: 922 },
    ],
    ['several', 'famb-v3', { count: 4, aspectRatio: '9:16' }, [], { count: 4, width: 576, height: 1024 }],
    ['of exact size', 'famb-v4', { resolution: '1440x2880' }, [], { width: 1440, height: 2880 }],
    ['a video', 'famc-v3', {}, [], { width: 1280, height: 720, seconds: 5, sound: true }],
    ['without sound', 'famc-v3', { generateAudio: false, duration: 12 }, [], { seconds: 12, sound: false }],
    ['in 4k', 'famc-v3', { renderingSpeed: '4k', aspectRatio: '1:1' }, [], { width: 2160, height: 2160 }],
    [
      'an edit',
      'fama-edit-video',
      {},
      [input('videoUrl', video)],
      { width: 640, height: 360, seconds: 4, sound: true },
    ],
    ['an extension', 'fama-extend-video', { duration: 8 }, [input('videoUrl', video)], { seconds: 12 }],
    [
      'an extension by default',
      'fama-extend-video',
      {},
      [input('videoUrl', silent)],
      { seconds: 10, sound: false },
    ],
    [
      'motion from a video',
      'famc-motion-control',
      { resolution: '1080p' },
      [input('imageUrls', image), input('videoUrl', video)],
      { width: 1920, height: 1080, seconds: 4, sound: true },
    ],
    [
      'motion that drops the sound',
      'famc-motion-control',
      { keepOriginalSound: 'no' },
      [input('imageUrls', image), input('videoUrl', video)],
      { width: 1280, height: 720, sound: false },
    ],
    [
      'an avatar',
      'famc-avatar',
      { renderingSpeed: 'pro' },
      [input('imageUrls', image), input('audioUrl', audio)],
      { width: 1080, height: 1440, seconds: 7, sound: true },
    ],
    [
      'an effect',
      'famc-video-effects',
      {},
      [input('imageUrls', image)],
      { width: 960, height: 1280, seconds: 5, sound: false },
    ],
    ['sound for a video', 'famc-v2a', {}, [input('videoUrl', video)], { seconds: 4 }],
    ['sound', 'famc-t2a', { duration: 3.5 }, [], { seconds: 3.5 }],
    ['speech', 'fama-tts', {}, [], {}],
    [
      'an edit of what was not fetched',
      'fama-edit-video',
      {},
      [{ param: 'videoUrl', kind: 'video', at: pointer(['videoUrl']) }],
      { width: 1280, height: 720, seconds: 5 },
    ],
  ])('%s', (_, id, params, inputs, expected) => {
    const request = renderRequest({ model: known(id), params, inputs }, 'run', undefined)
    const shown = Object.fromEntries(
      facts.flatMap(fact => (request[fact] === undefined ? [] : [[fact, request[fact]]])),
    )
    expect(shown).toMatchObject({ count: 1, ...expected })
    if (id === 'fama-tts') expect(Object.keys(shown)).toEqual(['count'])
  })
})

test('what was not fetched is said once a name', () => {
  const inputs: Input[] = [
    { param: 'imageUrls', kind: 'image', at: pointer(['imageUrls', 0]) },
    { param: 'imageUrls', kind: 'image', at: pointer(['imageUrls', 1]) },
    input('videoUrl', video),
  ]
  expect(unfetchedWarning(inputs)).toBe('made without imageUrls: links to elsewhere are not fetched here')
  expect(unfetchedWarning([input('videoUrl', video)])).toBeUndefined()
})
