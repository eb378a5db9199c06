import type { Bytes } from './bytes.ts'
import { type Check, cut, excess } from './verdict.ts'

const block = { picture: 0x2c, extension: 0x21, trailer: 0x3b } as const

/** GIF89a: the screen, then pictures and extensions in counted pieces, then a trailer. */
export const checkGif: Check = async bytes => {
  const screen = await bytes.read(0, 13)
  let at = 13 + tableBytes(screen[10] ?? 0)
  let hasPixels = false
  while (at < bytes.size) {
    const head = await bytes.read(at, 11)
    const kind = head[0]
    if (kind === block.trailer) return verdict(hasPixels, bytes.size - at - 1)
    if (kind !== block.picture && kind !== block.extension) return `no block begins at byte ${at}`
    hasPixels ||= kind === block.picture
    at = await piecesEnd(bytes, kind === block.picture ? at + 11 + tableBytes(head[9] ?? 0) : at + 2)
  }
  return cut('its trailer is missing')
}

function verdict(hasPixels: boolean, behind: number) {
  if (!hasPixels) return 'it has no pixels'
  return behind === 0 ? undefined : excess(behind)
}

/** A colour table's length, by the packed byte that announces it. */
function tableBytes(packed: number): number {
  return (packed & 0x80) === 0 ? 0 : 3 * 2 ** ((packed & 7) + 1)
}

/** Pieces of 1 to 255 bytes, each behind its length, ended by an empty one. */
async function piecesEnd(bytes: Bytes, start: number): Promise<number> {
  let at = start
  while (at < bytes.size) {
    const [length = 0] = await bytes.read(at, 1)
    at += 1 + length
    if (length === 0) return at
  }
  return bytes.size
}
