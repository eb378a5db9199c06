import { dirname, join, relative, resolve } from 'node:path'
import { readTextOn } from '../store/files/atomic-write.ts'
import type { Disk } from '../store/files/disk.ts'
import { StorageError } from '../store/files/storage-error.ts'
import { type Locked, readLock } from '../store/lock/lock.ts'
import type { Recorded, Workspace } from '../workspace/workspace.ts'
import { locksIn } from './near-locks.ts'
import { isOwned, matchesAmong, readProofs } from './proofs.ts'

/** Results of what the manifest asks for, in a folder that is not its own, with no lock that knows them. */
export interface LostBeside {
  /** Absolute. */
  readonly folder: string
  readonly owned: readonly Locked[]
  /** What the manifest was called when they were made: its own name, or one that is not there any more. */
  readonly was: string
  /** Another manifest has results in that folder, too: it stays where it is. */
  readonly isShared: boolean
}

/** A project has fewer outputs than that, or says where they are. */
const mostFolders = 500

/**
 * For a manifest that neither lock nor journal knows anything of: where its results lie all the same, when it was renamed or has
 * another output folder since. Locks under a former name are looked at before. Reads only. Throws StorageError.
 */
export function findLostBeside(
  workspace: Workspace,
  read: () => Recorded | undefined,
): LostBeside | undefined {
  const { layout, machine, shard } = workspace
  if (shard || machine.disk.look(layout.lock)) return undefined
  const known = lineagesNear(workspace)
  const found = outputsNear(workspace).flatMap(folder => lostIn(folder, workspace, known))
  if (found.length === 0 || (read()?.purchases.length ?? 1) > 0) return undefined
  return found.toSorted((a, b) => b.owned.length - a.owned.length)[0]
}

/** Whoever has a lock has lost nothing, whatever its manifest is called by now. */
function lineagesNear(workspace: Workspace): Set<string> {
  const readings = locksIn(workspace).map(path => readLock(readTextOn(workspace.machine.disk, path) ?? ''))
  return new Set(readings.flatMap(reading => (reading.got === 'lock' ? [reading.lock.lineage] : [])))
}

function lostIn(folder: string, workspace: Workspace, known: ReadonlySet<string>): LostBeside[] {
  const { taken, others } = readProofs({ ...workspace, layout: { ...workspace.layout, output: folder } })
  return taken.flatMap(({ owner, purchases }) => {
    const owned = [...purchases.values()].filter(isOwned)
    const isLost = owner.manifest !== '' && !known.has(owner.lineage) && matchesAmong(owned, workspace) > 0
    return isLost ? [{ folder, owned, was: owner.manifest, isShared: others.length > 0 }] : []
  })
}

/** Folders beside the manifest's own output, and where outputs usually lie. */
function outputsNear({ layout, place, machine: { disk } }: Workspace): string[] {
  const parents = [dirname(layout.output), resolve(place.folder, 'out'), resolve(place.root, 'out')]
  const near = new Set(parents.flatMap(parent => foldersIn(parent, disk)))
  near.delete(layout.output)
  return [...near].slice(0, mostFolders)
}

function foldersIn(parent: string, disk: Disk): string[] {
  try {
    const names = disk.look(parent)?.is === 'folder' ? disk.list(parent) : []
    return names
      .map(name => join(parent, name))
      .filter(path => disk.look(join(path, '.genrun'))?.is === 'folder')
  } catch (trouble) {
    if (!(trouble instanceof StorageError)) throw trouble
    return []
  }
}

/** As it is typed in the folder where somebody is. */
export function folderText({ folder }: LostBeside, cwd: string): string {
  return relative(cwd, folder) || '.'
}
