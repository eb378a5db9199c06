import { join } from 'node:path'
import { removeOwnState } from '../../disk/made.ts'
import type { FileRef, Job } from '../../manifest/shapes/job.ts'
import { writeAtomically } from '../../store/files/atomic-write.ts'
import { digestBytes } from '../../store/files/digest.ts'
import { type Disk, makeFolders } from '../../store/files/disk.ts'
import { ownFolder } from '../../store/files/safe-path.ts'
import { stateFolder } from '../../store/files/state-folder.ts'
import { StorageError, storageErrorOf } from '../../store/files/storage-error.ts'
import type { Machine } from '../../workspace/machine.ts'
import { owner } from '../../workspace/read/place.ts'
import type { Workspace } from '../../workspace/workspace.ts'
import { partsOf } from '../results/parts.ts'

/** Where one job that stands in no manifest has its files and its state. */
export type Workspaces = Pick<Workspace, 'layout' | 'folders' | 'place' | 'machine'>

interface Grounding {
  /** The folder for the files, absolute. */
  readonly output: string
  /** What relative paths count from, absolute. */
  readonly cwd: string
  readonly rehearsal: boolean
  readonly machine: Machine
}

const prefix = 'once-'

/**
 * A state folder of its own inside the output folder, as a manifest has one beside it: journal, claim, spool, and the lock,
 * which nobody commits. It is gone as soon as nothing is owed.
 */
export function workspacesAnew(about: Grounding): Workspaces {
  return workspacesAt(join(about.output, ownFolder, `${prefix}${about.machine.random.token()}`), about)
}

/** The same for a folder that is there. */
export function workspacesAt(state: string, { output, cwd, rehearsal, machine }: Grounding): Workspaces {
  return {
    layout: { output, lock: join(state, 'lock.json'), state, rehearsal },
    folders: stateFolder(state),
    place: placeOfSingle(cwd),
    machine,
  }
}

/** It stands in no file; its paths count from where the user is. */
export function placeOfSingle(cwd: string): Workspace['place'] {
  return { manifest: join(cwd, owner), folder: cwd, root: cwd, stem: owner }
}

/** Removes the folder, and what its runs left of downloads beside it. Throws StorageError. */
export function clearWorkspaces({ layout, machine }: Pick<Workspaces, 'layout' | 'machine'>): void {
  partsOf(layout, machine).sweep(new Set())
  try {
    removeOwnState(layout.state)
  } catch (cause) {
    throw storageErrorOf(layout.state, 'remove', cause)
  }
}

/** The same where nothing depends on it: what cannot be removed is left to whoever comes next. */
export function clearQuietly(workspaces: Parameters<typeof clearWorkspaces>[0]): void {
  try {
    clearWorkspaces(workspaces)
  } catch (trouble) {
    if (!(trouble instanceof StorageError)) throw trouble
  }
}

/** A folder that some genrun made for one job. */
export interface OwnFolder {
  /** Absolute. */
  readonly path: string
  /** In milliseconds since 1970; where the disk tells. */
  readonly changed: number | undefined
}

/** The folders of single jobs in an output folder that were not taken away. Throws StorageError. */
export function ownFolders(output: string, disk: Disk): OwnFolder[] {
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
      return seen?.is === 'folder' ? [{ path, changed: seen.changed }] : []
    })
}

/**
 * The job with files in place of inputs that were given as bytes, named by their digests: a run that goes on later reads the
 * same ones. Rejects with StorageError.
 */
export async function withBytes(
  job: Job,
  inline: ReadonlyMap<string, Uint8Array>,
  { layout, machine: { disk } }: Pick<Workspaces, 'layout' | 'machine'>,
): Promise<Job> {
  const paths = new Map<string, string>()
  const folder = join(layout.state, 'inputs')
  for (const [word, bytes] of inline) {
    const path = join(folder, digestBytes(bytes).slice('sha256:'.length))
    await makeFolders(disk, folder, 0o700)
    await writeAtomically(disk, path, bytes)
    paths.set(word, path)
  }
  return withPaths(job, paths)
}

/** The job with other paths for some of its files. */
function withPaths(job: Job, paths: ReadonlyMap<string, string>): Job {
  const moved = (ref: FileRef): FileRef =>
    ref.from === 'path' ? { from: 'path', path: paths.get(ref.path) ?? ref.path } : ref
  const files = Object.entries(job.files).map(([at, refs]) => [at, refs.map(moved)])
  return { ...job, files: Object.fromEntries(files) }
}
