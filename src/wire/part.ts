import { createHash } from 'node:crypto'
import { type FileHandle, open } from 'node:fs/promises'
import type { Failure } from '../base/failure.ts'
import { troubleText } from './trouble.ts'

/** A file on its way to the disk. Nothing here throws: trouble with the disk is an `unsaved`. */
export interface Part {
  readonly bytes: () => number
  write(chunk: Uint8Array): Promise<Failure | undefined>
  /** Syncs and closes; the sha256 in hexadecimal of everything written. */
  finish(): Promise<{ readonly sha256: string } | Failure>
  /** Closes the file as it is; nothing when it is closed already. */
  leave(): Promise<void>
}

/** Begins the file anew. */
export async function openPart(path: string): Promise<Part | Failure> {
  const opened = await attempt(path, () => open(path, 'w'))
  return 'why' in opened ? opened : partOf(path, opened.value)
}

function partOf(path: string, file: FileHandle): Part {
  const hash = createHash('sha256')
  let bytes = 0
  return {
    bytes: () => bytes,
    async write(chunk) {
      const written = await attempt(path, () => file.writeFile(chunk))
      if ('why' in written) return written
      hash.update(chunk)
      bytes += chunk.byteLength
      return undefined
    },
    async finish() {
      const synced = await attempt(path, () => file.sync())
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
    return { why: 'unsaved', path, detail: troubleText(error) }
  }
}
