import { type Bytes, pieceBytes, uint16 } from './bytes.ts'
import { type Check, cut, excess, type MediaVerdict } from './verdict.ts'

/**
 * JPEG (ITU T.81, annex B): segments with lengths, scans of coded bytes, and the end marker. Behind it only padding
 * and further pictures may follow (previews of the multi-picture format), each as whole as the first.
 */
export const checkJpeg: Check = async bytes => {
  let at = 0
  while (at < bytes.size) {
    const picture = await walkPicture(bytes, at)
    if ('wrong' in picture) return picture.wrong
    at = await skipPadding(bytes, picture.end)
    if (at < bytes.size && !(await isStart(bytes, at))) return excess(bytes.size - at)
  }
  return undefined
}

type Walked = { readonly end: number } | { readonly wrong: NonNullable<MediaVerdict> }

const marker = { start: 0xd8, end: 0xd9, scan: 0xda } as const

async function walkPicture(bytes: Bytes, start: number): Promise<Walked> {
  let at = start + 2
  let hasFrame = false
  let hasScan = false
  while (at + 2 <= bytes.size) {
    const head = await bytes.read(at, 4)
    const kind = head[1] ?? 0
    if (head[0] !== 0xff) return { wrong: `no marker stands at byte ${at}` }
    // Any number of set bytes may stand before a marker.
    if (kind === 0xff) {
      at += 1
      continue
    }
    if (kind === marker.end) return hasFrame && hasScan ? { end: at + 2 } : { wrong: 'it has no pixels' }
    if (head.length < 4) break
    const next = at + 2 + uint16(head, 2)
    if (next > bytes.size) break
    hasFrame ||= isFrame(kind)
    hasScan ||= kind === marker.scan
    at = kind === marker.scan ? await scanEnd(bytes, next) : next
  }
  return { wrong: cut('its end marker (EOI) is missing') }
}

/** SOF0 to SOF15, without the tables that share their range. */
function isFrame(kind: number): boolean {
  return kind >= 0xc0 && kind <= 0xcf && kind !== 0xc4 && kind !== 0xc8 && kind !== 0xcc
}

/** The first marker behind coded bytes. There, a set byte is followed by 0, or by a restart marker, or it is a marker. */
async function scanEnd(bytes: Bytes, start: number): Promise<number> {
  let at = start
  while (at < bytes.size) {
    const piece = await bytes.read(at, pieceBytes)
    const found = piece.indexOf(0xff)
    if (found < 0) {
      at += piece.length
      continue
    }
    const [, kind = 0] = await bytes.read(at + found, 2)
    const isCoded = kind === 0 || (kind >= 0xd0 && kind <= 0xd7)
    if (!isCoded) return at + found
    at += found + 2
  }
  return bytes.size
}

async function skipPadding(bytes: Bytes, start: number): Promise<number> {
  let at = start
  while (at < bytes.size) {
    const piece = await bytes.read(at, pieceBytes)
    const found = piece.findIndex(byte => byte !== 0)
    if (found >= 0) return at + found
    at += piece.length
  }
  return at
}

async function isStart(bytes: Bytes, at: number): Promise<boolean> {
  const head = await bytes.read(at, 2)
  return head[0] === 0xff && head[1] === marker.start
}
