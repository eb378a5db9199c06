import { createHash } from 'node:crypto'
import { join } from 'node:path'
import { type Digest, sha256Digest } from '../base/names.ts'
import type { SavedFile } from '../base/state.ts'
import { readTextOn, removeQuietly, writeAtomically } from '../store/files/atomic-write.ts'
import { digestBytes } from '../store/files/digest.ts'
import { type Disk, makeFolders } from '../store/files/disk.ts'
import { refuseForeign } from '../store/files/state-folder.ts'
import { StorageError } from '../store/files/storage-error.ts'
import type { ObjectStore, SentPart } from './s3.ts'
import { ObjectStoreError } from './trouble.ts'

/** A saved file on its way into a bucket, where it is named by its digest. */
interface Sending {
  readonly store: ObjectStore
  readonly name: string
  readonly file: SavedFile
  /** Where it lies. */
  readonly path: string
  readonly disk: Disk
  /** For notes on uploads that have begun. */
  readonly notes: string
  /** What is there is damaged, and makes way. */
  readonly replaces?: boolean
  /** Shared by all the files that one run sends to one store; without it each is asked for. */
  readonly series?: Series
  /** In bytes: of each part, and from which on a file goes in parts. */
  readonly sizes?: { readonly part: number; readonly inParts: number }
}

/** What files that go to one store leave to those after them. */
export interface Series {
  /**
   * The last one was not there, so the next is taken for new as well. To ask costs about as much as to send a small file: it is sent
   * at once, under the condition that it is new. One that is there after all is sent in vain, and the next is asked for.
   */
  isNew: boolean
  /** Memory that nobody reads any more: fresh memory for each file takes as long as reading it. */
  readonly spare: Uint8Array[]
}

export function newSeries(): Series {
  return { isNew: false, spare: [] }
}

/**
 * Sends a file unless it is there. What is there afterwards is whole, and was read from the disk as it was saved: of an
 * altered file the last piece stays here. Long ones go in parts, and go on where a crash or a broken connection left them. Rejects
 * with ObjectStoreError or StorageError.
 */
export async function sendFile(sending: Sending): Promise<void> {
  const { store, name, file, path, disk, replaces = false, sizes = usual, series = newSeries() } = sending
  const isSmall = file.bytes <= smallBytes
  if (series.isNew && !replaces && isSmall && (await isSentUnasked(sending, series))) return
  const there = await store.size(name)
  series.isNew = there === undefined
  if (there === file.bytes && !replaces) return removeQuietly(disk, noteOf(sending))
  if (file.bytes > sizes.inParts && store.parts) return sendInParts(sending, store.parts)
  const isNew = there === undefined
  if (isSmall) return void (await sendWhole(sending, series, isNew))
  const body = () => provenPieces(disk, path, file)
  await store.write(name, { type: file.type, bytes: file.bytes, body }, { isNew })
}

/** False where it was there, or may have been: a store may cut off a body that it does not want before anybody hears why. */
async function isSentUnasked(sending: Sending, series: Series): Promise<boolean> {
  try {
    return (await sendWhole(sending, series, true)) === 'written'
  } catch (error) {
    if (error instanceof ObjectStoreError && error.status === undefined) return false
    throw error
  }
}

async function sendWhole(
  { store, name, file, path, disk }: Sending,
  { spare }: Series,
  isNew: boolean,
): Promise<'written' | 'taken'> {
  const room = spare.pop() ?? new Uint8Array(smallBytes)
  const body = () => provenWhole(disk, path, file, room)
  const outcome = await store.write(name, { type: file.type, bytes: file.bytes, body }, { isNew })
  // Until the store has all of it, a connection that is being given up may still read there.
  if (outcome === 'written') spare.push(room)
  return outcome
}

const MiB = 1024 * 1024
const usual = { part: 16 * MiB, inParts: 64 * MiB }

// Pieces cost as much as the bytes: most files are one.
const smallBytes = 8 * MiB

/** Its digest is known before any of it is given away. */
function provenWhole(disk: Disk, path: string, { digest, bytes }: SavedFile, room: Uint8Array): Uint8Array {
  const hash = createHash('sha256')
  let end = 0
  for (const piece of disk.readPiecesNow(path)) {
    if (end + piece.length > bytes) throw altered(path)
    room.set(piece, end)
    end += piece.length
    hash.update(piece)
  }
  if (sha256Digest(hash.digest('hex')) !== digest) throw altered(path)
  return room.subarray(0, bytes)
}

/** Its digest is known when all but its last piece are given away. */
async function* provenPieces(disk: Disk, path: string, { digest }: SavedFile): AsyncGenerator<Uint8Array> {
  const hash = createHash('sha256')
  let held: Uint8Array | undefined
  for await (const piece of disk.readPieces(path)) {
    if (held) yield held
    hash.update(piece)
    held = piece
  }
  if (sha256Digest(hash.digest('hex')) !== digest) throw altered(path)
  if (held) yield held
}

function altered(path: string): StorageError {
  return new StorageError(path, 'read', 'it was altered since it was made')
}

/** An upload that has begun, for whoever goes on with it. */
interface Begun {
  readonly id: string
  readonly parts: readonly ProvenPart[]
}

/** With its digest: the file may be another one by the time that somebody goes on. */
interface ProvenPart extends SentPart {
  readonly digest: Digest
}

async function sendInParts(sending: Sending, by: NonNullable<ObjectStore['parts']>): Promise<void> {
  const { store, name, file, disk, notes } = sending
  const note = noteOf(sending)
  refuseForeign(disk, notes)
  await makeFolders(disk, notes, 0o700)
  const earlier = readBegun(disk, note)
  try {
    await sendParts(sending, by, { note, begun: earlier })
  } catch (error) {
    // It was completed, and the answer lost; or the store has thrown it away meanwhile, or has another part than was sent.
    const isGone = error instanceof ObjectStoreError && (error.status === 404 || error.status === 400)
    if (!isGone) throw error
    removeQuietly(disk, note)
    if ((await store.size(name)) === file.bytes) return
    if (!earlier) throw error
    await sendParts(sending, by, { note })
  }
  removeQuietly(disk, note)
  const size = await store.size(name)
  if (size === file.bytes) return
  const hint = 'run again: it is sent anew'
  throw new ObjectStoreError(
    `${store.addressOf(name)} has ${size ?? 'no'} bytes, and was sent ${file.bytes}`,
    hint,
  )
}

function noteOf({ store, name, notes }: Sending): string {
  return join(notes, `${digestBytes(store.addressOf(name)).slice('sha256:'.length)}.json`)
}

async function sendParts(
  { name, file, path, disk, sizes = usual }: Sending,
  by: NonNullable<ObjectStore['parts']>,
  { note, begun }: { readonly note: string; readonly begun?: Begun | undefined },
): Promise<void> {
  const { id, parts: sent } = begun ?? (await begin())
  const parts = [...sent]
  const hash = createHash('sha256')
  let number = 0
  for await (const bytes of inParts(disk.readPieces(path), sizes.part)) {
    number += 1
    hash.update(bytes)
    const digest = digestBytes(bytes)
    if (parts[number - 1]?.digest === digest) continue
    parts.splice(number - 1)
    parts.push({ ...(await by.send(name, id, { number, bytes })), digest })
    await keep({ id, parts })
  }
  if (sha256Digest(hash.digest('hex')) !== file.digest) throw altered(path)
  await by.complete(name, id, parts.slice(0, number))

  /** Written down before the first part: an upload that nobody knows of lies in the store for ever, with what it has of that part. */
  async function begin(): Promise<Begun> {
    const fresh = { id: await by.begin(name, file.type), parts: [] }
    await keep(fresh)
    return fresh
  }

  async function keep(now: Begun): Promise<void> {
    await writeAtomically(disk, note, JSON.stringify(now), { mode: 0o600 })
  }
}

async function* inParts(pieces: AsyncIterable<Uint8Array>, partBytes: number): AsyncGenerator<Uint8Array> {
  let part: Uint8Array[] = []
  let bytes = 0
  for await (const piece of pieces) {
    for (let at = 0; at < piece.length; ) {
      const fitting = piece.subarray(at, at + partBytes - bytes)
      part.push(fitting)
      bytes += fitting.length
      at += fitting.length
      if (bytes < partBytes) continue
      yield Buffer.concat(part)
      part = []
      bytes = 0
    }
  }
  if (bytes > 0) yield Buffer.concat(part)
}

/** Ours, and in a checkout all the same: what is not as we write it is none. */
function readBegun(disk: Disk, note: string): Begun | undefined {
  try {
    const value: { readonly id?: unknown; readonly parts?: unknown } = JSON.parse(
      readTextOn(disk, note) ?? '',
    )
    const { id, parts } = value
    const isWhole = typeof id === 'string' && Array.isArray(parts) && parts.every(isPart)
    return isWhole ? { id, parts } : undefined
  } catch {
    return undefined
  }
}

function isPart(part: unknown, nth: number): part is ProvenPart {
  const { partNumber, etag, digest } = (part ?? {}) as Partial<ProvenPart>
  return partNumber === nth + 1 && typeof etag === 'string' && typeof digest === 'string'
}
