import { basename, dirname, join, sep } from 'node:path'
import { listed } from '../../base/nearest.ts'
import { purchaseLabel } from '../../base/purchase.ts'
import { removeQuietly } from '../../store/files/atomic-write.ts'
import { type Disk, makeFolders } from '../../store/files/disk.ts'
import { refuseForeignState, stateFolder } from '../../store/files/state-folder.ts'
import { firstJournal, retireJournals } from '../../store/journal/journal.ts'
import type { Layout } from '../layout.ts'
import {
  asideOf,
  belongingOf,
  findAside,
  lineageOfLock,
  type SetAside,
  seeState,
  strayOf,
} from './lineage.ts'

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
  const stray = strayOf(state, lineage, disk)
  if (stray) await setAside(state, stray.folder, disk)
  if (lineage === undefined) return stray
  const there = belongingOf(state, disk)
  if (there.to === 'lineage' && there.lineage === lineage) return undefined
  const foreign = there.to === 'lineage' ? seeState(state, there.lineage, disk) : undefined
  const folder = foreign && asideOf(state, foreign.lineage)
  if (folder) await setAside(state, folder, disk)
  await bringBack(state, lineage, disk)
  return foreign && folder ? { ...foreign, folder } : stray
}

/** Puts the state of this lineage where it was set aside from, if there is room. For the holder of the claim only. */
export async function bringBack(state: string, lineage: string, disk: Disk): Promise<boolean> {
  // In place of one that cannot be read nothing comes: whoever opens it tells what is wrong with it, and it is mended first.
  const own = belongingOf(state, disk).to === 'nobody' ? findAside(state, lineage, disk) : undefined
  if (own === undefined) return false
  retireJournals(stateFolder(state).journal, disk)
  await moveState(own, state, disk)
  return true
}

/** What was found, in words that name what it owes. */
export function setAsideText({ folder, lineage, owes }: SetAside): string {
  const what = `the state folder belonged to another lineage (${lineage.slice(0, 8)}) than the lock`
  const paid = owes.map(each =>
    'run' in each && each.run ? `${each.address}: run ${each.run.id}` : purchaseLabel(each),
  )
  const debts = paid.length === 0 ? 'it owes nothing' : `it owes ${listed(paid)}`
  return `${what}: it is set aside as ${folder.split(sep).slice(-4).join('/')}, nothing of it was used; ${debts}`
}

async function setAside(state: string, folder: string, disk: Disk): Promise<void> {
  await makeWay(folder, disk)
  await moveState(state, folder, disk)
}

/** What lies aside under that name already is of a copy: neither of the two replaces the other. */
async function makeWay(folder: string, disk: Disk): Promise<void> {
  if (belongingOf(folder, disk).to === 'nobody') return
  const [called, name] = [dirname(folder), basename(folder)]
  for (let number = 1; ; number++) {
    const free = join(`${called}-${number}`, name)
    if (disk.look(free)) continue
    await makeFolders(disk, dirname(free), 0o700)
    disk.rename(folder, free)
    await disk.syncFolder(dirname(free))
    return disk.syncFolder(called)
  }
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
