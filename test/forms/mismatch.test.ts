import { expect, test } from 'vitest'
import type { Expectation } from '../../src/forms/expect.ts'
import { mismatchOf } from '../../src/forms/mismatch.ts'
import type { Media } from '../../src/media/probe.ts'

const image = { kind: 'image', count: 1, width: 1024, height: 576, aspectRatio: '16:9' } as const
const video = { kind: 'video', count: 1, width: 1280, height: 720, aspectRatio: '16:9', seconds: 5 } as const
const got = (more: Partial<Media>): Media =>
  ({ kind: 'image', type: 'image/png', extension: 'png', ...more }) as Media

test.each<[string, Expectation, Partial<Media>, string | undefined]>([
  ['an image as asked', image, { width: 1024, height: 576 }, undefined],
  ['an image of one megapixel for 1k', image, { width: 1344, height: 756 }, undefined],
  [
    'an image of half the size',
    image,
    { width: 512, height: 288 },
    'it is 512x288, and about 1024x576 was asked',
  ],
  [
    'a square for 16:9',
    image,
    { width: 1024, height: 1024 },
    'it is 1024x1024, and about 1024x576 was asked',
  ],
  [
    'a shape where no pixels are known',
    { kind: 'image', count: 1, aspectRatio: '1:1' },
    { width: 700, height: 701 },
    undefined,
  ],
  [
    'another shape where no pixels are known',
    { kind: 'image', count: 1, aspectRatio: '1:1' },
    { width: 900, height: 700 },
    'it is 900x700, and 1:1 was asked',
  ],
  ['a video as asked', video, { width: 1280, height: 720, seconds: 5.04 }, undefined],
  [
    "a video with a codec's rounding",
    { ...video, width: 854, height: 480 },
    { width: 848, height: 480, seconds: 5 },
    undefined,
  ],
  [
    'a video of a smaller class',
    { ...video, width: 1920, height: 1080 },
    { width: 1280, height: 720, seconds: 5 },
    'it is 1280x720, and about 1920x1080 was asked',
  ],
  [
    'a video that is too short',
    video,
    { width: 1280, height: 720, seconds: 3.21 },
    'it lasts 3.2 s, and 5 s were asked',
  ],
  [
    'a video without its sound',
    { ...video, sound: true },
    { width: 1280, height: 720, seconds: 5, sound: false },
    'it has no sound',
  ],
  [
    'everything at once',
    { ...video, sound: false },
    { width: 720, height: 1280, seconds: 10, sound: true },
    'it is 720x1280, and about 1280x720 was asked; it lasts 10 s, and 5 s were asked; it has sound that was not asked for',
  ],
  ['sound of any length where none was asked', { kind: 'audio', count: 1 }, { seconds: 3 }, undefined],
])('%s', (_, asked, media, told) => {
  expect(mismatchOf(asked, got(media))).toBe(told)
})

test('a size that was asked in pixels must come so', () => {
  const asked = { kind: 'image', count: 1, width: 1024, height: 768 } as const
  expect(mismatchOf(asked, got({ width: 1024, height: 768 }), true)).toBeUndefined()
  expect(mismatchOf(asked, got({ width: 1024, height: 767 }), true)).toBe(
    'it is 1024x767, and 1024x768 was asked',
  )
})
