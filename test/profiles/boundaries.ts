/** Where the parts of a file of each format begin: boxes, chunks, segments, elements, pages, blocks, frames. */

type Bytes = Uint8Array
/** The offset behind what begins at `at`; undefined where nothing of the format begins. */
type Step = (view: DataView, at: number) => number | undefined

/** Every place strictly inside the file at which one part ends and the next begins, in order. */
export function boundaries(format: keyof typeof readers, bytes: Bytes): number[] {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength)
  const found = new Set(readers[format](view, 0, bytes.length))
  return [...found].filter(at => at > 0 && at < bytes.length).toSorted((a, b) => a - b)
}

type Reader = (view: DataView, from: number, to: number) => number[]

function walk(step: Step): Reader {
  return (view, from, to) => {
    const found: number[] = []
    for (let at: number | undefined = from; at !== undefined && at < to; ) {
      found.push(at)
      const next = step(view, at)
      if (next !== undefined && next <= at) throw new Error(`nothing ends behind ${at}`)
      at = next
    }
    return found
  }
}

const behind =
  (head: number, rest: Reader): Reader =>
  (view, from, to) => [from + head, ...rest(view, from + head, to)]

const text = (view: DataView, at: number) =>
  String.fromCodePoint(...[0, 1, 2, 3].map(nth => view.getUint8(at + nth)))

/** ISO/IEC 14496-12: boxes, and the boxes inside those that hold nothing else. */
const nests = new Set(['moov', 'trak', 'mdia', 'minf', 'stbl', 'dinf', 'edts'])
const boxes: Reader = (view, from, to) =>
  walk(boxEnd)(view, from, to).flatMap(at =>
    nests.has(text(view, at + 4)) ? [at, ...boxes(view, at + 8, boxEnd(view, at))] : [at],
  )

function boxEnd(view: DataView, at: number): number {
  const size = view.getUint32(at)
  if (size === 1) return at + Number(view.getBigUint64(at + 8))
  return size === 0 ? view.byteLength : at + size
}

/** RIFF: chunks of even length behind twelve bytes. */
const riff = behind(
  12,
  walk((view, at) => at + 8 + view.getUint32(at + 4, true) + (view.getUint32(at + 4, true) % 2)),
)

/** RFC 2083: a signature and chunks. */
const chunks = behind(
  8,
  walk((view, at) => at + 12 + view.getUint32(at)),
)

/** ITU T.81: segments; what follows a scan's head runs to the next marker. */
const segments = behind(
  2,
  walk((view, at) => {
    const next = at + 2 + (view.getUint8(at + 1) === 0xd9 ? 0 : view.getUint16(at + 2))
    return view.getUint8(at + 1) === 0xda ? nextMarker(view, next) : next
  }),
)

function nextMarker(view: DataView, from: number): number | undefined {
  for (let at = from; at + 1 < view.byteLength; at++) {
    const code = view.getUint8(at + 1)
    if (view.getUint8(at) === 0xff && code !== 0 && (code < 0xd0 || code > 0xd7)) return at
  }
  return undefined
}

/** RFC 8794: elements, and the elements inside of segments, tracks and clusters. */
const holders = new Set([0x18538067, 0x1654ae6b, 0xae, 0x1f43b675, 0x1c53bb6b])
const elements: Reader = (view, from, to) => {
  const found: number[] = []
  for (let at = from; at < to; ) {
    found.push(at)
    const idBytes = Math.clz32(view.getUint8(at)) - 23
    const sizeBytes = Math.clz32(view.getUint8(at + idBytes)) - 23
    const id = number(view, at, idBytes)
    const size = number(view, at + idBytes, sizeBytes) - 2 ** (7 * sizeBytes)
    const body = at + idBytes + sizeBytes
    const end = Math.min(to, body + size)
    if (holders.has(id)) found.push(...elements(view, body, end))
    at = end
  }
  return found
}

function number(view: DataView, at: number, bytes: number): number {
  let value = 0
  for (let nth = 0; nth < bytes; nth++) value = value * 256 + view.getUint8(at + nth)
  return value
}

/** RFC 3533: pages. */
const pages = walk((view, at) => {
  const segments = view.getUint8(at + 26)
  let length = 27 + segments
  for (let nth = 0; nth < segments; nth++) length += view.getUint8(at + 27 + nth)
  return at + length
})

/** RFC 9639: a mark and blocks; frames begin with fourteen set bits. */
const blocks: Reader = (view, from, to) => {
  const found = [from + 4]
  for (let at = from + 4, isLast = false; !isLast; found.push(at)) {
    isLast = view.getUint8(at) >= 0x80
    at += 4 + number(view, at + 1, 3)
  }
  for (let at = (found.at(-1) ?? 0) + 1; at + 1 < to; at++)
    if (view.getUint16(at) >> 1 === 0x7ffc) found.push(at)
  return found
}

/** ISO/IEC 11172-3: frames begin with eleven set bits; the samples have no such bits inside of frames. */
const frames: Reader = (view, from, to) => {
  const found: number[] = []
  for (let at = from; at + 1 < to; at++) if (view.getUint16(at) >> 5 === 0x7ff) found.push(at)
  return found
}

const readers = {
  png: chunks,
  jpeg: segments,
  webp: riff,
  mp4: boxes,
  mov: boxes,
  webm: elements,
  wav: riff,
  mp3: frames,
  ogg: pages,
  flac: blocks,
} satisfies { readonly [format: string]: Reader }
