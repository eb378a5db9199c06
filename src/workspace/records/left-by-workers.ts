import { dirname, join } from 'node:path'
import type { PurchaseId } from '../../base/names.ts'
import { fuller, type Purchase } from '../../base/purchase.ts'
import type { RemoteFile, SavedFile } from '../../base/state.ts'
import { seeHolder } from '../../store/claim/claim.ts'
import { readTextOn } from '../../store/files/atomic-write.ts'
import { findSaved } from '../../store/files/outputs.ts'
import { openSpool } from '../../store/files/spool.ts'
import { stateFolder } from '../../store/files/state-folder.ts'
import { readAtWork, StorageError } from '../../store/files/storage-error.ts'
import { foldJournal, recordOf } from '../../store/journal/fold.ts'
import { lineageOf, readJournal } from '../../store/journal/journal.ts'
import { readOvertaken, withOvertaken } from '../../store/journal/overtaken.ts'
import { fleetMarkOf, type Layout } from '../layout.ts'
import type { Workspace } from '../workspace.ts'

/** Where the worker of a fleet has what is its own: among the states of manifests, and none of them. */
export function workerLayout({ state: its, rehearsal }: Layout, name: string): Layout {
  const state = join(workersOf(its), name)
  return { rehearsal, state, lock: join(state, 'worker.lock.json'), output: join(state, 'out') }
}

function workersOf(state: string): string {
  return join(dirname(state), '.workers')
}

type Where = Pick<Workspace, 'layout' | 'machine'>

interface Known {
  /** Asked where there is something to hold against them. */
  readonly purchases: () => readonly Purchase[]
  /** Nothing of it is asked for any more: it was pruned, or given up. */
  readonly isOver: (id: PurchaseId) => boolean
}

/** What workers left on this disk. */
interface LeftByWorkers {
  readonly purchases: readonly Purchase[]
  /** Where an answer of theirs lies. */
  find(path: string): string | undefined
}

/**
 * What workers of a fleet that are gone ordered of this manifest and its records do not know: their store is gone for good, or those were
 * lost. It is paid for, and lies nowhere else. As long as the mark says that something is open, that is the store's to tell. Throws
 * StorageError, also for what cannot be read: it may tell of anything.
 */
export function leftByWorkers(where: Where, known: Known): LeftByWorkers {
  const folders = workersAt(where)
  const { disk, refuge } = where.machine
  const spools = folders.map(({ state }) => openSpool(stateFolder(state).spool, disk, refuge))
  const find = (path: string) =>
    spools.reduce<string | undefined>((found, spool) => found ?? spool.find(path), undefined) ??
    (folders.some(({ output }) => path.startsWith(output)) && disk.look(path)?.is === 'file'
      ? path
      : undefined)
  const isOthers = folders.length === 0 || isMarkOpen(where)
  if (isOthers) return { purchases: [], find }
  const isNews = newsTo(known)
  const purchases = folders.flatMap(each => leftIn(each, where, isNews))
  return { purchases, find }
}

/** Of the whole of a manifest, as a fleet has no shards. */
function workersAt({ layout, machine: { disk } }: Where): Layout[] {
  const folder = workersOf(layout.state)
  const { family, rehearsal } = layout
  if (!family || family.shard || rehearsal || disk.look(folder)?.is !== 'folder') return []
  const isOurs = (name: string) =>
    name.startsWith(`${family.stem}-`) && /^\d+$/.test(name.slice(family.stem.length + 1))
  return disk
    .list(folder)
    .filter(isOurs)
    .map(name => workerLayout(layout, name))
}

function isMarkOpen({ layout, machine: { disk } }: Where): boolean {
  const mark = readTextOn(disk, fleetMarkOf(layout))
  return mark !== undefined && !mark.includes('"open":false')
}

function leftIn(
  { state, output }: Layout,
  { machine }: Where,
  isNews: (left: Purchase) => boolean,
): Purchase[] {
  const { disk, self } = machine
  const { claim, journal } = stateFolder(state)
  const holder = seeHolder(claim, { disk, self: self() })
  // Of what a worker that is at work has sent just now the answer may come yet; what was sent before it began is nobody's.
  const begun = holder?.is === 'alive' ? holder.since : Number.POSITIVE_INFINITY
  const reading = readAtWork(() => readJournal(journal, disk))
  if (reading.got !== 'records')
    throw new StorageError(
      reading.file,
      'read',
      'what a worker of a fleet paid for stands there, and cannot be read',
    )
  const { entries } = reading
  const lineage = lineageOf(entries)
  const left = lineage === undefined ? [] : readOvertaken(journal, lineage, disk).purchases
  const { histories } = withOvertaken(foldJournal(entries), left)
  const isThere = (file: SavedFile) => findSaved(file, output, disk) === 'same'
  const records = [...histories.values()].flatMap(history => recordOf(history) ?? [])
  const isLeft = (record: Purchase) =>
    (record.is !== 'doubt' || (record.since ?? 0) < begun) && isNews(record)
  return records.filter(isLeft).flatMap(record => asLeft(record, output, isThere) ?? [])
}

/** What it made is on its way to the names that it has here, like an answer that came. Undefined for what is not paid for. */
function asLeft(
  record: Purchase,
  output: string,
  isThere: (file: SavedFile) => boolean,
): Purchase | undefined {
  switch (record.is) {
    case 'under-way':
      return { ...record, saved: [], parts: [] }
    case 'done': {
      const { files: made, flaw: _judged, aside: _, picked: __, byHand: ___, isGone: ____, ...rest } = record
      if (!made.every(isThere)) return record
      const files = made.map(({ path }): RemoteFile => ({ from: 'spool', path: join(output, path) }))
      return { ...rest, is: 'under-way', files, saved: [], parts: [] }
    }
    case 'failed': {
      const { files: _theirs, ...rest } = record
      return rest.billed === 'no' ? undefined : rest
    }
    case 'doubt':
      return record
    case 'open':
      return undefined
  }
}

/** A doubt is none where its job has what it asked for: somebody has settled it since, in another checkout. */
function newsTo({ purchases, isOver }: Known): (left: Purchase) => boolean {
  const known = purchases()
  const byId = new Map(known.map(each => [each.id, each]))
  const had = new Set(
    known.flatMap(({ is, address }) => (is === 'done' || is === 'under-way' ? [address] : [])),
  )
  return left => {
    const its = byId.get(left.id)
    if (!its && isOver(left.id)) return left.is === 'under-way'
    if (!its) return left.is !== 'doubt' || !had.has(left.address)
    // A person has said what to do without an answer, and there was none.
    const isSettled = (its.is === 'failed' || its.is === 'open') && !('run' in left && left.run)
    return !isSettled && fuller(its, left) === left
  }
}
