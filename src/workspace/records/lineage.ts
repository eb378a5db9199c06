import { basename, dirname, join } from 'node:path'
import type { Purchase } from '../../base/purchase.ts'
import { readTextOn } from '../../store/files/atomic-write.ts'
import type { Disk } from '../../store/files/disk.ts'
import { asideIn, refuseForeign, stateFolder } from '../../store/files/state-folder.ts'
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

/**
 * Where the state of this lineage lies aside, by its whole lineage as its journal says it. One that cannot be read is taken for what it
 * is called. Undefined where none does.
 */
export function findAside(state: string, lineage: string, disk: Disk): string | undefined {
  const called = statesAside(state, disk).filter(({ digits }) => lineage.startsWith(digits))
  return called.find(({ folder }) => isOf(lineage, belongingOf(folder, disk)))?.folder
}

function isOf(lineage: string, its: Belonging): boolean {
  return its.to === 'unreadable' || (its.to === 'lineage' && its.lineage === lineage)
}

/** The same workspace with the folders of the state that goes with its lock, be it set aside: to look at. */
export function lookingWorkspace<Looked extends Pick<Workspace, 'layout' | 'folders' | 'machine'>>(
  workspace: Looked,
): Looked {
  const { layout, folders, machine } = workspace
  const { disk } = machine
  const lineage = lineageOfLock(layout.lock, disk)
  const stray = strayOf(layout.state, lineage, disk)
  if (!stray && statesAside(layout.state, disk).length === 0) return workspace
  const own = lineage === undefined ? layout.state : stateOfLineage(layout.state, lineage, disk)
  // A run gives what is another's to that one, and begins with nothing.
  const state = stray && own === layout.state ? asideOf(own, stray.lineage) : own
  return { ...workspace, folders: { ...stateFolder(state), claim: folders.claim } }
}

/** Where the state of this lineage lies, be it set aside: to look at. */
export function stateOfLineage(state: string, lineage: string, disk: Disk): string {
  return isOf(lineage, belongingOf(state, disk)) ? state : (findAside(state, lineage, disk) ?? state)
}

/** State of other lineages than this one, in its place and beside it. Looks, and touches nothing. */
export function foreignStates(state: string, lineage: string, disk: Disk): SetAside[] {
  const there = strayOf(state, lineage, disk) ? [] : [{ folder: state, digits: '' }]
  const all = [...there, ...statesAside(state, disk)]
  return all.flatMap(({ folder, digits }) => {
    const its = belongingOf(folder, disk)
    // What is called after another lineage than its own is the state of a manifest of that name.
    const isForeign = its.to === 'lineage' && its.lineage !== lineage && its.lineage.startsWith(digits)
    return isForeign ? seeState(folder, its.lineage, disk) : []
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

/** Where the state of a lineage is set aside: below a folder in which no manifest's own state can lie, whatever it is called. */
export function asideOf(state: string, lineage: string): string {
  return join(asideIn(dirname(state)), lineage, basename(state))
}

/** Whose state this is when an older genrun set it aside where the state of a manifest with this name lies. */
export function strayOf(state: string, lineage: string | undefined, disk: Disk): SetAside | undefined {
  const [, stem, digits = ''] = olderName.exec(basename(state)) ?? []
  if (stem === undefined) return undefined
  const its = belongingOf(state, disk)
  if (its.to !== 'lineage' || its.lineage === lineage || !its.lineage.startsWith(digits)) return undefined
  const folder = asideOf(join(dirname(state), stem), its.lineage)
  return { ...seeState(state, its.lineage, disk), folder }
}

/** Names of states of which something lies aside. `states`: the folder with all of them. Throws StorageError. */
export function namesAside(states: string, disk: Disk): string[] {
  return calledAside(states, disk).flatMap(folder => namesIn(folder, disk))
}

interface Aside {
  readonly folder: string
  /** With which the lineage begins after which it is called. */
  readonly digits: string
}

/** The one that was set aside last goes before others of its lineage, and what an older genrun set aside comes after. */
function statesAside(state: string, disk: Disk): Aside[] {
  const [states, stem] = [dirname(state), basename(state)]
  const inPlace = calledAside(states, disk).flatMap(called => {
    const [, digits] = /^([0-9a-f]{32})(?:-\d+)?$/.exec(basename(called)) ?? []
    return digits === undefined ? [] : [{ folder: join(called, stem), digits }]
  })
  const older = namesIn(states, disk).flatMap(name => {
    const [, its, digits] = olderName.exec(name) ?? []
    return its === stem && digits !== undefined ? [{ folder: join(states, name), digits }] : []
  })
  return [...inPlace, ...older].filter(({ folder }) => disk.look(folder) !== undefined)
}

/** The folders that are called after lineages: where something else lies in the place of one, nobody says that nothing was set aside. */
function calledAside(states: string, disk: Disk): string[] {
  const aside = asideIn(states)
  const folders = [aside, ...namesIn(aside, disk).map(name => join(aside, name))]
  for (const folder of folders) refuseForeign(disk, folder)
  return folders.slice(1)
}

/** How an older genrun called what it set aside, beside the states of all manifests. */
const olderName = /^(.+)\.([0-9a-f]{12})(?:-\d+)?$/

function namesIn(folder: string, disk: Disk): string[] {
  return disk.look(folder)?.is === 'folder' ? disk.list(folder).toSorted() : []
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
