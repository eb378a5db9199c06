import { createCanvas, loadImage } from '@napi-rs/canvas'
import { expect, test } from 'vitest'
import { smallWebp, webpWithin } from '../../../../src/gateway/render/draw/small.ts'

function picture(): Buffer {
  const canvas = createCanvas(300, 200)
  const pen = canvas.getContext('2d')
  for (let at = 0; at < 300; at++) {
    pen.fillStyle = `hsl(${at * 7}, 80%, 50%)`
    pen.fillRect(at, 0, 1, 200)
  }
  return canvas.encodeSync('png')
}

async function sizeOf(webp: Uint8Array | undefined): Promise<readonly number[]> {
  if (!webp) return []
  const { width, height } = await loadImage(webp)
  return [width, height]
}

test('a picture is made small, and no larger than it is', async () => {
  const small = await smallWebp(picture(), 150)
  const whole = await smallWebp(picture(), 1000)
  const fitting = await webpWithin(picture(), [1000, 200, 100], (small?.length ?? 0) * 4)
  expect(await webpWithin(picture(), [1000, 200], 10)).toBeUndefined()
  expect(await sizeOf(small)).toEqual([150, 100])
  expect(await sizeOf(whole)).toEqual([300, 200])
  expect(await sizeOf(fitting)).not.toEqual([])
  expect(await smallWebp(Buffer.from('no picture'), 10)).toBeUndefined()
})
