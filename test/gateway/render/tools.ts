import { spawnSync } from 'node:child_process'
import { createCanvas, loadImage } from '@napi-rs/canvas'
import type { RenderRequest } from '../../../src/gateway/render/index.ts'

/** A request for one small picture; tests change what they are about. */
export function imageRequest(change: Partial<RenderRequest> = {}): RenderRequest {
  return {
    model: 'fama-imagine-image',
    inputType: 't2i',
    kind: 'image',
    prompt: 'A brass teapot on wet slate',
    seed: 'run-1',
    params: { aspectRatio: '1:1', resolution: '1k' },
    count: 1,
    width: 320,
    height: 320,
    inputs: [],
    ...change,
  }
}

export function videoRequest(change: Partial<RenderRequest> = {}): RenderRequest {
  return imageRequest({
    model: 'famc-v3',
    inputType: 't2v',
    kind: 'video',
    width: 256,
    height: 144,
    seconds: 1,
    sound: false,
    ...change,
  })
}

export interface Pixels {
  readonly width: number
  readonly height: number
  /** Red, green and blue at a place given as shares of width and height. */
  at(x: number, y: number): [number, number, number]
  readonly data: Uint8ClampedArray
}

/** Decodes a picture with a decoder that is not the renderer's own code. */
export async function pixelsOf(bytes: Uint8Array): Promise<Pixels> {
  const image = await loadImage(bytes)
  const { width, height } = image
  const pen = createCanvas(width, height).getContext('2d')
  pen.drawImage(image, 0, 0)
  const { data } = pen.getImageData(0, 0, width, height)
  const at = (x: number, y: number): [number, number, number] => {
    const k = (Math.floor(y * height) * width + Math.floor(x * width)) * 4
    return [data[k]!, data[k + 1]!, data[k + 2]!]
  }
  return { width, height, at, data }
}

/** A PNG of one colour. */
export function plainPng(colour: string, width = 64, height = 64): Uint8Array {
  const canvas = createCanvas(width, height)
  const pen = canvas.getContext('2d')
  pen.fillStyle = colour
  pen.fillRect(0, 0, width, height)
  return canvas.toBuffer('image/png')
}

/** The share of pixels that differ visibly between two pictures of one size. */
export function difference(a: Pixels, b: Pixels): number {
  let differing = 0
  for (let k = 0; k < a.data.length; k += 4) {
    const distance = [0, 1, 2].reduce((sum, c) => sum + Math.abs(a.data[k + c]! - b.data[k + c]!), 0)
    if (distance > 24) differing++
  }
  return differing / (a.width * a.height)
}

/** The share of pixels near a colour. */
export function shareOf(pixels: Pixels, [r, g, b]: readonly [number, number, number]): number {
  let found = 0
  for (let k = 0; k < pixels.data.length; k += 4) {
    const distance =
      Math.abs(pixels.data[k]! - r) + Math.abs(pixels.data[k + 1]! - g) + Math.abs(pixels.data[k + 2]! - b)
    if (distance < 30) found++
  }
  return found / (pixels.width * pixels.height)
}

/** Runs ffmpeg with a file on its standard input. */
export function ffmpeg(input: Uint8Array, options: readonly string[]): { out: Buffer; said: string } {
  const { stdout, stderr, status } = spawnSync('ffmpeg', ['-v', 'warning', '-i', '-', ...options, '-'], {
    input,
    maxBuffer: 1 << 30,
  })
  if (status !== 0) throw new Error(`ffmpeg: ${String(stderr)}`)
  return { out: stdout, said: String(stderr) }
}
