import { createHash } from 'node:crypto'
import { type Digest, sha256Digest } from '../base/names.ts'
import type { Recipe, SavedFile } from '../base/state.ts'
import { type Cached, parseResult } from '../store/cache/cache-text.ts'
import { removeQuietly, writeSynced } from '../store/files/atomic-write.ts'
import { type Disk, writeFully } from '../store/files/disk.ts'
import { wireLimits } from '../wire/http/limits.ts'
import type { ObjectStore } from './s3.ts'
import { ObjectStoreError } from './trouble.ts'

/**
 * What a bucket has, told from what became of it on the way. Damage is bought anew and replaced, so it is believed only where the
 * store gives as many bytes as it says that it has. Whatever else comes is trouble with reaching it (ObjectStoreError), after it was
 * asked for again: others may have paid for what lies there.
 */

/** `damaged`: a result of ours that names other things than it should, or that ends too early in the bucket itself. */
export async function readShared(
  from: ObjectStore,
  name: string,
  recipe: Recipe,
  first: number,
): Promise<Cached | 'damaged' | 'gone'> {
  const look = async () => {
    const text = await textOf(await from.read(name))
    if (text === undefined) return 'gone'
    const found = parseResult(text, recipe, first)
    if (found && found.files.length <= mostFiles && found.files.every(isPlausibleFile)) return found
    if (found || isOfOurs(text)) return 'damaged'
    if (text.startsWith(beginning) && (await from.size(name)) === Buffer.byteLength(text)) return 'damaged'
    return undefined
  }
  const seen = (await look()) ?? (await look())
  if (seen) return seen
  throw doubt(from, name, 'what came is no result')
}

/** A file as it lies in a bucket. */
interface Copy {
  readonly from: ObjectStore
  readonly name: string
  readonly file: SavedFile
  /** That the store says it has. */
  readonly size: number
}

/** Rejects unless the store itself says that there is none of this name: the answer about its size may be a page in the way. */
export async function sureThatGone(from: ObjectStore, name: string): Promise<void> {
  const pieces = await from.read(name)
  if (!pieces) return
  // What nobody reads has to be given up.
  for await (const _ of pieces) break
  throw doubt(from, name, 'it is given, and its size is not')
}

export async function isWhole(copy: Copy): Promise<boolean> {
  return again(() => isSame(copy))
}

/** Afterwards it is there as `part` if it is the file. */
export async function isFetched(
  copy: Copy,
  { disk, part }: { readonly disk: Disk; readonly part: string },
): Promise<boolean> {
  return again(async () => {
    removeQuietly(disk, part)
    let isFile = false
    await writeSynced(disk, part, 0o644, async to => {
      isFile = await isSame(copy, piece => writeFully(disk, to, piece))
    })
    return isFile
  })
}

async function isSame(
  { from, name, file, size }: Copy,
  heed: (piece: Uint8Array) => void = () => undefined,
): Promise<boolean> {
  const pieces = await from.read(name)
  if (!pieces) throw doubt(from, name, 'it is there, and is not given')
  const { bytes, digest } = await measured(pieces, file.bytes, heed)
  if (digest === file.digest) return true
  const isAsSaid = size > file.bytes ? bytes > file.bytes : bytes === size
  if (isAsSaid) return false
  throw doubt(from, name, `${bytes} bytes came, and it has ${size}`)
}

/** More is no order of ours: it would fill the disk of whoever believes it. */
const mostFiles = 100
const mostResultBytes = 1024 * 1024

function isPlausibleFile({ bytes }: SavedFile): boolean {
  return bytes <= wireLimits.download.bytes
}

/** As every result begins that we write. */
const beginning = '{"address":'

/** Whatever is wrong with it: a page, or what another service says, has nothing of the kind. */
function isOfOurs(text: string): boolean {
  try {
    const value: unknown = JSON.parse(text)
    return typeof value === 'object' && value !== null && 'recipe' in value && 'files' in value
  } catch {
    return false
  }
}

function doubt(from: ObjectStore, name: string, detail: string): ObjectStoreError {
  const hint =
    'something on the way may answer in its place: run again later. If the bucket has it so, remove it there'
  return new ObjectStoreError(`could not read ${from.addressOf(name)}: ${detail}`, hint)
}

/** A connection that broke is tried again, from the beginning. */
async function again<T>(read: () => Promise<T>, left = 2): Promise<T> {
  try {
    return await read()
  } catch (error) {
    if (left === 0 || !(error instanceof ObjectStoreError) || error.status !== undefined) throw error
    return again(read, left - 1)
  }
}

/** More than a result can have is none. */
async function textOf(pieces: AsyncIterable<Uint8Array> | undefined): Promise<string | undefined> {
  if (pieces === undefined) return undefined
  const all: Uint8Array[] = []
  let bytes = 0
  for await (const piece of pieces) {
    bytes += piece.length
    if (bytes > mostResultBytes) return ''
    all.push(piece)
  }
  return Buffer.concat(all).toString()
}

/** Read no further than to the first piece that is beyond `most`; such a one has no digest. */
async function measured(
  pieces: AsyncIterable<Uint8Array>,
  most: number,
  heed: (piece: Uint8Array) => void,
): Promise<{ readonly bytes: number; readonly digest?: Digest }> {
  const hash = createHash('sha256')
  let bytes = 0
  for await (const piece of pieces) {
    bytes += piece.length
    if (bytes > most) return { bytes }
    heed(piece)
    hash.update(piece)
  }
  return { bytes, digest: sha256Digest(hash.digest('hex')) }
}
