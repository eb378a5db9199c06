import { type Bytes, uint16, uint32 } from './bytes.ts'
import { type Check, cut } from './verdict.ts'

/**
 * FLAC (RFC 9639): metadata blocks, then frames. A frame does not say how long it is, so the last one is looked for
 * from the end: its head and its whole have checksums, and it must hold the last of the samples announced.
 */
export const checkFlac: Check = async bytes => {
  const info = await bytes.read(8, 34)
  if (info.length < 34) return cut('it ends inside its head')
  const announced = streamInfo(info)
  const start = await metadataEnd(bytes)
  if (start >= bytes.size) return cut('it has no frames')
  const last = await lastFrame(bytes, start, announced.longestFrame)
  if (!last) return cut('it ends inside a frame')
  const samples = last.isNumberOfFrame
    ? last.number * announced.longestBlock + last.block
    : last.number + last.block
  if (announced.samples === 0 || samples >= announced.samples) return undefined
  return cut(`${announced.samples - samples} of ${announced.samples} samples are missing`)
}

function streamInfo(info: Uint8Array) {
  const longestFrame = ((info[7] ?? 0) << 16) | uint16(info, 8)
  // 36 bits: more than bit operations hold.
  const samples = ((info[13] ?? 0) & 15) * 2 ** 32 + uint32(info, 14)
  return { longestBlock: uint16(info, 2), longestFrame, samples }
}

async function metadataEnd(bytes: Bytes): Promise<number> {
  let at = 4
  while (at + 4 <= bytes.size) {
    const [kind = 0, high = 0, middle = 0, low = 0] = await bytes.read(at, 4)
    at += 4 + ((high << 16) | (middle << 8) | low)
    if (kind & 0x80) return at
  }
  return bytes.size
}

interface Frame {
  /** Of the frame or of its first sample, from 0. */
  readonly number: number
  readonly isNumberOfFrame: boolean
  /** Samples in it. */
  readonly block: number
}

/** The longest frame there can be when the file does not say: 65,535 samples in 8 channels of 32 bits. */
const frameLimit = 65_535 * 8 * 4 + 64

async function lastFrame(bytes: Bytes, start: number, longest: number): Promise<Frame | undefined> {
  const from = Math.max(start, bytes.size - (longest || frameLimit))
  const tail = (await bytes.read(from, bytes.size - from)).slice()
  const wanted = tail.length >= 2 ? uint16(tail, tail.length - 2) : -1
  for (let at = tail.length - 8; at >= 0; at--) {
    const frame = readFrame(tail, at)
    if (frame && crc16(tail.subarray(at, -2)) === wanted) return frame
  }
  return undefined
}

/** RFC 9639, section 9.1; undefined where no head of a frame with a right checksum stands. */
function readFrame(bytes: Uint8Array, at: number): Frame | undefined {
  const [first, second = 0, third = 0] = bytes.subarray(at, at + 3)
  if (first !== 0xff || (second & 0xfe) !== 0xf8) return undefined
  const coded = readNumber(bytes, at + 4)
  if (!coded) return undefined
  const sizeBytes = third >> 4 === 6 ? 1 : third >> 4 === 7 ? 2 : 0
  const rateBytes = (third & 15) === 12 ? 1 : (third & 15) === 13 || (third & 15) === 14 ? 2 : 0
  const sum = coded.end + sizeBytes + rateBytes
  if (sum >= bytes.length || crc8(bytes.subarray(at, sum)) !== bytes[sum]) return undefined
  return {
    number: coded.value,
    isNumberOfFrame: (second & 1) === 0,
    block: blockSize(third >> 4, bytes, coded.end),
  }
}

function blockSize(code: number, bytes: Uint8Array, at: number): number {
  if (code === 1) return 192
  if (code <= 5) return 576 * 2 ** (code - 2)
  if (code === 6) return (bytes[at] ?? 0) + 1
  if (code === 7) return uint16(bytes, at) + 1
  return 2 ** code
}

/** A number coded as UTF-8 would, of one to seven bytes. */
function readNumber(bytes: Uint8Array, at: number): { value: number; end: number } | undefined {
  const first = bytes[at] ?? 0
  const ones = Math.clz32(~(first << 24))
  if (ones === 1 || ones > 7) return undefined
  const more = Math.max(0, ones - 1)
  let value = ones === 0 ? first : first & (0x7f >> ones)
  for (const byte of bytes.subarray(at + 1, at + 1 + more)) value = value * 64 + (byte & 63)
  return { value, end: at + 1 + more }
}

function crc8(bytes: Uint8Array): number {
  return bytes.reduce((sum, byte) => shift(sum ^ byte, 0x80, 0x07, 0xff), 0)
}

function crc16(bytes: Uint8Array): number {
  return bytes.reduce((sum, byte) => shift(sum ^ (byte << 8), 0x8000, 0x8005, 0xffff), 0)
}

function shift(value: number, top: number, polynomial: number, mask: number): number {
  let sum = value
  for (let bit = 0; bit < 8; bit++) sum = ((sum & top ? (sum << 1) ^ polynomial : sum << 1) & mask) >>> 0
  return sum
}
