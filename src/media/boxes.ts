import { type Bytes, uint32, uint64 } from './bytes.ts'
import { latin } from './letters.ts'
import { type Check, cut, type MediaVerdict } from './verdict.ts'

/** MP4, QuickTime and M4A (ISO 14496-12): boxes cover the file exactly; there are tracks (moov) and what they hold (mdat). */
export const checkMovie: Check = bytes => checkBoxes(bytes, ['ftyp', 'moov', 'mdat'])

/** AVIF (ISO 23008-12): the same boxes around a picture. */
export const checkAvif: Check = bytes => checkBoxes(bytes, ['ftyp', 'meta', 'mdat'])

async function checkBoxes(bytes: Bytes, needed: readonly string[]): Promise<MediaVerdict> {
  const seen = new Set<string>()
  let at = 0
  while (at < bytes.size) {
    const box = await readBox(bytes, at)
    if (typeof box === 'string') return box
    if (at + box.length > bytes.size) return cut(`it ends inside a box ${box.name}`)
    if (box.length > box.head) seen.add(box.name)
    at += box.length
  }
  const missing = needed.find(name => !seen.has(name))
  return missing && cut(`its box ${missing} is missing`)
}

interface Box {
  readonly name: string
  /** All of it, and the part before its contents. */
  readonly length: number
  readonly head: number
}

async function readBox(bytes: Bytes, at: number): Promise<Box | string> {
  const head = await bytes.read(at, 16)
  if (head.length < 8) return cut('it ends inside the head of a box')
  const [short, name] = [uint32(head, 0), latin(head, 4, 8)]
  if (!/^[\x20-\x7e\xa9]{4}$/.test(name)) return `no box begins at byte ${at}`
  if (short === 0) return `its box ${name} has no length, so nobody can tell where it ends`
  if (short === 1 && head.length < 16) return cut('it ends inside the head of a box')
  const box = short === 1 ? { name, length: uint64(head, 8), head: 16 } : { name, length: short, head: 8 }
  return box.length < box.head ? `the length of its box ${name} at byte ${at} is wrong` : box
}
