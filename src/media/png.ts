import { crc32 } from 'node:zlib'
import { type Bytes, pieceBytes, uint32 } from './bytes.ts'
import { latin } from './letters.ts'
import { type Check, cut, excess } from './verdict.ts'

/** PNG (ISO 15948): chunks with checksums from IHDR over IDAT to IEND, and nothing behind it. */
export const checkPng: Check = async bytes => {
  let at = 8
  let hasPixels = false
  while (at < bytes.size) {
    const head = await bytes.read(at, 8)
    if (head.length < 8) return cut('it ends inside the head of a chunk')
    const [length, name] = [uint32(head, 0), latin(head, 4, 8)]
    if (!/^[A-Za-z]{4}$/.test(name)) return `no chunk begins at byte ${at}`
    if (at === 8 && name !== 'IHDR') return `its first chunk is ${name}, not IHDR`
    const end = at + 12 + length
    if (end > bytes.size) return cut(`it ends inside a chunk ${name}`)
    if (!(await isSound(bytes, at + 4, end - 4)))
      return `the checksum of its chunk ${name} at byte ${at} is wrong`
    if (name === 'IEND') return hasPixels ? trailing(bytes.size - end) : 'it has no pixels'
    hasPixels ||= name === 'IDAT'
    at = end
  }
  return cut('its last chunk (IEND) is missing')
}

function trailing(count: number) {
  return count === 0 ? undefined : excess(count)
}

async function isSound(bytes: Bytes, start: number, end: number): Promise<boolean> {
  let sum = 0
  for (let at = start; at < end; at += pieceBytes) {
    sum = crc32(await bytes.read(at, Math.min(pieceBytes, end - at)), sum)
  }
  return sum === uint32(await bytes.read(end, 4), 0)
}
