import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createCanvas } from '@napi-rs/canvas'
import { WebMOutputFormat } from 'mediabunny'
import { afterAll, expect, test } from 'vitest'
import { mediaTypes } from '../../src/media/sniff.ts'
import { checkStructure } from '../../src/media/structure.ts'
import { ascii, movie, samples, wav } from './samples.ts'

const files = await samples()
const names = Object.keys(files) as (keyof typeof files)[] // its own keys
const folder = mkdtempSync(join(tmpdir(), 'genrun-structure-'))
afterAll(() => rmSync(folder, { recursive: true }))

function joined(...parts: readonly (Uint8Array | readonly number[])[]): Uint8Array {
  return Uint8Array.from(parts.flatMap(part => [...part]))
}

test.each(names)('a whole %s is sound, from memory and from disk', async name => {
  const path = join(folder, name)
  writeFileSync(path, files[name])
  expect(await checkStructure(files[name], mediaTypes[name])).toBeUndefined()
  expect(await checkStructure(path, mediaTypes[name])).toBeUndefined()
})

// ADTS has no end and no count: it can only be asked to end with a whole frame.
const frames = { aac: 32 } as const

test.each(names)('%s cut anywhere is not sound', async name => {
  const whole = files[name]
  const accepted: number[] = []
  for (let length = 0; length < whole.length; length++) {
    const wrong = await checkStructure(whole.subarray(0, length), mediaTypes[name])
    if (wrong === undefined) accepted.push(length)
  }
  const step = name === 'aac' ? frames[name] : Number.POSITIVE_INFINITY
  expect(accepted).toEqual(
    Array.from({ length: Math.ceil(whole.length / step) - 1 }, (_, nth) => step * (nth + 1)),
  )
})

test.each(names)('%s with a page behind it is not sound', async name => {
  const wrong = await checkStructure(joined(files[name], ascii('<html><script>')), mediaTypes[name])
  expect(wrong).toMatch(/cut short|follow|no \w+ begins/)
})

test.each([
  ['nothing at all', 'png', () => joined([]), 'it is empty'],
  ['another type', 'png', () => files.jpeg, 'it does not begin as image/png does'],
  ['half a PNG', 'png', () => files.png.subarray(0, -20), 'it is cut short: it ends inside a chunk IDAT'],
  [
    'a PNG without its end',
    'png',
    () => files.png.subarray(0, -12),
    'it is cut short: its last chunk (IEND) is missing',
  ],
  ['a PNG with more', 'png', () => joined(files.png, [1, 2]), '2 bytes follow its end'],
  [
    'a JPEG without its end',
    'jpeg',
    () => files.jpeg.subarray(0, -2),
    'it is cut short: its end marker (EOI) is missing',
  ],
  ['a JPEG with more', 'jpeg', () => joined(files.jpeg, [1]), '1 byte follows its end'],
  ['a WebP that says more', 'webp', () => files.webp.subarray(0, -1), undefined],
  [
    'an MP4 without tracks',
    'mp4',
    () => without(files.mp4, 'moov'),
    'it is cut short: its box moov is missing',
  ],
  [
    'an MP4 without contents',
    'mp4',
    () => without(files.mp4, 'mdat'),
    'it is cut short: its box mdat is missing',
  ],
  [
    'an MP4 with an open end',
    'mp4',
    () => withoutLength(files.mp4, 'mdat'),
    'its box mdat has no length, so nobody can tell where it ends',
  ],
  [
    'an MP3 with lost frames',
    'mp3',
    () => files.mp3.subarray(0, -208 * 3),
    'it is cut short: 3 of 20 frames are missing',
  ],
  [
    'a FLAC with lost frames',
    'flac',
    () => files.flac.subarray(0, -11),
    'it is cut short: 192 of 960 samples are missing',
  ],
] as const)('%s is told', async (_, name, make, wanted) => {
  const wrong = await checkStructure(make(), mediaTypes[name])
  if (wanted === undefined) expect(wrong).toMatch(/^it is cut short: \d+ bytes are declared, \d+ are there$/)
  else expect(wrong).toBe(wanted)
})

test('a PNG with one flipped bit is told by its checksum', async () => {
  const file = files.png.slice()
  const at = file.length - 20
  file[at] = (file[at] ?? 0) ^ 1
  expect(await checkStructure(file, mediaTypes.png)).toMatch(
    /^the checksum of its chunk IDAT at byte \d+ is wrong$/,
  )
})

test('a JPEG whose coded bytes hold set bytes and restart marks is read over them', async () => {
  const canvas = createCanvas(160, 90)
  const pen = canvas.getContext('2d')
  for (let nth = 0; nth < 2000; nth++) {
    pen.fillStyle = `hsl(${(nth * 47) % 360}, 90%, ${(nth * 31) % 100}%)`
    pen.fillRect((nth * 7) % 160, (nth * 13) % 90, 3, 2)
  }
  const busy = canvas.toBuffer('image/jpeg', 95)
  expect(busy.includes(Buffer.from([0xff, 0]))).toBe(true)
  expect(await checkStructure(busy, mediaTypes.jpeg)).toBeUndefined()
  const end = busy.lastIndexOf(Buffer.from([0xff, 0]))
  const withRestart = joined(busy.subarray(0, end), [0xff, 0xd3], busy.subarray(end))
  expect(await checkStructure(withRestart, mediaTypes.jpeg)).toBeUndefined()
  expect(await checkStructure(withRestart.subarray(0, -2), mediaTypes.jpeg)).toMatch('EOI')
})

test('padding behind a JPEG, and a second whole picture, are no fault', async () => {
  expect(await checkStructure(joined(files.jpeg, new Uint8Array(100)), mediaTypes.jpeg)).toBeUndefined()
  expect(await checkStructure(joined(files.jpeg, files.jpeg), mediaTypes.jpeg)).toBeUndefined()
  expect(await checkStructure(joined(files.jpeg, files.jpeg.subarray(0, -1)), mediaTypes.jpeg)).toMatch(
    'cut short',
  )
})

test('a WAV whose length was never filled in must end with a whole sample', async () => {
  const live = wav(100)
  live.set([255, 255, 255, 255], 4)
  live.set([255, 255, 255, 255], 40)
  expect(await checkStructure(live, mediaTypes.wav)).toBeUndefined()
  expect(await checkStructure(live.subarray(0, -1), mediaTypes.wav)).toBe(
    'it is cut short: it ends inside a sample',
  )
})

test('a live WebM must end with a whole element', async () => {
  const live = await movie(new WebMOutputFormat({ appendOnly: true }), ['vp9'])
  expect(await checkStructure(live, mediaTypes.webm)).toBeUndefined()
  expect(await checkStructure(live.subarray(0, -1), mediaTypes.webm)).toMatch('cut short')
})

test('an MP4 that turned out to hold sound only passes as what it is called then', async () => {
  expect(await checkStructure(files.mp4, mediaTypes.m4a)).toBeUndefined()
})

test('a file longer than one look is read to its end', async () => {
  const path = join(folder, 'long.wav')
  const long = wav(200_000)
  writeFileSync(path, long)
  expect(await checkStructure(path, mediaTypes.wav)).toBeUndefined()
  const chunk = (name: string, length: number) => {
    const bytes = Buffer.alloc(length + 12)
    bytes.writeUInt32BE(length)
    bytes.write(name, 4)
    return bytes
  }
  const broken = joined(files.png.subarray(0, 33), chunk('IDAT', 300_000), files.png.subarray(-12))
  writeFileSync(path, broken)
  expect(await checkStructure(path, mediaTypes.png)).toBe(
    'the checksum of its chunk IDAT at byte 33 is wrong',
  )
})

/** The boxes of a file without one of them. */
function without(file: Uint8Array, name: string): Uint8Array {
  const box = boxes(file).find(each => each.name === name)
  return box ? joined(file.subarray(0, box.at), file.subarray(box.at + box.length)) : file
}

function withoutLength(file: Uint8Array, name: string): Uint8Array {
  const copy = file.slice()
  const box = boxes(file).find(each => each.name === name)
  copy.set([0, 0, 0, 0], box?.at)
  return copy
}

function boxes(file: Uint8Array) {
  const found: { name: string; at: number; length: number }[] = []
  const view = new DataView(file.buffer, file.byteOffset)
  for (let at = 0; at < file.length; ) {
    const short = view.getUint32(at)
    const length = short === 1 ? Number(view.getBigUint64(at + 8)) : short
    found.push({ name: Buffer.from(file.subarray(at + 4, at + 8)).toString(), at, length })
    at += length
  }
  return found
}
