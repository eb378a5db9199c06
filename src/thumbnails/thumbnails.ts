import { createHash } from 'node:crypto'
import { dirname } from 'node:path'
import { openDrawer } from '../disk/drawer.ts'
import { systemDisk } from '../store/files/disk.ts'
import { isOthersFolder } from '../store/files/state-folder.ts'
import type { Decoder } from './decoder.ts'
import { openServed, type ServedFile } from './served.ts'

/** Small pictures of results, each made once. */
export interface Thumbnails {
  /** As WebP, of a clip its first frame. Undefined where none can be made: of a sound, of a file that is damaged or too large. */
  of(key: string, file: ServedFile): Promise<Thumbnail | undefined>
}

interface Thumbnail {
  readonly bytes: Uint8Array
  /** It shows the file with that digest; false where somebody has altered the file since. */
  readonly isTrue: boolean
}

/** Its longer side, in pixels: a card on a dense screen. */
const longest = 400

/** No picture of a model is larger, and each is held in memory whole. */
const mostBytes = 64 * 1024 * 1024

/** Decoding and encoding have threads of their own; more at once would only fill memory. */
const mostAtOnce = 3

/** Kept in a folder of a manifest's state, where that is genrun's own. Without a decoder there are none of clips. */
export function openThumbnails(
  folder: string,
  needed: (key: string) => boolean,
  decoder?: Decoder,
): Thumbnails {
  const drawer = openDrawer(folder, () => isOwnState(folder))
  drawer.tidy(name => needed(name.slice(0, 64)))
  const turn = turns(mostAtOnce)
  const underWay = new Map<string, Promise<Thumbnail | undefined>>()
  async function make(key: string, file: ServedFile): Promise<Thumbnail | undefined> {
    const kept = drawer.take(`${key}.webp`)
    if (kept && isWhole(kept)) return { bytes: kept, isTrue: true }
    return turn(async () => {
      const original = await wholeOf(file)
      const picture = original && (isClip(file) ? await decoder?.firstFrame(original, file.type) : original)
      const bytes = picture && (await drawn(picture))
      if (!original || !bytes) return undefined
      const isTrue = createHash('sha256').update(original).digest('hex') === key
      if (isTrue) await drawer.put(`${key}.webp`, bytes)
      return { bytes, isTrue }
    })
  }
  return {
    of(key, file) {
      if (!file.type.startsWith('image/') && !(decoder && isClip(file))) return Promise.resolve(undefined)
      const known = underWay.get(key) ?? make(key, file).finally(() => underWay.delete(key))
      underWay.set(key, known)
      return known
    },
  }
}

/** Neither the folder, nor the state that it is of, nor all state is a link or another user's. */
function isOwnState(folder: string): boolean {
  const state = dirname(folder)
  return [dirname(state), state, folder].every(path => !isOthersFolder(systemDisk, path))
}

function isClip({ type }: ServedFile): boolean {
  return type.startsWith('video/')
}

/** Undefined where it is not there, or too large to be held. */
export async function wholeOf(file: ServedFile): Promise<Uint8Array | undefined> {
  const open = openServed(file)
  if (!open) return undefined
  if (open.bytes > mostBytes) {
    open.close()
    return undefined
  }
  const pieces: Uint8Array[] = []
  for await (const piece of open.pieces(0, open.bytes)) pieces.push(piece)
  return Buffer.concat(pieces)
}

/** Native code is loaded when the first is drawn. */
async function drawn(original: Uint8Array): Promise<Uint8Array | undefined> {
  const { smallWebp } = await import('../gateway/render/draw/small.ts')
  return smallWebp(original, longest)
}

/** A power cut may have left it short: its head says how long it should be. */
function isWhole(bytes: Uint8Array): boolean {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength)
  return bytes.length > 12 && view.getUint32(4, true) + 8 === bytes.length
}

function turns(most: number): <T>(work: () => Promise<T>) => Promise<T> {
  let free = most
  const waiting: (() => void)[] = []
  return async work => {
    if (free === 0) await new Promise<void>(resolve => waiting.push(resolve))
    else free--
    try {
      return await work()
    } finally {
      const next = waiting.shift()
      if (next) next()
      else free++
    }
  }
}
