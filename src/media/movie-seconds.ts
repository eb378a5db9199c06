/** Reads bytes of a file: fewer than asked for at its end. */
export type ReadAt = (start: number, length: number) => Uint8Array

/**
 * How long an MP4 or MOV lasts, by the movie header (ISO/IEC 14496-12, `moov/mvhd`), reading headers only. Undefined for
 * everything else. `probe` measures better and needs to wait.
 */
export function movieSeconds(readAt: ReadAt, bytes: number): number | undefined {
  const movie = findBox('moov', { from: 0, to: bytes }, readAt)
  const header = movie && findBox('mvhd', movie, readAt)
  if (!header) return undefined
  const content = readAt(header.from, 32)
  const view = new DataView(content.buffer, content.byteOffset, content.byteLength)
  if (view.byteLength < 32) return undefined
  const isLong = view.getUint8(0) === 1
  const scale = view.getUint32(isLong ? 20 : 12)
  const duration = isLong ? Number(view.getBigUint64(24)) : view.getUint32(16)
  const isKnown = scale > 0 && duration > 0 && duration < 0xffffffff
  return isKnown ? duration / scale : undefined
}

interface Range {
  readonly from: number
  readonly to: number
}

// A file of a million boxes is nobody's film.
const mostBoxes = 1000

/** The content of the first box of that name. */
function findBox(name: string, { from, to }: Range, readAt: ReadAt): Range | undefined {
  let at = from
  for (let count = 0; count < mostBoxes && at + 8 <= to; count++) {
    const head = readAt(at, 16)
    const view = new DataView(head.buffer, head.byteOffset, head.byteLength)
    if (view.byteLength < 8) return undefined
    const small = view.getUint32(0)
    const isLarge = small === 1 && view.byteLength === 16
    const size = isLarge ? Number(view.getBigUint64(8)) : small === 0 ? to - at : small
    const start = isLarge ? 16 : 8
    if (size < start) return undefined
    if (String.fromCharCode(...head.subarray(4, 8)) === name) return { from: at + start, to: at + size }
    at += size
  }
  return undefined
}
