import { crc32, deflateSync } from 'node:zlib'
import { imageSize } from 'image-size'
import { describe, expect, test } from 'vitest'
import { render } from '../../../src/gateway/render/index.ts'
import { readImage } from '../../../src/media/picture-pixels.ts'
import { difference, imageRequest, pixelsOf, plainPng, shareOf } from './tools.ts'

const red = [230, 0, 0] as const
const redPng = plainPng('rgb(230, 0, 0)')

test.each([
  [1024, 1024],
  [720, 1440],
  [1024, 512],
  [460, 1024],
  [1024, 472],
  [3328, 1248],
  [66, 64],
])('a picture has exactly %ix%i pixels', async (width, height) => {
  const [file] = await render(imageRequest({ width, height }))
  expect(file).toMatchObject({ type: 'image/png', extension: 'png', width, height })
  const measured = imageSize(file!.bytes)
  expect(measured).toMatchObject({ type: 'png', width, height })
})

test.each([
  ['png', 'image/png', 'png', 'png'],
  ['jpeg', 'image/jpeg', 'jpg', 'jpg'],
  ['webp', 'image/webp', 'webp', 'webp'],
] as const)('%s is what was asked for', async (format, type, extension, measured) => {
  const [file] = await render(imageRequest({ format }))
  expect(file).toMatchObject({ type, extension })
  expect(imageSize(file!.bytes)).toMatchObject({ type: measured, width: 320, height: 320 })
})

test('the same request gives the same bytes', async () => {
  const [once] = await render(imageRequest())
  const [again] = await render(imageRequest())
  expect(Buffer.compare(once!.bytes, again!.bytes)).toBe(0)
})

test('pictures of one run differ, and so do takes', async () => {
  const run = await render(imageRequest({ count: 4 }))
  const [take] = await render(imageRequest({ count: 1, seed: 'run-2' }))
  const all = await Promise.all([...run, take!].map(file => pixelsOf(file.bytes)))
  expect(run).toHaveLength(4)
  for (const [k, a] of all.entries()) {
    for (const b of all.slice(k + 1)) expect(difference(a, b)).toBeGreaterThan(0.2)
  }
})

test('many takes of one job are all different', async () => {
  const seeds = Array.from({ length: 12 }, (_, k) => `run-${k}`)
  const files = await Promise.all(seeds.map(seed => render(imageRequest({ seed, width: 160, height: 160 }))))
  const all = await Promise.all(files.map(([file]) => pixelsOf(file!.bytes)))
  for (const [k, a] of all.entries()) {
    for (const b of all.slice(k + 1)) expect(difference(a, b)).toBeGreaterThan(0.05)
  }
})

test('the prompt can be seen: another prompt in the same place is another picture of words', async () => {
  // The same art: what decides it is the same, and only the job's name differs.
  const files = await Promise.all(['hero', 'HERO!'].map(job => render(imageRequest({ job }))))
  const [a, b] = await Promise.all(files.map(([file]) => pixelsOf(file!.bytes)))
  expect(difference(a!, b!)).toBeGreaterThan(0)
  expect(difference(a!, b!)).toBeLessThan(0.05)
})

test('words stand on paper below the art, or beside it where the picture is wide', async () => {
  const inkOf = async (width: number, height: number, x: number, y: number) => {
    const [file] = await render(imageRequest({ width, height, prompt: 'WORDS '.repeat(12) }))
    return luminance((await pixelsOf(file!.bytes)).at(x, y))
  }
  // Margins of the panel are paper.
  expect(await inkOf(400, 400, 0.01, 0.98)).toBeGreaterThan(200)
  expect(await inkOf(900, 400, 0.01, 0.02)).toBeGreaterThan(200)
})

function luminance([r, g, b]: readonly [number, number, number]): number {
  return 0.21 * r + 0.72 * g + 0.07 * b
}

describe('an input image', () => {
  test('lies on the art', async () => {
    const inputs = [{ param: 'imageUrls', kind: 'image', bytes: redPng } as const]
    const [plain] = await render(imageRequest())
    const [file] = await render(imageRequest({ inputs }))
    expect(shareOf(await pixelsOf(plain!.bytes), red)).toBeLessThan(0.01)
    expect(shareOf(await pixelsOf(file!.bytes), red)).toBeGreaterThan(0.05)
  })

  test('is in the middle when the picture is about it', async () => {
    const inputs = [{ param: 'imageUrls', kind: 'image', bytes: redPng } as const]
    const [file] = await render(imageRequest({ model: 'famb-character', inputType: 'i2i', inputs }))
    const pixels = await pixelsOf(file!.bytes)
    expect(pixels.at(0.5, 0.35)).toEqual([230, 0, 0])
    expect(shareOf(pixels, red)).toBeGreaterThan(0.15)
  })

  test('may be one of ten', async () => {
    const input = { param: 'imageUrls', kind: 'image', bytes: redPng } as const
    const inputs = Array.from({ length: 10 }, () => input)
    const [file] = await render(imageRequest({ inputs, width: 640, height: 360 }))
    expect(shareOf(await pixelsOf(file!.bytes), red)).toBeGreaterThan(0.05)
  })

  test('that cannot be read does not stop the run', async () => {
    const inputs = [{ param: 'imageUrls', kind: 'image', bytes: new Uint8Array(40) } as const]
    expect(await render(imageRequest({ inputs }))).toHaveLength(1)
  })
})

test.each([
  ['nothing', ''],
  ['blanks', '   '],
  ['15,000 characters', 'long words and short '.repeat(715)],
  ['one endless word', 'x'.repeat(2000)],
  ['control characters', 'a\u0000b\u001b[31m\u202ec'],
])('a prompt of %s is drawn', async (_, prompt) => {
  const [file] = await render(imageRequest({ prompt }))
  expect(imageSize(file!.bytes)).toMatchObject({ width: 320, height: 320 })
})

test('a picture of 40,000 × 40,000 that is given is not unpacked', async () => {
  const header = Buffer.alloc(13)
  header.writeUInt32BE(40_000, 0)
  header.writeUInt32BE(40_000, 4)
  header.set([1, 0, 0, 0, 0], 8)
  // One bit a pixel, all white: 5001 bytes a row.
  const rows = deflateSync(Buffer.alloc(5001 * 40_000), { level: 9 })
  const bomb = Buffer.concat([
    Buffer.from('89504e470d0a1a0a', 'hex'),
    chunkOf('IHDR', header),
    chunkOf('IDAT', rows),
    chunkOf('IEND', Buffer.alloc(0)),
  ])
  expect(bomb.length).toBeLessThan(200_000)
  const before = process.resourceUsage().maxRSS
  expect(await readImage(bomb)).toBeUndefined()
  expect(process.resourceUsage().maxRSS - before).toBeLessThan(20_000)
})

function chunkOf(name: string, data: Buffer): Buffer {
  const [length, sum] = [Buffer.alloc(4), Buffer.alloc(4)]
  length.writeUInt32BE(data.length)
  sum.writeUInt32BE(crc32(Buffer.concat([Buffer.from(name), data])))
  return Buffer.concat([length, Buffer.from(name), data, sum])
}
