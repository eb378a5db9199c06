import { createHash } from 'node:crypto'
import { basename, join } from 'node:path'
import type { Purchase } from '../../base/purchase.ts'
import { removeQuietly } from './atomic-write.ts'
import { type Disk, type Look, systemDisk } from './disk.ts'
import { StorageError } from './storage-error.ts'

/**
 * Where a run puts files together: below the output folder, so that giving them their final names is one step. No two
 * runs have a name in common: one that was paused, and lost its claim, may still write to what it has open, and must not
 * find the files of the run that took over.
 */
export interface Parts {
  /** For the `nth` file, from 0, of whatever the key names: any text of ours. */
  path(key: string, nth: number): string
  /**
   * Where a file of the owner's earlier runs is now: the project may have been moved since, and a journal that a checkout brings can
   * name any path. Undefined when it is gone, and for what no run put there.
   */
  find(path: string): string | undefined
  /**
   * Removes what the owner's earlier runs left behind, but for these paths. For the holder of the claim only. What cannot
   * be removed stays.
   */
  sweep(needed: ReadonlySet<string>): void
}

interface PartsOptions {
  /** Absolute. */
  readonly folder: string
  /** Whose they are: manifests may share an output folder. */
  readonly owner: string
  /** Names the run. */
  readonly token: string
  readonly disk?: Disk
}

export function openParts({ folder, owner, token, disk = systemDisk }: PartsOptions): Parts {
  const all = `${shortDigest(owner)}-`
  const own = `${all}${shortDigest(token)}-`
  const isPart = (name: string) => name.startsWith(all) && name.endsWith('.part')
  return {
    find(path) {
      const here = join(folder, basename(path))
      return isPart(basename(path)) && looked(disk, here)?.is === 'file' ? here : undefined
    },
    path: (key, nth) => join(folder, `${own}${shortDigest(key)}-${nth}.part`),
    sweep(needed) {
      const names = new Set([...needed].map(path => basename(path)))
      for (const name of listed(disk, folder))
        if (isPart(name) && !name.startsWith(own) && !names.has(name)) removeQuietly(disk, join(folder, name))
    },
  }
}

/** What earlier runs left of files that are still to come. */
export function neededParts(purchases: Iterable<Purchase>): Set<string> {
  return new Set(
    [...purchases].flatMap(purchase =>
      purchase.is === 'under-way' ? [...purchase.saved, ...purchase.parts].map(({ part }) => part) : [],
    ),
  )
}

function shortDigest(text: string): string {
  return createHash('sha256').update(text).digest('hex').slice(0, 16)
}

function listed(disk: Disk, folder: string): readonly string[] {
  try {
    return disk.list(folder)
  } catch (error) {
    if (error instanceof StorageError) return []
    throw error
  }
}

function looked(disk: Disk, path: string): Look | undefined {
  try {
    return disk.look(path)
  } catch (error) {
    if (error instanceof StorageError) return undefined
    throw error
  }
}
