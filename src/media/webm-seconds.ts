import type { ReadAt } from './movie-seconds.ts'
import { elementHead, elementId, number } from './webm.ts'

/**
 * How long a WebM lasts, by what its segment's `Info` says (RFC 9559), reading heads only. Undefined for everything else,
 * and for live recordings, which do not say it. `probe` measures better and needs to wait.
 */
export function webmSeconds(readAt: ReadAt, bytes: number): number | undefined {
  const segment = findElement(elementId.segment, { from: 0, to: bytes }, readAt)
  const info = segment && findElement(elementId.info, segment, readAt)
  if (!info || info.to - info.from > longestInfo) return undefined
  const duration = findElement(elementId.duration, info, readAt)
  if (!duration) return undefined
  const scale = findElement(elementId.timestampScale, info, readAt)
  const nanoseconds = scale ? number(readAt(scale.from, scale.to - scale.from)) : usualScale
  const seconds = (floatAt(readAt(duration.from, duration.to - duration.from)) ?? 0) * nanoseconds * 1e-9
  return seconds > 0 && Number.isFinite(seconds) ? seconds : undefined
}

/** A tick is a millisecond where nothing else is said. */
const usualScale = 1_000_000
const longestInfo = 64 * 1024

interface Range {
  readonly from: number
  readonly to: number
}

// A segment of a million elements is nobody's film.
const mostElements = 1000

/** The content of the first element of that id; the rest of the range where it does not say how long it is. */
function findElement(id: number, { from, to }: Range, readAt: ReadAt): Range | undefined {
  let at = from
  for (let count = 0; count < mostElements && at < to; count++) {
    const element = elementHead(readAt(at, 12), at)
    if (!element) return undefined
    const end = element.length === undefined ? to : Math.min(to, element.contents + element.length)
    if (element.id === id) return { from: element.contents, to: end }
    if (element.length === undefined) return undefined
    at = element.contents + element.length
  }
  return undefined
}

function floatAt(bytes: Uint8Array): number | undefined {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength)
  if (bytes.length === 4) return view.getFloat32(0)
  return bytes.length === 8 ? view.getFloat64(0) : undefined
}
