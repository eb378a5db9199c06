import { crc32 } from 'node:zlib'
import { mediaTypes } from '../sniff.ts'
import { originPieces, type Piece, sevenBits, viewOf } from './pieces.ts'
import { originIn, xmpBox, xmpFrame, xmpIn, xmpKeyword, xmpSegment } from './seen.ts'
import { xmpWithMark } from './xmp.ts'

type Marked =
  | { readonly got: 'marked'; readonly bytes: Uint8Array }
  /** `signed`: a signature is over the whole, and would be broken. `marked-before`: it says so already. */
  | { readonly got: 'as-it-is'; readonly why: 'signed' | 'marked-before' | 'says-otherwise' | 'no-place' }

/**
 * A file that says of itself that a trained algorithm made it, in XMP, where each format has it (XMP specification, part 3). Lossless:
 * pictures and sound keep every byte. PNG, JPEG, WebP, MP4, WAV and MP3.
 */
export function withMark(bytes: Uint8Array, type: string): Marked {
  const pieces = originPieces(bytes, type)
  if (!pieces) return asItIs('no-place')
  const { isSigned, isMarked } = originIn(bytes, type)
  if (isSigned) return asItIs('signed')
  if (isMarked) return asItIs('marked-before')
  const there = pieces.find(piece => xmpIn(piece, type) !== undefined)
  // One that is packed is not unpacked for this, and a file has one packet.
  if (!there && pieces.some(({ name, body }) => name === 'iTXt' && beginsWith(body, xmpKeyword)))
    return asItIs('says-otherwise')
  const text = xmpWithMark(there && xmpIn(there, type))
  if (text === undefined) return asItIs('says-otherwise')
  const made = placed({ bytes, pieces, there, xmp: Buffer.from(text) }, type)
  return made ? { got: 'marked', bytes: made } : asItIs('no-place')
}

function beginsWith(body: Uint8Array, text: string): boolean {
  return Buffer.from(body.subarray(0, text.length)).toString('latin1') === text
}

function asItIs(why: Extract<Marked, { got: 'as-it-is' }>['why']): Marked {
  return { got: 'as-it-is', why }
}

interface Placing {
  readonly bytes: Uint8Array
  readonly pieces: readonly Piece[]
  /** The piece with XMP that is there. */
  readonly there: Piece | undefined
  readonly xmp: Buffer
}

function placed(placing: Placing, type: string): Uint8Array | undefined {
  const { xmp } = placing
  switch (type) {
    case mediaTypes.png.type:
      return inPlace(placing, placing.pieces[0]?.end, pngChunk(xmp))
    case mediaTypes.jpeg.type:
      return inJpeg(placing)
    case mediaTypes.webp.type:
      return inWebp(placing)
    case mediaTypes.wav.type:
      return riffSized(inPlace(placing, placing.bytes.length, riffChunk('_PMX', xmp)))
    case mediaTypes.mp3.type:
      return inMp3(placing)
    default:
      return inMovie(placing)
  }
}

/** In the place of the piece that is there, else at a place. */
function inPlace(
  { bytes, there }: Placing,
  at: number | undefined,
  piece: Uint8Array,
): Uint8Array | undefined {
  const [from, to] = there ? [there.at, there.end] : [at, at]
  return from === undefined ? undefined : Buffer.concat([bytes.subarray(0, from), piece, bytes.subarray(to)])
}

function pngChunk(xmp: Buffer): Uint8Array {
  const named = Buffer.concat([Buffer.from(`iTXt${xmpKeyword}\0\0\0\0`, 'latin1'), xmp])
  return Buffer.concat([uint32(named.length - 4), named, uint32(crc32(named))])
}

const mostInSegment = 0xffff - 2

/** Behind the heads of JFIF and Exif, which readers want first. */
function inJpeg(placing: Placing): Uint8Array | undefined {
  const body = Buffer.concat([Buffer.from(xmpSegment, 'latin1'), placing.xmp])
  if (body.length > mostInSegment) return undefined
  const isHead = ({ name, body: of }: Piece) => name === 'APP0' || (name === 'APP1' && beginsWith(of, 'Exif'))
  const heads = placing.pieces.findIndex(piece => !isHead(piece))
  const segment = Buffer.concat([Buffer.from([0xff, 0xe1]), uint32(body.length + 2).subarray(2), body])
  return inPlace(placing, placing.pieces[heads]?.at, segment)
}

/** XMP is the last piece of a WebP, and its head (VP8X) says that it is there. */
function inWebp(placing: Placing): Uint8Array | undefined {
  const { bytes, pieces } = placing
  const head = pieces[0]
  const chunk = riffChunk('XMP ', placing.xmp)
  if (head?.name === 'VP8X' && head.body.length >= 10) {
    const flagged = Buffer.from(bytes)
    flagged[head.at + 8] = (head.body[0] ?? 0) | hasXmp
    return riffSized(inPlace({ ...placing, bytes: flagged }, bytes.length, chunk))
  }
  const canvas = head && canvasOf(head)
  if (!canvas) return undefined
  return riffSized(
    Buffer.concat([bytes.subarray(0, 12), riffChunk('VP8X', canvas), bytes.subarray(12), chunk]),
  )
}

const hasXmp = 0x04
const hasAlpha = 0x10

/** A simple WebP (RFC 9649, 2.5 and 2.6) has no head: what stands in one is read from the picture. */
function canvasOf({ name, body }: Piece): Buffer | undefined {
  const view = viewOf(body)
  if (name === 'VP8 ' && body.length >= 10)
    return head({
      width: view.getUint16(6, true) & 0x3fff,
      height: view.getUint16(8, true) & 0x3fff,
      flags: 0,
    })
  if (name !== 'VP8L' || body.length < 5) return undefined
  const bits = view.getUint32(1, true)
  const flags = (bits >>> 28) & 1 ? hasAlpha : 0
  return head({ width: (bits & 0x3fff) + 1, height: ((bits >>> 14) & 0x3fff) + 1, flags })
}

function head({ width, height, flags }: Record<'width' | 'height' | 'flags', number>): Buffer {
  const body = Buffer.alloc(10)
  body[0] = flags | hasXmp
  body.writeUIntLE(width - 1, 4, 3)
  body.writeUIntLE(height - 1, 7, 3)
  return body
}

function riffChunk(name: string, body: Uint8Array): Buffer {
  const size = Buffer.alloc(4)
  size.writeUInt32LE(body.length)
  return Buffer.concat([Buffer.from(name, 'latin1'), size, body, Buffer.alloc(body.length % 2)])
}

function riffSized(bytes: Uint8Array | undefined): Uint8Array | undefined {
  if (!bytes || bytes.length - 8 > 0xffffffff) return undefined
  viewOf(bytes).setUint32(4, bytes.length - 8, true)
  return bytes
}

/** Behind all others, as an index counts bytes from the beginning; one that is there stays as large, or makes way to the end. */
function inMovie({ bytes, there, xmp }: Placing): Uint8Array | undefined {
  const body = Buffer.concat([Buffer.from(xmpBox, 'latin1'), xmp])
  const box = Buffer.concat([uint32(body.length + 8), Buffer.from('uuid', 'latin1'), body])
  const before = Buffer.from(bytes)
  // Its bytes are left as room that nobody reads.
  if (there) before.write('free', there.at + 4, 'latin1')
  return Buffer.concat([before, box])
}

/** A frame at the beginning of the tag, which is made where there is none. */
function inMp3({ bytes, pieces, there, xmp }: Placing): Uint8Array | undefined {
  if (there) return undefined
  const body = Buffer.concat([Buffer.from(xmpFrame, 'latin1'), xmp])
  const isTagged = beginsWith(bytes, 'ID3')
  const version = isTagged ? (bytes[3] ?? 3) : 3
  const size = version === 4 ? inSevenBits(body.length) : uint32(body.length)
  const frame = Buffer.concat([Buffer.from('PRIV', 'latin1'), size, Buffer.alloc(2), body])
  const rest = isTagged ? sevenBits(bytes, 6) : 0
  const tag = Buffer.concat([
    Buffer.from([0x49, 0x44, 0x33, version, 0, 0]),
    inSevenBits(rest + frame.length),
    frame,
  ])
  // Frames, then what fills the tag up, then the sound.
  return pieces.length === 0 && isTagged ? undefined : Buffer.concat([tag, bytes.subarray(isTagged ? 10 : 0)])
}

function inSevenBits(value: number): Buffer {
  return Buffer.from([21, 14, 7, 0].map(shift => (value >>> shift) & 0x7f))
}

function uint32(value: number): Buffer {
  const bytes = Buffer.alloc(4)
  bytes.writeUInt32BE(value)
  return bytes
}
