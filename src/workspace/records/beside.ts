import { join } from 'node:path'
import type { PurchaseId } from '../../base/names.ts'
import { listed } from '../../base/nearest.ts'
import { type DonePurchase, fuller, type Purchase } from '../../base/purchase.ts'
import { type Shard, shardMarked, shardText } from '../../base/shard.ts'
import type { SavedFile } from '../../base/state.ts'
import { type HolderSeen, seeHolder } from '../../store/claim/claim.ts'
import { digestFileNow } from '../../store/files/digest.ts'
import type { Disk } from '../../store/files/disk.ts'
import { findSaved } from '../../store/files/outputs.ts'
import { type StateFolder, stateFolder } from '../../store/files/state-folder.ts'
import { readAtWork } from '../../store/files/storage-error.ts'
import { readJournal } from '../../store/journal/journal.ts'
import { type Layout, layoutBeside, type RecordNames } from '../layout.ts'
import type { Recorded, Workspace } from '../workspace.ts'
import { type Busy, busy } from './busy.ts'
import { withOneOwner } from './known.ts'
import { foreignStates, lookingWorkspace, namesAside } from './lineage.ts'
import { type Damaged, readRecorded } from './recorded.ts'

type Where = Pick<Workspace, 'layout' | 'machine'> & Partial<Pick<Workspace, 'shard'>>
type ReadWhere = Pick<Workspace, 'layout' | 'place' | 'machine'> & Partial<Pick<Workspace, 'manifest'>>

/** The records of the whole of a manifest, or of one of its shards. */
export interface Beside {
  /** Absent: of the whole. */
  readonly shard?: Shard
  readonly layout: Layout
  readonly folders: StateFolder
}

/** `shard 3/16`, `the whole manifest`. */
export function besideText({ shard }: Pick<Beside, 'shard'>): string {
  return shard ? `shard ${shardText(shard)}` : 'the whole manifest'
}

/** All that lie beside these, by number: of the whole first. Looks at names only. Throws StorageError. */
export function recordsBeside({ layout, machine: { disk } }: Pick<Where, 'layout' | 'machine'>): Beside[] {
  const { family } = layout
  if (!family) return []
  const own = family.shard
  const states = join(family.folder, '.genrun')
  const names = [...namesIn(family.folder, disk), ...namesIn(states, disk), ...namesAside(states, disk)]
  const shards = new Map<string, Shard>()
  for (const name of names) {
    const shard = shardNamed(name, family, layout.rehearsal)
    if (shard && !isOwn(shard, own)) shards.set(shardText(shard), shard)
  }
  const inOrder = [...shards.values()]
    .filter(shard => !isOfAnother(family, shard, disk))
    .toSorted((a, b) => a.of - b.of || a.nth - b.nth)
  return [...(own ? [undefined] : []), ...inOrder].map(shard => {
    const beside = layoutBeside(layout, family, shard)
    return { ...(shard && { shard }), layout: beside, folders: stateFolder(beside.state) }
  })
}

function isOwn(shard: Shard, own: Shard | undefined): boolean {
  return own !== undefined && shard.nth === own.nth && shard.of === own.of
}

/** `m.3-of-16.lock.json`, `m.3-of-16`, and `m.3-of-16.0123456789ab`: state that an older genrun set aside. */
function shardNamed(name: string, { stem }: RecordNames, rehearsal: boolean): Shard | undefined {
  if (!name.startsWith(`${stem}.`)) return undefined
  const [, mark = '', preview] =
    /^(\d+-of-\d+)(\.preview)?(\.lock\.json|\.[0-9a-f]{12}(-\d+)?)?$/.exec(name.slice(stem.length + 1)) ?? []
  return (preview !== undefined) === rehearsal ? shardMarked(mark) : undefined
}

/** Somebody may call a manifest `m.3-of-16.yaml`: then these names are its own. */
export function isOfAnother({ folder, stem }: RecordNames, { nth, of }: Shard, disk: Disk): boolean {
  return ['yaml', 'yml', 'json'].some(
    ending => disk.look(join(folder, `${stem}.${nth}-of-${of}.${ending}`)) !== undefined,
  )
}

function namesIn(folder: string, disk: Disk): readonly string[] {
  return disk.look(folder)?.is === 'folder' ? disk.list(folder) : []
}

/** Shards in whose records something stands. Throws StorageError. */
export function unmergedShards(where: Pick<Where, 'layout' | 'machine'>): Beside[] {
  const { layout, machine } = where
  if (layout.family?.shard) return []
  return recordsBeside(where).filter(({ shard, layout: { lock, state } }) => {
    if (!shard) return false
    if (machine.disk.look(lock)) return true
    const isBought = (folder: string) => hasPurchases(stateFolder(folder).journal, machine.disk)
    return isBought(state) || foreignStates(state, '', machine.disk).some(({ folder }) => isBought(folder))
  })
}

/** A journal that cannot be read may tell of anything. */
function hasPurchases(journal: string, disk: Disk): boolean {
  const reading = readJournal(journal, disk)
  return reading.got === 'records' ? reading.entries.some(entry => 'purchase' in entry) : true
}

/**
 * Who is at work beside the holder of a claim, and would buy the same: on the whole manifest, or on shards that are not divided as
 * this one is. Asked when the own claim is taken, so that of two at least one sees the other. `force`: those that cannot be seen
 * from here count for gone. Throws StorageError.
 */
export function busyBeside(where: Where, force = false): Busy | undefined {
  const { machine, shard } = where
  const { disk, self } = machine
  for (const beside of recordsBeside(where)) {
    const holder = seeHolder(beside.folders.claim, { disk, self: self() })
    if (!holder || isApart(beside, holder, shard) || (force && holder.is !== 'alive')) continue
    const { message, hint } = busy(holder)
    return { got: 'busy', message: `${besideText(beside)}: ${message}`, hint }
  }
  return undefined
}

function isApart(beside: Beside, holder: HolderSeen, shard: Workspace['shard']): boolean {
  if (!shard || !beside.shard || holder.is === 'unknown') return false
  return beside.shard.of === shard.of && holder.work === shard.division.work
}

/**
 * What earlier runs left: for a shard also what the whole and the other shards have, be it of another division. Read and not
 * touched. Throws StorageError.
 */
export function readRecords(workspace: ReadWhere & Pick<Workspace, 'folders' | 'shard'>): Recorded | Damaged {
  const own = readRecorded(workspace)
  if ('got' in own || !workspace.shard) return own
  const others: Purchase[] = []
  for (const beside of recordsBeside(workspace)) {
    const all = readAtWork(() => readBeside(workspace, beside))
    if ('got' in all) return all
    others.push(...all.flatMap(({ purchases }) => purchases))
  }
  return withOthers(own, others, workspace)
}

/** What one of them has: by lock and journal, and by the states of other lineages that stand for it. Throws StorageError. */
export function readBeside(
  workspace: ReadWhere,
  { layout, folders }: Pick<Beside, 'layout' | 'folders'>,
): readonly Recorded[] | Damaged {
  const { disk } = workspace.machine
  const its = { ...workspace, layout, folders }
  const first = readRecorded(lookingWorkspace(its))
  if ('got' in first) return first
  const all = [first]
  for (const { folder } of foreignStates(layout.state, first.lock.lineage, disk)) {
    const other = readRecorded({ ...its, folders: stateFolder(folder) }, { got: 'none' })
    if ('got' in other) return other
    all.push(other)
  }
  return all
}

function withOthers(own: Recorded, others: readonly Purchase[], { layout, machine }: ReadWhere): Recorded {
  const areThere = areThereIn(layout, machine.disk)
  const ours = new Map(own.purchases.map(each => [each.id, each]))
  const joined = new Map<PurchaseId, Purchase>(ours)
  for (const each of others) {
    if (each.is === 'open') continue
    const known = joined.get(each.id)
    joined.set(each.id, known ? fullerOf(known, each, areThere) : each)
  }
  const purchases = withOneOwner([...joined.values()], id => ours.has(id), areThere)
  const isNews = (each: Purchase) => ours.get(each.id) !== each
  const foreign = new Set(purchases.flatMap(({ id }) => (ours.has(id) ? [] : [id])))
  const news = purchases.flatMap(each => (isNews(each) ? [each.id] : []))
  return { ...own, purchases, foreign, unwritten: new Set([...own.unwritten, ...news]) }
}

type AreThere = (files: readonly SavedFile[]) => boolean

/**
 * Of two records of one purchase the one that counts: of two results, the one whose files lie where it says. Where neither's do, one has put
 * it aside since, which the other does not know.
 */
export function fullerOf(one: Purchase, other: Purchase, areThere: AreThere): Purchase {
  if (one.is !== 'done' || other.is !== 'done') return fuller(one, other)
  const lies = ({ aside, files }: DonePurchase) => !aside && areThere(files)
  if (lies(one)) return one
  return lies(other) || (other.aside && !one.aside) ? other : one
}

/** Whether all files of a result lie where it says, byte for byte. */
export function areThereIn({ output }: Layout, disk: Disk): AreThere {
  return files =>
    files.every(
      file =>
        findSaved(file, output, disk) === 'same' &&
        digestFileNow(disk, join(output, file.path)) === file.digest,
    )
}

/** `1/16, 2/16 and 5/16`; of many only the first. */
export function shardsText(beside: readonly Beside[]): string {
  const names = beside.flatMap(({ shard }) => (shard ? [shardText(shard)] : []))
  return names.length > 8
    ? `${names.slice(0, 6).join(', ')} and ${names.length - 6} more`
    : listed(names, 'and')
}
