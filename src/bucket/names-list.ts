import { dirname } from 'node:path'
import { type Disk, makeFolders, writeAtEnd } from '../store/files/disk.ts'
import { refuseForeign } from '../store/files/state-folder.ts'
import { StorageError } from '../store/files/storage-error.ts'

/**
 * What is known of a bucket, so that it is not asked again: a name a line, 64 digits. Losing it costs questions, no more; a line
 * that a crash cut short is none.
 */
interface NamesList {
  has(name: string): boolean
  /** Trouble with the disk is no reason to stop: then it is asked again. */
  add(name: string): Promise<void>
}

export function openNames(disk: Disk, path: string): NamesList {
  let known: Set<string> | undefined
  const names = () => (known ??= new Set(textOn(disk, path).match(/^[0-9a-f]{64}$/gm)))
  return {
    has: name => names().has(name),
    async add(name) {
      if (names().has(name)) return
      names().add(name)
      try {
        refuseForeign(disk, dirname(path))
        await makeFolders(disk, dirname(path), 0o700)
        writeAtEnd(disk, path, `\n${name}\n`, 0o600)
      } catch (error) {
        if (!(error instanceof StorageError)) throw error
      }
    },
  }
}

function textOn(disk: Disk, path: string): string {
  try {
    return disk.look(path)?.is === 'file' ? disk.readAll(path).toString('latin1') : ''
  } catch (error) {
    if (error instanceof StorageError) return ''
    throw error
  }
}
