import { describe, expect, test } from 'vitest'
import { type Encoder, h264 } from '../../../../src/gateway/render/h264/encoder.ts'
import type { Picture } from '../../../../src/gateway/render/h264/picture.ts'
import { needs } from '../../tools.ts'
import { ffmpeg } from '../tools.ts'

const sizes = [
  [64, 64],
  [200, 120],
  [854, 480],
  [98, 50],
] as const

describe('the encoder', () => {
  test('shows plain fields exactly as they were drawn', async () => {
    const encoder = h264({ width: 96, height: 64, framesPerSecond: 30 })
    paintFields(encoder.wanted, 7)
    await encoder.keyFrame()
    expectFields(encoder)
    paintFields(encoder.wanted, 41)
    await encoder.nextFrame([{ x: 0, y: 0, width: 96, height: 64 }])
    expectFields(encoder)
  })

  test('shows busy pictures nearly as they were drawn', async () => {
    const encoder = h264({ width: 96, height: 64, framesPerSecond: 30 })
    paintNoise(encoder.wanted, 3)
    await encoder.keyFrame()
    for (const plane of [0, 1, 2] as const) {
      const errors = encoder.wanted.planes[plane].map((value, k) =>
        Math.abs(value - encoder.shown.planes[plane][k]!),
      )
      expect(Math.max(...errors)).toBeLessThan(24)
    }
  })

  test('leaves alone what lies outside the named areas', async () => {
    const encoder = h264({ width: 96, height: 64, framesPerSecond: 30 })
    paintFields(encoder.wanted, 7)
    await encoder.keyFrame()
    const before = encoder.shown.planes[0].slice()
    encoder.wanted.planes[0].fill(200)
    await encoder.nextFrame([{ x: 17, y: 1, width: 10, height: 10 }])
    const changed = [...encoder.shown.planes[0].keys()].filter(k => encoder.shown.planes[0][k] !== before[k])
    const columns = changed.map(k => k % 96)
    expect([Math.min(...columns), Math.max(...columns), Math.max(...changed) < 16 * 96]).toEqual([
      16,
      31,
      true,
    ])
  })

  test('writes a frame without changes in a few bytes', async () => {
    const encoder = h264({ width: 1920, height: 1080, framesPerSecond: 30 })
    encoder.wanted.planes[0].fill(90)
    await encoder.keyFrame()
    expect((await encoder.nextFrame([{ x: 0, y: 0, width: 1920, height: 1080 }])).length).toBeLessThan(16)
  })

  test('never lets three bytes look like the start of a unit', async () => {
    const encoder = h264({ width: 200, height: 120, framesPerSecond: 30 })
    for (let k = 0; k < 6; k++) {
      paintNoise(encoder.wanted, k)
      const frame = await encoder.keyFrame()
      const isStart = (byte: number, k: number) => byte === 0 && frame[k + 5] === 0 && frame[k + 6]! <= 2
      expect(frame.subarray(4).findIndex(isStart)).toBe(-1)
    }
  })

  test.each([
    [640, 480, 30, 'avc1.42C01E'],
    [1280, 720, 30, 'avc1.42C01F'],
    [1920, 1080, 30, 'avc1.42C028'],
    [3840, 2160, 30, 'avc1.42C033'],
  ])('declares for %ix%i at %i the level that allows it', (width, height, framesPerSecond, codec) => {
    expect(h264({ width, height, framesPerSecond }).codec).toBe(codec)
  })

  test.for(sizes)('is decoded by ffmpeg at %ix%i sample by sample', async ([width, height], context) => {
    needs(context, 'ffmpeg')
    const encoder = h264({ width, height, framesPerSecond: 30 })
    const stream: Uint8Array[] = parameterSets(encoder.config)
    const expected: Uint8Array[] = []
    for (let frame = 0; frame < 9; frame++) {
      if (frame % 2 === 0) paintNoise(encoder.wanted, frame)
      else if (frame < 5) paintFields(encoder.wanted, frame * 13)
      else paintSpots(encoder.wanted, frame)
      const isKey = frame % 4 === 0
      const areas = [
        { x: 0, y: 0, width: width / 2, height },
        { x: width / 2, y: height / 2, width: 30, height: 20 },
      ]
      const bytes = await (isKey ? encoder.keyFrame() : encoder.nextFrame(areas))
      stream.push(startCode, bytes.subarray(4))
      expected.push(...cropped(encoder.shown, width, height))
    }
    const { out } = ffmpeg(Buffer.concat(stream), ['-f', 'rawvideo', '-pix_fmt', 'yuv420p'])
    expect(out.equals(Buffer.concat(expected))).toBe(true)
  })
})

/** Brightness is exact, colour may be off by what nobody sees. */
function expectFields({ shown, wanted }: Encoder): void {
  expect(Buffer.compare(shown.planes[0], wanted.planes[0])).toBe(0)
  for (const plane of [1, 2] as const) {
    const errors = wanted.planes[plane].map((value, k) => Math.abs(value - shown.planes[plane][k]!))
    expect(Math.max(...errors)).toBeLessThanOrEqual(2)
  }
}

const startCode = Buffer.from([0, 0, 0, 1])

/** The two parameter sets of an AVCDecoderConfigurationRecord, as a byte stream. */
function parameterSets(config: Uint8Array): Uint8Array[] {
  const view = new DataView(config.buffer, config.byteOffset)
  const first = view.getUint16(6)
  const second = view.getUint16(8 + first + 1)
  return [
    startCode,
    config.subarray(8, 8 + first),
    startCode,
    config.subarray(11 + first, 11 + first + second),
  ]
}

function cropped({ planes, width: stride }: Picture, width: number, height: number): Uint8Array[] {
  return planes.flatMap((plane, k) => {
    const by = k === 0 ? 1 : 2
    return Array.from({ length: height / by }, (_, y) =>
      plane.slice((y * stride) / by, (y * stride) / by + width / by),
    )
  })
}

/** A field of its own colour for every macroblock. */
function paintFields(picture: Picture, shift: number): void {
  for (const [k, plane] of picture.planes.entries()) {
    const side = k === 0 ? 16 : 8
    const stride = k === 0 ? picture.width : picture.width / 2
    for (let at = 0; at < plane.length; at++) {
      const [x, y] = [Math.floor((at % stride) / side), Math.floor(at / stride / side)]
      plane[at] = 16 + ((x * 37 + y * 91 + shift + k * 50) % 220)
    }
  }
}

/** A few samples of every other macroblock: what is written as a difference. */
function paintSpots(picture: Picture, shift: number): void {
  for (const [k, plane] of picture.planes.entries()) {
    const stride = k === 0 ? picture.width : picture.width / 2
    for (let at = 0; at < plane.length; at++) {
      const [x, y] = [at % stride, Math.floor(at / stride)]
      if (x % 29 < 3 && (y + shift) % 23 < 4) plane[at] = (plane[at]! + 90) % 256
    }
  }
}

/** Noise, waves and steps. */
function paintNoise(picture: Picture, shift: number): void {
  let state = 1 + shift
  for (const [k, plane] of picture.planes.entries()) {
    const stride = k === 0 ? picture.width : picture.width / 2
    for (let at = 0; at < plane.length; at++) {
      const [x, y] = [at % stride, Math.floor(at / stride)]
      state = (Math.imul(state, 1103515245) + 12345) & 0x7fffffff
      // Where one colour plane is busy and the other is not, both are written.
      if (k === 2 && y < 32) plane[at] = 128
      else if (y % 3 === 0 && x < stride / 2) plane[at] = 16 + ((state >> 8) % 220)
      else if (x < stride * 0.7) plane[at] = 128 + Math.round(90 * Math.sin((x * y) / 200 + shift + k))
      else plane[at] = (x + y * 3 + shift) % 50 < 25 ? 235 : 16
    }
  }
}
