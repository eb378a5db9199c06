import { basename, dirname, join } from 'node:path'
import { listed } from '../../base/nearest.ts'
import { type Purchase, purchaseLabel } from '../../base/purchase.ts'
import { type Disk, makeFolders } from '../../store/disk.ts'
import { foldJournal, recordOf } from '../../store/fold.ts'
import { firstJournal, lineageOf, readJournal } from '../../store/journal.ts'
import { loadLock } from '../../store/lock.ts'
import { stateFolder } from '../../store/state-folder.ts'
import { removeQuietly } from '../../store/whole.ts'
import type { Layout } from './layout.ts'

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
 * next run. Rejects with StorageTrouble.
 */
export async function settleLineage(
  { lock, state }: Pick<Layout, 'lock' | 'state'>,
  disk: Disk,
): Promise<SetAside | undefined> {
  const loaded = loadLock(lock, undefined, disk)
  if (loaded.got !== 'lock') return undefined
  const { lineage } = loaded.lock
  const there = lineageIn(state, disk)
  const foreign = there !== undefined && there !== lineage ? seeState(state, there, disk) : undefined
  if (foreign) await moveState(state, asideOf(state, foreign.lineage), disk)
  const own = asideOf(state, lineage)
  if ((foreign || there === undefined) && lineageIn(own, disk) === lineage) {
    await moveState(own, state, disk)
    // The run that opens it has a number of its own, which must be the highest.
    firstJournal(stateFolder(state).journal, disk)
  }
  return foreign && { ...foreign, folder: asideOf(state, foreign.lineage) }
}

/** State of other lineages beside this one. Looks, and touches nothing. */
export function statesAside(state: string, disk: Disk): SetAside[] {
  const folder = dirname(state)
  if (disk.look(folder)?.is !== 'folder') return []
  const names = disk.list(folder).filter(name => isAsideOf(basename(state), name))
  return names.flatMap(name => {
    const lineage = lineageIn(join(folder, name), disk)
    return lineage === undefined ? [] : seeState(join(folder, name), lineage, disk)
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

function asideOf(state: string, lineage: string): string {
  return `${state}.${lineage.slice(0, 12)}`
}

function isAsideOf(name: string, other: string): boolean {
  return other.startsWith(`${name}.`) && /^[0-9a-f]{12}$/.test(other.slice(name.length + 1))
}

function lineageIn(state: string, disk: Disk): string | undefined {
  const reading = readJournal(stateFolder(state).journal, disk)
  return reading.got === 'records' ? lineageOf(reading.entries) : undefined
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

/** The journal goes last: as long as it is in its place, the move is not over. The claim stays. */
async function moveState(from: string, to: string, disk: Disk): Promise<void> {
  const [old, next] = [stateFolder(from), stateFolder(to)]
  removeQuietly(disk, join(from, 'nothing-to-do'))
  for (const part of ['kept', 'spool', 'journal'] as const) await moveTree(old[part], next[part], disk)
}

/** File by file: a folder that is there already takes them in. */
async function moveTree(from: string, to: string, disk: Disk): Promise<void> {
  if (disk.look(from)?.is !== 'folder') return
  await makeFolders(disk, to, 0o700)
  for (const name of disk.list(from)) {
    const [old, next] = [join(from, name), join(to, name)]
    if (disk.look(old)?.is === 'folder') await moveTree(old, next, disk)
    else disk.rename(old, next)
  }
  await disk.syncFolder(to)
  await disk.syncFolder(from)
}
