import { type Check, cut } from './verdict.ts'

/** Element ids (RFC 9559) with their marker bits. */
export const elementId = {
  segment: 0x18538067,
  info: 0x1549a966,
  timestampScale: 0x2ad7b1,
  duration: 0x4489,
  tracks: 0x1654ae6b,
  cluster: 0x1f43b675,
} as const

/**
 * WebM (RFC 8794, RFC 9559): elements cover the file exactly; there are tracks and clusters. A segment or a cluster
 * of unknown length (a live recording) is walked by its children, so such a file must at least end with a whole one.
 */
export const checkWebm: Check = async bytes => {
  const seen = new Set<number>()
  let at = 0
  while (at < bytes.size) {
    const element = elementHead(await bytes.read(at, 12), at)
    if (element === undefined) return cut('it ends inside the head of an element')
    seen.add(element.id)
    const end = element.contents + (element.length ?? 0)
    if (element.id === elementId.segment && end > bytes.size) {
      return cut(`${end} bytes are declared, ${bytes.size} are there`)
    }
    if (end > bytes.size) return cut('it ends inside an element')
    const isOpened =
      element.id === elementId.segment || (element.id === elementId.cluster && element.length === undefined)
    if (!isOpened && element.length === undefined) return `the element at byte ${at} has no length`
    at = isOpened ? element.contents : end
  }
  if (!seen.has(elementId.tracks)) return cut('it has no tracks')
  return seen.has(elementId.cluster) ? undefined : cut('its tracks are empty')
}

interface Element {
  readonly id: number
  readonly contents: number
  /** Undefined when the file does not say. */
  readonly length: number | undefined
}

/** The element that begins at `at`, by the bytes there (12 are enough); undefined when they are none's. */
export function elementHead(head: Uint8Array, at: number): Element | undefined {
  const idBytes = vintBytes(head[0])
  const sizeBytes = vintBytes(head[idBytes])
  if (head.length < idBytes + sizeBytes || idBytes > 4 || sizeBytes > 8) return undefined
  const id = number(head.subarray(0, idBytes))
  const contents = at + idBytes + sizeBytes
  const size = head.subarray(idBytes, idBytes + sizeBytes)
  // The bits behind the marker; all of them set means that the length is not known.
  const marked = (size[0] ?? 0) & (0xff >> sizeBytes)
  const isUnknown = marked === 0xff >> sizeBytes && size.subarray(1).every(byte => byte === 0xff)
  return { id, contents, length: isUnknown ? undefined : number(size.subarray(1), marked) }
}

/** How many bytes a number has: one more than the zeros that begin its first byte. 9 when there is none. */
function vintBytes(first: number | undefined): number {
  return first ? Math.clz32(first) - 23 : 9
}

export function number(bytes: Uint8Array, high = 0): number {
  return bytes.reduce((sum, byte) => sum * 256 + byte, high)
}
