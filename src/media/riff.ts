import { type Bytes, uint16le, uint32le } from './bytes.ts'
import { latin } from './letters.ts'
import { type Check, cut, excess, type MediaVerdict } from './verdict.ts'

/** WebP: the RIFF size is the file's, and one of its chunks holds a picture. */
export const checkWebp: Check = async bytes => {
  const walked = await walk(bytes)
  if ('wrong' in walked) return walked.wrong
  const hasPixels = walked.chunks.some(chunk => ['VP8 ', 'VP8L', 'ANMF'].includes(chunk.name))
  return hasPixels ? undefined : 'it has no pixels'
}

/** WAV: the RIFF size is the file's, the format stands before the samples, and they come in whole blocks. */
export const checkWav: Check = async bytes => {
  const walked = await walk(bytes)
  if ('wrong' in walked) return walked.wrong
  const format = walked.chunks.find(chunk => chunk.name === 'fmt ')
  const data = walked.chunks.find(chunk => chunk.name === 'data')
  if (!format || format.length < 16) return 'it does not say how its samples are written'
  if (!data || data.length === 0) return 'it has no samples'
  const block = uint16le(await bytes.read(format.at + 12, 2), 0)
  return block > 0 && data.length % block === 0 ? undefined : cut('it ends inside a sample')
}

interface Chunk {
  readonly name: string
  /** Where its contents begin, and how many bytes they are. */
  readonly at: number
  readonly length: number
}

type Walked = { readonly chunks: readonly Chunk[] } | { readonly wrong: NonNullable<MediaVerdict> }

// What is written for a length by programs that stream and cannot come back to fill it in: it means "to the end".
const toTheEnd = 0xffff_ffff

async function walk(bytes: Bytes): Promise<Walked> {
  if (bytes.size < 12) return { wrong: cut('it ends inside its head') }
  const declared = uint32le(await bytes.read(4, 4), 0)
  const end = declared === toTheEnd ? bytes.size : 8 + declared
  if (end > bytes.size) return { wrong: cut(`${end} bytes are declared, ${bytes.size} are there`) }
  // An odd length is padded to an even one; some programs forget it, some do not count it.
  if (bytes.size - end > declared % 2) return { wrong: excess(bytes.size - end) }
  return walkChunks(bytes, end)
}

async function walkChunks(bytes: Bytes, end: number): Promise<Walked> {
  const chunks: Chunk[] = []
  let at = 12
  while (at < end) {
    const head = await bytes.read(at, 8)
    if (at + 8 > end || head.length < 8) return { wrong: cut('it ends inside the head of a chunk') }
    const [name, declared] = [latin(head, 0, 4), uint32le(head, 4)]
    const length = declared === toTheEnd ? end - at - 8 : declared
    if (at + 8 + length > end) return { wrong: cut(`it ends inside a chunk ${name.trim()}`) }
    chunks.push({ name, at: at + 8, length })
    at += 8 + length + (length % 2)
  }
  return { chunks }
}
