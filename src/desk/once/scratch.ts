import { rmSync } from 'node:fs'
import { join } from 'node:path'
import type { FileRef, Job } from '../../manifest/job.ts'
import { type Disk, makeFolders } from '../../store/disk.ts'
import { ownFolder } from '../../store/inside.ts'
import { writeWhole } from '../../store/whole.ts'

/**
 * A folder of one generation inside the output folder: its note and journal, answers before they are files, and inputs
 * given as bytes.
 */
export interface Scratch {
  readonly folder: string
  /** The job with its bytes as files. Rejects with StorageTrouble. */
  unpack(job: Job, inline: ReadonlyMap<string, Uint8Array>): Promise<Job>
  /** Removes everything in it. */
  clear(): void
}

export async function openScratch(output: string, token: string, disk: Disk): Promise<Scratch> {
  const folder = join(output, ownFolder, `${prefix}${token}`)
  const inputs = join(folder, 'inputs')
  await makeFolders(disk, inputs, 0o700)
  return {
    folder,
    async unpack(job, inline) {
      const paths = new Map<string, string>()
      for (const [word, bytes] of inline) {
        const path = join(inputs, String(paths.size + 1))
        await writeWhole(disk, path, bytes)
        paths.set(word, path)
      }
      return withPaths(job, paths)
    },
    clear: () => clearScratch(folder),
  }
}

/** The job with other paths for some of its files. */
export function withPaths(job: Job, paths: ReadonlyMap<string, string>): Job {
  const moved = (ref: FileRef): FileRef =>
    ref.from === 'path' ? { from: 'path', path: paths.get(ref.path) ?? ref.path } : ref
  const files = Object.entries(job.files).map(([at, refs]) => [at, refs.map(moved)])
  return { ...job, files: Object.fromEntries(files) }
}

const prefix = 'once-'

/** The folder of a generation, whoever made it. */
export interface OnceFolder {
  /** Absolute. */
  readonly path: string
  /** In milliseconds since 1970; where the disk tells. */
  readonly changed: number | undefined
  clear(): void
}

/** The folders that generations made in an output folder and did not take away. Throws StorageTrouble. */
export function onceFolders(output: string, disk: Disk): OnceFolder[] {
  const own = join(output, ownFolder)
  if (disk.look(own)?.is !== 'folder') return []
  return disk
    .list(own)
    .filter(name => name.startsWith(prefix))
    .toSorted()
    .flatMap(name => {
      const path = join(own, name)
      const seen = disk.look(path)
      // A link leads elsewhere, and what lies there is not ours to take away.
      if (seen?.is !== 'folder') return []
      return { path, changed: seen.changed, clear: () => clearScratch(path) }
    })
}

export function clearScratch(folder: string): void {
  rmSync(folder, { recursive: true, force: true })
}
