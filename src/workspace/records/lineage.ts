import { basename, dirname, join } from 'node:path'
import type { Purchase } from '../../base/purchase.ts'
import { readTextOn } from '../../store/files/atomic-write.ts'
import type { Disk } from '../../store/files/disk.ts'
import { stateFolder } from '../../store/files/state-folder.ts'
import { foldJournal, recordOf } from '../../store/journal/fold.ts'
import { lineageOf, readJournal } from '../../store/journal/journal.ts'
import { loadLock } from '../../store/lock/lock.ts'
import { salvageLock } from '../../store/lock/lock-salvage.ts'
import type { Workspace } from '../workspace.ts'

/** State that goes with another lock than the one that is there: known by its lineage, nothing of it is applied. */
export interface SetAside {
  /** Beside the state that it stood in for. Absolute. */
  readonly folder: string
  readonly lineage: string
  /** What is paid for and not fetched there, or in doubt. */
  readonly owes: readonly Purchase[]
}

/** Whether the state of this lineage lies aside. One that cannot be read is taken for what it is called. */
export function liesAside(state: string, lineage: string, disk: Disk): boolean {
  const aside = belongingOf(asideOf(state, lineage), disk)
  return aside.to === 'unreadable' || (aside.to === 'lineage' && aside.lineage === lineage)
}

/** The same workspace with the folders of the state that goes with its lock, be it set aside: to look at. */
export function lookingWorkspace<Looked extends Pick<Workspace, 'layout' | 'folders' | 'machine'>>(
  workspace: Looked,
): Looked {
  const { layout, folders, machine } = workspace
  const { disk } = machine
  if (asideNames(layout.state, disk).length === 0) return workspace
  const lineage = lineageOfLock(layout.lock, disk)
  const state = lineage === undefined ? layout.state : stateOfLineage(layout.state, lineage, disk)
  return { ...workspace, folders: { ...stateFolder(state), claim: folders.claim } }
}

/** Where the state of this lineage lies, be it set aside: to look at. */
export function stateOfLineage(state: string, lineage: string, disk: Disk): string {
  const there = belongingOf(state, disk)
  const isInTheWay = there.to === 'unreadable' || (there.to === 'lineage' && there.lineage === lineage)
  return !isInTheWay && liesAside(state, lineage, disk) ? asideOf(state, lineage) : state
}

/** State of other lineages than this one, in its place and beside it. Looks, and touches nothing. */
export function foreignStates(state: string, lineage: string, disk: Disk): SetAside[] {
  const all = [state, ...asideNames(state, disk).map(name => join(dirname(state), name))]
  return all.flatMap(each => {
    const its = belongingOf(each, disk)
    return its.to === 'lineage' && its.lineage !== lineage ? seeState(each, its.lineage, disk) : []
  })
}

/** A damaged lock says whose it is as long as its first line is whole. */
export function lineageOfLock(path: string, disk: Disk): string | undefined {
  const loaded = loadLock(path, undefined, disk)
  if (loaded.got === 'lock') return loaded.lock.lineage
  return loaded.got === 'none' ? undefined : salvageLock(readTextOn(disk, path) ?? '').lineage
}

/** Whose a state folder is, by its journal. */
type Belonging =
  /** No run stands in it. */
  { readonly to: 'nobody' } | { readonly to: 'unreadable' } | { readonly to: 'lineage'; lineage: string }

/** Looks, and touches nothing. */
export function belongingOf(state: string, disk: Disk): Belonging {
  const reading = readJournal(stateFolder(state).journal, disk)
  // What an older genrun came to the end of stands in the lock.
  if (reading.got === 'older' && reading.isClosed) return { to: 'nobody' }
  if (reading.got !== 'records') return { to: 'unreadable' }
  const lineage = lineageOf(reading.entries)
  return lineage === undefined ? { to: 'nobody' } : { to: 'lineage', lineage }
}

/** Where the state of a lineage is set aside. */
export function asideOf(state: string, lineage: string): string {
  return `${state}.${lineage.slice(0, 12)}`
}

function asideNames(state: string, disk: Disk): string[] {
  const [folder, stem] = [dirname(state), `${basename(state)}.`]
  if (disk.look(folder)?.is !== 'folder') return []
  const isAside = (name: string) =>
    name.startsWith(stem) && /^[0-9a-f]{12}(-\d+)?$/.test(name.slice(stem.length))
  return disk.list(folder).filter(isAside).toSorted()
}

/** What state that was set aside owes. */
export function seeState(folder: string, lineage: string, disk: Disk): SetAside {
  const reading = readJournal(stateFolder(folder).journal, disk)
  const histories = reading.got === 'records' ? [...foldJournal(reading.entries).values()] : []
  const owes = histories.flatMap(history => {
    const record = recordOf(history)
    return record?.is === 'under-way' || record?.is === 'doubt' ? record : []
  })
  return { folder, lineage, owes }
}
