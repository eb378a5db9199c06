import { join } from 'node:path'
import { totalOf } from '../../base/measure.ts'
import { readTextOn, removeQuietly } from '../files/atomic-write.ts'
import type { Disk } from '../files/disk.ts'
import { usedFiles } from './cache-text.ts'

/** The two folders of a cache. */
interface CacheFolders {
  readonly disk: Disk
  readonly results: string
  readonly files: string
  /** What was put in now stays, whatever the limit. */
  readonly newest: string
}

/** Files as a cache names them; whatever else lies there is not ours to throw away. */
function copiesIn(files: string, disk: Disk): [string, number][] {
  return disk.list(files).flatMap(name => {
    const seen = /^[0-9a-f]{64}$/.test(name) ? disk.look(join(files, name)) : undefined
    return seen?.is === 'file' ? [[name, seen.bytes]] : []
  })
}

/**
 * Throws results of a cache away until the files of the others fit; the order is that of their names' last change. Throws
 * StorageError.
 */
export function evict(maxBytes: number, { disk, results, files, newest }: CacheFolders): void {
  const sizes = new Map(copiesIn(files, disk))
  let total = totalOf(sizes.values())
  if (total <= maxBytes) return
  const oldestFirst = disk
    .list(results)
    .filter(name => /^[0-9a-f]{64}\.json$/.test(name))
    .map(name => join(results, name))
    .map(path => ({ path, used: usedFiles(readTextOn(disk, path) ?? ''), at: disk.look(path)?.changed ?? 0 }))
    .toSorted((a, b) => a.at - b.at)
  const kept = new Map<string, number>()
  for (const { used } of oldestFirst) for (const name of used) kept.set(name, (kept.get(name) ?? 0) + 1)
  for (const { path, used } of oldestFirst) {
    if (total <= maxBytes || path === newest) continue
    removeQuietly(disk, path)
    for (const name of used) {
      const left = (kept.get(name) ?? 1) - 1
      kept.set(name, left)
      if (left > 0) continue
      removeQuietly(disk, join(files, name))
      total -= sizes.get(name) ?? 0
    }
  }
  // Files of results that are gone: a crash between the two left them.
  for (const [name, bytes] of sizes) {
    if (total <= maxBytes || kept.has(name)) continue
    removeQuietly(disk, join(files, name))
    total -= bytes
  }
}
