import { uint32le } from './bytes.ts'
import { latin } from './letters.ts'
import { type Check, cut } from './verdict.ts'

const flag = { first: 2, last: 4 } as const

/** Ogg (RFC 3533): pages follow each other to the end of the file, and every stream that began has its last page. */
export const checkOgg: Check = async bytes => {
  const open = new Set<number>()
  let at = 0
  while (at < bytes.size) {
    const head = await bytes.read(at, 27 + 255)
    if (head.length < 27) return cut('it ends inside the head of a page')
    if (latin(head, 0, 4) !== 'OggS') return `no page begins at byte ${at}`
    const segments = head[26] ?? 0
    const body = head.subarray(27, 27 + segments).reduce((sum, length) => sum + length, 0)
    at += 27 + segments + body
    if (at > bytes.size) return cut('it ends inside a page')
    const [flags, stream] = [head[5] ?? 0, uint32le(head, 14)]
    if (flags & flag.first) open.add(stream)
    if (flags & flag.last) open.delete(stream)
  }
  return open.size === 0 ? undefined : cut('its last page is missing')
}
