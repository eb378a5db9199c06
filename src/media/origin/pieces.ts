import { mediaTypes } from '../sniff.ts'

/** One piece of a file: a chunk, a segment, a box, a frame of a tag; all of it, and what is in it. */
export interface Piece {
  /** `iTXt`, `APP11`, `uuid`, `PRIV`. */
  readonly name: string
  readonly at: number
  readonly end: number
  readonly body: Uint8Array
}

/** The pieces in which a file can say where it came from, in order. Undefined for other types, and where they do not fit together. */
export function originPieces(bytes: Uint8Array, type: string): readonly Piece[] | undefined {
  switch (type) {
    case mediaTypes.png.type:
      return pngChunks(bytes)
    case mediaTypes.jpeg.type:
      return jpegSegments(bytes)
    case mediaTypes.webp.type:
    case mediaTypes.wav.type:
      return riffChunks(bytes)
    case mediaTypes.mp4.type:
    case mediaTypes.mov.type:
    case mediaTypes.m4a.type:
      return boxes(bytes)
    case mediaTypes.mp3.type:
      return tagFrames(bytes)
    default:
      return undefined
  }
}

export function viewOf(bytes: Uint8Array): DataView {
  return new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength)
}

export function latin1(bytes: Uint8Array): string {
  return Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString('latin1')
}

/** PNG, 5.3: length, name, data, checksum. */
function pngChunks(bytes: Uint8Array): Piece[] | undefined {
  const view = viewOf(bytes)
  const pieces: Piece[] = []
  for (let at = 8; at < bytes.length; ) {
    if (at + 12 > bytes.length) return undefined
    const end = at + 12 + view.getUint32(at)
    if (end > bytes.length) return undefined
    pieces.push({
      name: latin1(bytes.subarray(at + 4, at + 8)),
      at,
      end,
      body: bytes.subarray(at + 8, end - 4),
    })
    at = end
  }
  return pieces
}

/** The segments before the picture itself (ITU-T T.81, B.1.1.4): a mark of two bytes, and a length that counts itself. */
function jpegSegments(bytes: Uint8Array): Piece[] | undefined {
  const view = viewOf(bytes)
  const pieces: Piece[] = []
  for (let at = 2; ; ) {
    if (at + 4 > bytes.length || bytes[at] !== 0xff) return undefined
    const mark = bytes[at + 1] ?? 0
    if (mark === 0xff) {
      at++ // A byte of filling.
      continue
    }
    const end = at + 2 + view.getUint16(at + 2)
    if (end > bytes.length) return undefined
    const name = mark >= 0xe0 && mark <= 0xef ? `APP${mark - 0xe0}` : mark.toString(16)
    pieces.push({ name, at, end, body: bytes.subarray(at + 4, end) })
    if (mark === 0xda) return pieces
    at = end
  }
}

/** RIFF: a name, a size, so many bytes, padded to an even number. The file's own size must be that of the file. */
function riffChunks(bytes: Uint8Array): Piece[] | undefined {
  const view = viewOf(bytes)
  if (bytes.length < 12 || 8 + view.getUint32(4, true) !== bytes.length) return undefined
  const pieces: Piece[] = []
  for (let at = 12; at < bytes.length; ) {
    if (at + 8 > bytes.length) return undefined
    const size = view.getUint32(at + 4, true)
    const end = at + 8 + size + (size % 2)
    if (end > bytes.length) return undefined
    pieces.push({
      name: latin1(bytes.subarray(at, at + 4)),
      at,
      end,
      body: bytes.subarray(at + 8, at + 8 + size),
    })
    at = end
  }
  return pieces
}

/** The boxes of the first level (ISO 14496-12, 4.2). One that says no size goes to the end: nothing can stand behind it. */
function boxes(bytes: Uint8Array): Piece[] | undefined {
  const view = viewOf(bytes)
  const pieces: Piece[] = []
  for (let at = 0; at < bytes.length; ) {
    if (at + 8 > bytes.length) return undefined
    const short = view.getUint32(at)
    const isLong = short === 1
    if (isLong && at + 16 > bytes.length) return undefined
    const size = isLong ? Number(view.getBigUint64(at + 8)) : short
    const head = isLong ? 16 : 8
    if (size < head || at + size > bytes.length) return undefined
    const name = latin1(bytes.subarray(at + 4, at + 8))
    pieces.push({ name, at, end: at + size, body: bytes.subarray(at + head, at + size) })
    at += size
  }
  return pieces
}

/** The frames of an ID3 tag of version 2.3 or 2.4, without flags, before the sound; none where there is no tag. */
function tagFrames(bytes: Uint8Array): Piece[] | undefined {
  if (latin1(bytes.subarray(0, 3)) !== 'ID3') return []
  const [version, flags] = [bytes[3] ?? 0, bytes[5] ?? 0]
  if ((version !== 3 && version !== 4) || flags !== 0) return undefined
  const tagEnd = 10 + sevenBits(bytes, 6)
  if (tagEnd > bytes.length) return undefined
  const pieces: Piece[] = []
  for (let at = 10; at + 10 <= tagEnd && bytes[at] !== 0; ) {
    const size = version === 4 ? sevenBits(bytes, at + 4) : viewOf(bytes).getUint32(at + 4)
    const end = at + 10 + size
    if (end > tagEnd) return undefined
    pieces.push({ name: latin1(bytes.subarray(at, at + 4)), at, end, body: bytes.subarray(at + 10, end) })
    at = end
  }
  return pieces
}

/** A number of four bytes with seven bits each. */
export function sevenBits(bytes: Uint8Array, at: number): number {
  return [0, 1, 2, 3].reduce((sum, nth) => sum * 128 + ((bytes[at + nth] ?? 0) & 0x7f), 0)
}
