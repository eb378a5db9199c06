import { createHash, type Hash } from 'node:crypto'
import type { Failure } from '../../base/failure.ts'
import { openNewPart, openOldPart, type PartFile, readPart, syncPart } from '../../disk/part.ts'
import { networkErrorText } from '../http/network-error.ts'

/** A file on its way to the disk. Nothing here throws: trouble with the disk is an `unsaved`. */
export interface Part {
  readonly bytes: () => number
  /** For going on later. */
  readonly sofar: () => { readonly bytes: number; readonly hash: Hash }
  write(chunk: Uint8Array): Promise<Failure | undefined>
  /** Syncs and closes; the sha256 in hexadecimal of everything written. */
  finish(): Promise<{ readonly sha256: string } | Failure>
  /** Closes the file as it is; nothing when it is closed already. */
  leave(): Promise<void>
}

/** Begins the file anew, or goes on behind what is in it: so many bytes, which the hash has seen. */
export async function openPart(
  path: string,
  sofar: { readonly bytes: number; readonly hash: Hash } = { bytes: 0, hash: createHash('sha256') },
): Promise<Part | Failure> {
  const opened = await attempt(path, () => (sofar.bytes === 0 ? openNewPart(path) : openOldPart(path)))
  return 'why' in opened ? opened : partOf(path, opened.value, sofar.bytes, sofar.hash.copy())
}

/**
 * Leaves a small file there as a download would: opened, written, synced, closed, and read again. Why that cannot be done
 * here; undefined when it can.
 */
export async function tryPart(path: string): Promise<Failure | undefined> {
  const part = await openPart(path)
  if ('why' in part) return part
  const bytes = new TextEncoder().encode('genrun')
  const failure = await part.write(bytes)
  if (failure) {
    await part.leave()
    return failure
  }
  const done = await part.finish()
  if ('why' in done) return done
  const read = await attempt(path, () => readPart(path))
  if ('why' in read) return read
  const isSame = Buffer.from(bytes).equals(read.value)
  return isSame ? undefined : { why: 'unsaved', path, detail: 'it holds other bytes than were written' }
}

function partOf(path: string, file: PartFile, from: number, hash: Hash): Part {
  let bytes = from
  return {
    bytes: () => bytes,
    sofar: () => ({ bytes, hash: hash.copy() }),
    async write(chunk) {
      const written = await attempt(path, () => file.writeFile(chunk))
      if ('why' in written) return written
      hash.update(chunk)
      bytes += chunk.byteLength
      return undefined
    },
    async finish() {
      const synced = await attempt(path, () => syncPart(file))
      const closed = await attempt(path, () => file.close())
      if ('why' in synced) return synced
      return 'why' in closed ? closed : { sha256: hash.digest('hex') }
    },
    async leave() {
      await file.close().catch(() => {})
    },
  }
}

async function attempt<T>(path: string, act: () => Promise<T>): Promise<{ readonly value: T } | Failure> {
  try {
    return { value: await act() }
  } catch (error) {
    return { why: 'unsaved', path, detail: networkErrorText(error) }
  }
}
