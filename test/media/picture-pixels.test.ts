import { createCanvas, type Image } from '@napi-rs/canvas'
import { expect, test } from 'vitest'
import { shadesOf, squarePixels, withImage } from '../../src/media/picture-pixels.ts'

const kinds = ['png', 'jpeg', 'webp'] as const

/** Red on its left half, and nothing on its right. */
function half(kind: (typeof kinds)[number]): Buffer {
  const canvas = createCanvas(300, 200)
  const pen = canvas.getContext('2d')
  pen.fillStyle = '#ff0000'
  pen.fillRect(0, 0, 150, 200)
  return kind === 'png' ? canvas.encodeSync('png') : canvas.encodeSync(kind, 100)
}

test.each(kinds)('the pixels of a %s are read in the size that is asked for', async kind => {
  const pixels = await squarePixels(half(kind), 4)
  const [left, right] = [pixels?.subarray(0, 4), pixels?.subarray(12, 16)]
  expect(left?.[0]).toBeGreaterThan(240)
  expect(right?.[0]).toBeLessThan(140)
  const [red] = (await shadesOf(half(kind), 30, [[1, 0, 0]])) ?? []
  expect(red).toMatchObject({ width: 30, height: 20 })
  expect(red?.values[0]).toBeGreaterThan(240)
})

test.each(kinds)('what a %s is unpacked into is given back, whatever becomes of it', async kind => {
  const seen: Image[] = []
  const size = (image: Image) => {
    seen.push(image)
    return [image.width, image.height]
  }
  expect(await withImage(half(kind), size)).toEqual([300, 200])
  const bad = withImage(half(kind), image => {
    seen.push(image)
    throw new Error('cannot be drawn')
  })
  await expect(bad).rejects.toThrow('cannot be drawn')
  expect(seen.map(({ width, height }) => [width, height])).toEqual([
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
