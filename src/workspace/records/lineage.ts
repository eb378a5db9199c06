import { basename, dirname, join } from 'node:path'
import { listed } from '../../base/nearest.ts'
import { type Purchase, purchaseLabel } from '../../base/purchase.ts'
import { readTextOn, removeQuietly } from '../../store/files/atomic-write.ts'
import { type Disk, makeFolders } from '../../store/files/disk.ts'
import { refuseForeignState, stateFolder } from '../../store/files/state-folder.ts'
import { foldJournal, recordOf } from '../../store/journal/fold.ts'
import { firstJournal, lineageOf, readJournal, retireJournals } from '../../store/journal/journal.ts'
import { loadLock } from '../../store/lock/lock.ts'
import { salvageLock } from '../../store/lock/lock-salvage.ts'
import type { Layout } from '../layout.ts'
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
 * Sees to it that the state folder goes with the lock: the state of another lineage is set aside under its own name, and
 * what was set aside of this one comes back. For the holder of the claim only. A crash in the middle is made good by the
 * next run. Rejects with StorageError.
 */
export async function settleLineage(
  { lock, state }: Pick<Layout, 'lock' | 'state'>,
  disk: Disk,
): Promise<SetAside | undefined> {
  const lineage = lineageOfLock(lock, disk)
  if (lineage === undefined) return undefined
  const there = belongingOf(state, disk)
  if (there.to === 'lineage' && there.lineage === lineage) return undefined
  const foreign = there.to === 'lineage' ? await setAside(state, there.lineage, disk) : undefined
  await bringBack(state, lineage, disk)
  return foreign
}

/** Puts the state of this lineage where it was set aside from, if there is room. For the holder of the claim only. */
export async function bringBack(state: string, lineage: string, disk: Disk): Promise<boolean> {
  // In place of one that cannot be read nothing comes: whoever opens it tells what is wrong with it, and it is mended first.
  if (belongingOf(state, disk).to !== 'nobody' || !liesAside(state, lineage, disk)) return false
  const own = asideOf(state, lineage)
  retireJournals(stateFolder(state).journal, disk)
  await moveState(own, state, disk)
  return true
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

/** What was found, in words that name what it owes. */
export function setAsideText({ folder, lineage, owes }: SetAside): string {
  const what = `the state folder belonged to another lineage (${lineage.slice(0, 8)}) than the lock`
  const paid = owes.map(each =>
    'run' in each && each.run ? `${each.address}: run ${each.run.id}` : purchaseLabel(each),
  )
  const debts = paid.length === 0 ? 'it owes nothing' : `it owes ${listed(paid)}`
  return `${what}: it is set aside as ${basename(dirname(folder))}/${basename(folder)}, nothing of it was used; ${debts}`
}

/** A damaged lock says whose it is as long as its first line is whole. */
function lineageOfLock(path: string, disk: Disk): string | undefined {
  const loaded = loadLock(path, undefined, disk)
  if (loaded.got === 'lock') return loaded.lock.lineage
  return loaded.got === 'none' ? undefined : salvageLock(readTextOn(disk, path) ?? '').lineage
}

/** Whose a state folder is, by its journal. */
type Belonging =
  /** No run stands in it. */
  { readonly to: 'nobody' } | { readonly to: 'unreadable' } | { readonly to: 'lineage'; lineage: string }

function belongingOf(state: string, disk: Disk): Belonging {
  const reading = readJournal(stateFolder(state).journal, disk)
  // What an older genrun came to the end of stands in the lock.
  if (reading.got === 'older' && reading.isClosed) return { to: 'nobody' }
  if (reading.got !== 'records') return { to: 'unreadable' }
  const lineage = lineageOf(reading.entries)
  return lineage === undefined ? { to: 'nobody' } : { to: 'lineage', lineage }
}

function asideOf(state: string, lineage: string): string {
  return `${state}.${lineage.slice(0, 12)}`
}

function asideNames(state: string, disk: Disk): string[] {
  const [folder, stem] = [dirname(state), `${basename(state)}.`]
  if (disk.look(folder)?.is !== 'folder') return []
  const isAside = (name: string) =>
    name.startsWith(stem) && /^[0-9a-f]{12}(-\d+)?$/.test(name.slice(stem.length))
  return disk.list(folder).filter(isAside).toSorted()
}

async function setAside(state: string, lineage: string, disk: Disk): Promise<SetAside> {
  const folder = asideOf(state, lineage)
  await makeWay(folder, disk)
  await moveState(state, folder, disk)
  return seeState(folder, lineage, disk)
}

/** What lies aside under that name already is of a copy: neither of the two replaces the other. */
async function makeWay(folder: string, disk: Disk): Promise<void> {
  if (belongingOf(folder, disk).to === 'nobody') return
  for (let number = 1; ; number++) {
    if (disk.look(`${folder}-${number}`)) continue
    disk.rename(folder, `${folder}-${number}`)
    return disk.syncFolder(dirname(folder))
  }
}

function seeState(folder: string, lineage: string, disk: Disk): SetAside {
  const reading = readJournal(stateFolder(folder).journal, disk)
  const histories = reading.got === 'records' ? [...foldJournal(reading.entries).values()] : []
  const owes = histories.flatMap(history => {
    const record = recordOf(history)
    return record?.is === 'under-way' || record?.is === 'doubt' ? record : []
  })
  return { folder, lineage, owes }
}

/** The journal goes last, in one step: as long as it is in its place, the move is not over. The claim stays. */
async function moveState(from: string, to: string, disk: Disk): Promise<void> {
  for (const state of [from, to]) refuseForeignState(disk, state)
  const [old, next] = [stateFolder(from), stateFolder(to)]
  removeQuietly(disk, join(from, 'nothing-to-do'))
  // The run that opens it where it goes has a number of its own, which must be the highest.
  if (belongingOf(from, disk).to === 'lineage') firstJournal(old.journal, disk)
  for (const part of ['kept', 'spool', 'journal'] as const) await moveTree(old[part], next[part], disk)
}

/** File by file, the highest journal first: a folder that is there already takes them in. */
async function moveTree(from: string, to: string, disk: Disk): Promise<void> {
  if (disk.look(from)?.is !== 'folder') return
  await makeFolders(disk, to, 0o700)
  for (const name of disk.list(from).toSorted().toReversed()) {
    const [old, next] = [join(from, name), join(to, name)]
    if (disk.look(old)?.is === 'folder') await moveTree(old, next, disk)
    else disk.rename(old, next)
  }
  await disk.syncFolder(to)
  await disk.syncFolder(from)
}
