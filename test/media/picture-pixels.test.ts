import { createCanvas, type Image } from '@napi-rs/canvas'
import { beforeEach, expect, test, vi } from 'vitest'
import { shadesOf, squarePixels } from '../../src/media/picture-pixels.ts'

const unpacked: Image[] = []

vi.mock(import('@napi-rs/canvas'), async original => {
  const real = await original()
  const loadImage: typeof real.loadImage = async (...given) => {
    const image = await real.loadImage(...given)
    unpacked.push(image)
    return image
  }
  return { ...real, loadImage }
})

beforeEach(() => {
  unpacked.length = 0
})

const kinds = ['png', 'jpeg', 'webp'] as const

/** Red on its left half, and nothing on its right. */
function half(kind: (typeof kinds)[number]): Buffer {
  const canvas = createCanvas(300, 200)
  const pen = canvas.getContext('2d')
  pen.fillStyle = '#ff0000'
  pen.fillRect(0, 0, 150, 200)
  return kind === 'png' ? canvas.encodeSync('png') : canvas.encodeSync(kind, 100)
}

test.each(kinds)('what a %s is unpacked into is given back once its pixels are read', async kind => {
  const pixels = await squarePixels(half(kind), 4)
  const [left, right] = [pixels?.subarray(0, 4), pixels?.subarray(12, 16)]
  expect(left?.[0]).toBeGreaterThan(240)
  expect(right?.[0]).toBeLessThan(140)
  const [red] = (await shadesOf(half(kind), 30, [[1, 0, 0]])) ?? []
  expect(red).toMatchObject({ width: 30, height: 20 })
  expect(red?.values[0]).toBeGreaterThan(240)
  expect(unpacked.map(({ width, height }) => [width, height])).toEqual([
    [0, 0],
    [0, 0],
  ])
})

test('what shows through is gray', async () => {
  const pixels = await squarePixels(half('png'), 4)
  expect([...(pixels?.subarray(12, 16) ?? [])]).toEqual([128, 128, 128, 255])
})

test('bytes that are no picture, or end too soon, are none', async () => {
  expect(await squarePixels(Buffer.from('<svg xmlns="http://www.w3.org/2000/svg"/>'), 4)).toBeUndefined()
  expect(await squarePixels(half('png').subarray(0, 20), 4)).toBeUndefined()
})
