import { expect, test } from 'vitest'
import { pictureSize } from '../../src/media/picture-size.ts'
import { samples } from './samples.ts'

test('a picture has its pixels, by its head alone', async () => {
  const { png, jpeg, webp, avif } = await samples()
  for (const bytes of [png, jpeg, webp, avif]) expect(pictureSize(bytes)).toEqual({ width: 40, height: 24 })
  expect(pictureSize(png.subarray(0, 64))).toEqual({ width: 40, height: 24 })
})

test('one that a camera stored on its side is turned', async () => {
  const { jpeg } = await samples()
  // EXIF in a segment of its own behind the start: one entry, orientation (0x0112), "turn to the right".
  const exif = Uint8Array.from([
    ...[0xff, 0xe1, 0, 34],
    ...new TextEncoder().encode('Exif\0\0'),
    ...[0x4d, 0x4d, 0, 0x2a, 0, 0, 0, 8],
    ...[0, 1, 0x01, 0x12, 0, 3, 0, 0, 0, 1, 0, 6, 0, 0, 0, 0, 0, 0],
  ])
  const turned = Uint8Array.from([...jpeg.subarray(0, 2), ...exif, ...jpeg.subarray(2)])
  expect(pictureSize(turned)).toEqual({ width: 24, height: 40 })
})

test('what is no picture has no pixels', async () => {
  const { mp4, wav } = await samples()
  for (const bytes of [mp4, wav, new Uint8Array(), new Uint8Array(40)])
    expect(pictureSize(bytes)).toBeUndefined()
})
