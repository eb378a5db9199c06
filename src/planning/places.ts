import { extname, join } from 'node:path'
import type { Digest } from '../base/names.ts'
import type { SavedFile } from '../base/state.ts'
import { mediaTypes } from '../media/sniff.ts'
import { digestFile } from '../store/files/digest.ts'
import type { Disk } from '../store/files/disk.ts'
import { findKept, keptName, verifySaved } from '../store/files/outputs.ts'

/** Where a file that was paid for lies: under a name in the output folder, or among what is kept. */
export type Lying =
  | { readonly is: 'named'; readonly path: string }
  | { readonly is: 'kept'; readonly path: string }

export interface Finder {
  /** By its bytes, whatever it is called by now. Rejects with StorageError. */
  find(file: SavedFile): Promise<Lying | undefined>
  /** All media files of the output folder, relative to it. */
  readonly names: readonly string[]
}

/**
 * Finds files by their digests. What lies under its own name is read once; the folders are searched only for what does not,
 * and of their files only those of the right size are read. Throws StorageError.
 */
export function finderIn(output: string, kept: string, disk: Disk): Finder {
  const names = mediaIn(output, disk)
  const digests = new Map<string, Promise<Digest>>()
  const named = searchIn(output, () => names)
  const keptAside = searchIn(kept, () => mediaIn(kept, disk))

  function digestOf(path: string): Promise<Digest> {
    const known = digests.get(path) ?? digestFile(disk, path)
    digests.set(path, known)
    return known
  }

  /** Two results may be the same to the byte: each gets a file of its own, as far as there are as many. */
  function searchIn(
    root: string,
    list: () => readonly string[],
  ): (file: SavedFile) => Promise<string | undefined> {
    const given = new Set<string>()
    let bySize: ReadonlyMap<number, readonly string[]> | undefined
    return async file => {
      bySize ??= group(list(), name => disk.look(join(root, name))?.bytes ?? 0)
      const same: string[] = []
      for (const name of bySize.get(file.bytes) ?? [])
        if ((await digestOf(join(root, name))) === file.digest) same.push(name)
      const name = same.find(each => !given.has(each)) ?? same[0]
      if (name !== undefined) given.add(name)
      return name
    }
  }

  return {
    names,
    async find(file) {
      if ((await verifySaved(file, output, disk)) === 'same') return { is: 'named', path: file.path }
      const place = findKept(file, kept, disk)
      if (place !== undefined && (await digestOf(place)) === file.digest)
        return { is: 'kept', path: file.path }
      const name = await named(file)
      if (name !== undefined) return { is: 'named', path: name }
      const aside = await keptAside(file)
      const path = aside === undefined ? undefined : nameBefore(aside, file)
      return path === undefined ? undefined : { is: 'kept', path }
    },
  }
}

function group(names: readonly string[], sizeOf: (name: string) => number): Map<number, string[]> {
  const groups = new Map<number, string[]>()
  for (const name of names) {
    const size = sizeOf(name)
    groups.set(size, [...(groups.get(size) ?? []), name])
  }
  return groups
}

/** The name that a kept file had; undefined for one that somebody has called otherwise. */
function nameBefore(kept: string, { digest }: SavedFile): string | undefined {
  const path = kept.replace(/\.[0-9a-f]{16}(\.[^./]+)$/, '$1')
  return keptName({ path, digest }) === kept ? path : undefined
}

const extensions = new Set(Object.values(mediaTypes).map(({ extension }) => `.${extension}`))

/** Media files below a folder, with forward slashes, in order. Nothing hidden, and nothing that is a link. */
function mediaIn(root: string, disk: Disk, below = ''): string[] {
  const folder = join(root, below)
  if (disk.look(folder)?.is !== 'folder') return []
  return disk
    .list(folder)
    .toSorted()
    .flatMap(name => {
      if (name.startsWith('.') || name === 'node_modules') return []
      const path = below === '' ? name : `${below}/${name}`
      const seen = disk.look(join(root, path))
      if (seen?.is === 'folder') return mediaIn(root, disk, path)
      return seen?.is === 'file' && extensions.has(extname(name).toLowerCase()) ? [path] : []
    })
}
