import { basename, dirname, extname, join } from 'node:path'
import type { PurchaseId } from '../../base/names.ts'
import { type Purchase, withoutPick } from '../../base/purchase.ts'
import type { SavedFile } from '../../base/state.ts'
import { digestFileNow, digestText } from '../../store/files/digest.ts'
import type { Disk } from '../../store/files/disk.ts'
import { findSaved } from '../../store/files/outputs.ts'
import { openSpool } from '../../store/files/spool.ts'
import { StorageError } from '../../store/files/storage-error.ts'
import { agesIn, deliveredOfDay } from '../../store/journal/ages.ts'
import { foldJournal, type History, recordOf } from '../../store/journal/fold.ts'
import {
  type JournalReading,
  lineageOf,
  lockDigestsIn,
  outputsIn,
  readJournal,
  redoingIn,
  skippedIn,
  unfinished,
} from '../../store/journal/journal.ts'
import { readOutside, readOvertaken, withOvertaken } from '../../store/journal/overtaken.ts'
import { type LoadedLock, loadLock, newLock } from '../../store/lock/lock.ts'
import { readRescued } from '../../store/lock/rescued.ts'
import { shellWord } from '../../text/shell-word.ts'
import { type Layout, outputsOf } from '../layout.ts'
import { owner } from '../read/place.ts'
import type { Recorded, Workspace } from '../workspace.ts'
import { asLocked, asOrdered, knownPurchases, withOneOwner } from './known.ts'
import { leftByWorkers } from './left-by-workers.ts'
import { picksBeforeRedo, picksOfOtherLocks } from './other-choice.ts'
import { sortRescued } from './rescued.ts'
import { unansweredOrders, unlistedResults } from './unlisted.ts'

/** State on disk is damaged or cannot be read. */
export interface Damaged {
  readonly got: 'damaged'
  readonly message: string
  readonly hint: string
}

/** What earlier runs left, read and not touched. `loaded`: another lock than the one beside it. Throws StorageError. */
export function readRecorded(
  {
    manifest,
    layout,
    place,
    folders,
    machine,
  }: Pick<Workspace, 'layout' | 'place' | 'folders' | 'machine'> & Partial<Pick<Workspace, 'manifest'>>,
  loaded: LoadedLock = loadLock(layout.lock, basename(place.manifest), machine.disk),
): Recorded | Damaged {
  const { disk, random } = machine
  const name = basename(place.manifest)
  if (loaded.got === 'damaged') {
    const where = loaded.line === undefined ? '' : ` (line ${loaded.line})`
    const isSingle = !manifest || manifest.name === owner
    const original = isSingle ? undefined : copiedFrom(loaded, layout.lock, disk)
    const hint = isSingle
      ? singleDamageHint(loaded.damage)
      : original === undefined
        ? damageHint(loaded, manifest.file.name)
        : copyHint(basename(layout.lock), original)
    return { got: 'damaged', message: `${layout.lock}: ${loaded.why}${where}`, hint }
  }
  const journalFound = readJournal(folders.journal, disk)
  const reading = journalEntries(journalFound)
  if ('message' in reading) return reading
  const { entries } = reading
  const rescued = readRescued(machine.refuge, layout.lock, disk)
  // Where all else is gone, what was saved from this place is the lock.
  const saved = loaded.got === 'none' ? rescued.find(({ isHere }) => isHere)?.lock : undefined
  const lineage = lineageOf(entries) ?? saved?.lineage
  const lock = loaded.got === 'lock' ? loaded.lock : { ...newLock(name, random), ...(lineage && { lineage }) }
  const folded = foldJournal(entries)
  const isForeign = lineage !== undefined && lineage !== lock.lineage
  const journal = isForeign ? new Map<PurchaseId, History>() : folded
  const left = readOvertaken(folders.journal, lock.lineage, disk)
  const elsewhere = sortRescued(rescued, lock)
  const { refuge } = machine
  const outside = refuge === undefined ? none : readOutside({ refuge, lock: layout.lock }, lock.lineage, disk)
  const jobs = lock.jobs.map(each => asOrdered(each, journal.get(each.id)))
  const locked = new Set(jobs.map(({ id }) => id))
  const written = recordsIn(journal)
  const workers = leftByWorkers(
    { layout, machine },
    {
      purchases: () => [...jobs, ...written.values()],
      isOver: id => journal.has(id) && !written.has(id),
    },
  )
  const { histories, news } = withOvertaken(journal, [
    ...left.purchases,
    ...outside.purchases,
    ...elsewhere.purchases,
    ...workers.purchases,
  ])
  const areThere = (files: readonly SavedFile[]) => files.every(file => isThere(file, layout, disk))
  // A lock that no run here has seen was checked out, merged or put back.
  const hasParted = loaded.got === 'lock' && !lockDigestsIn(entries).has(digestText(loaded.text))
  const spool = openSpool(folders.spool, disk, machine.refuge)
  const findSpooled = (path: string) => spool.find(path) ?? workers.find(path)
  const sight = { findSpooled, areThere, hasParted }
  const isLocked = (id: PurchaseId) => locked.has(id)
  const joint = knownPurchases(jobs, histories, sight)
  const meant = hasParted ? asLocked(joint, isLocked) : joint
  const displaced = new Set(
    meant === joint ? [] : meant.flatMap((each, nth) => (each === joint[nth] ? [] : each.id)),
  )
  const known = withOneOwner(meant, isLocked, areThere)
  const where = { output: layout.output, lineage: lock.lineage, disk }
  const hasOwn = loaded.got === 'lock' || lineage !== undefined
  const isJournalGone =
    loaded.got === 'lock' && journalFound.got === 'records' && journalFound.file === undefined
  const unlisted = [
    ...(hasOwn ? unlistedResults(known, where).filter(({ id }) => !journal.has(id)) : []),
    ...(isJournalGone
      ? outputsOf(layout).flatMap(output => unansweredOrders(known, { ...where, output }))
      : []),
  ]
  const indexed = new Set(unlisted.map(({ id }) => id))
  const all = [...known.filter(({ id }) => !indexed.has(id)), ...unlisted]
  const found = layout.rehearsal ? stillThere(all, layout, disk) : all
  const hidden = new Set(hasParted ? ofAnotherCheckout(found, jobs) : [])
  const before = hasParted ? picksBeforeRedo(found, jobs) : []
  const picks = [...picksOfOtherLocks(found, hidden), ...before].map(withoutPick)
  const wishes = hasParted
    ? found.flatMap(each => (locked.has(each.id) ? [] : (withoutWish(each) ?? [])))
    : []
  const unchosen = new Map<PurchaseId, Purchase>([...picks, ...wishes].map(each => [each.id, each]))
  const purchases = unchosen.size === 0 ? found : found.map(each => unchosen.get(each.id) ?? each)
  const unwritten = new Set([...unwrittenAmong(purchases, written), ...news])
  // What the lock is believed against the journal stands in both from now on: the next run knows this lock, and would believe
  // the journal again. A record of the journal that says less for want of a file is left as it is: the file may come back.
  const isOfLock = new Set<Purchase>(jobs)
  const isNews = new Set([...indexed, ...news])
  const isTold = (each: Purchase) =>
    isNews.has(each.id) ||
    isOfLock.has(each) ||
    (locked.has(each.id) && (each.is === 'done' || !journal.has(each.id)))
  const ages = agesIn(entries)
  const lockText = loaded.got === 'lock' ? loaded.text : undefined
  return {
    lock,
    lockText,
    purchases,
    orderedAt: datesIn(journal),
    unwritten,
    untold: purchases.filter(
      each =>
        unchosen.has(each.id) ||
        displaced.has(each.id) ||
        isRenumbered(each, written.get(each.id)) ||
        (isTold(each) &&
          (unwritten.has(each.id) ||
            isChosenAnew(each, written.get(each.id)) ||
            (isOfLock.has(each) && isMoved(each, written.get(each.id))))),
    ),
    overtaken: [...left.files, ...outside.files, ...elsewhere.files],
    rescued: elsewhere.told(news, purchases),
    hidden,
    skipped: skippedIn(isForeign ? [] : entries),
    redoing: redoingIn(isForeign ? [] : entries),
    outputs: outputsIn(isForeign ? [] : entries),
    ages,
    delivered: deliveredOfDay(journal, ages, entries),
  }
}

const none = { files: [], purchases: [] }

type Damage = Extract<LoadedLock, { got: 'damaged' }>

function damageHint({ damage, manifest }: Damage, name: string): string {
  const recover = `\`genrun recover ${shellWord(name)}\``
  switch (damage) {
    case 'conflict':
      return `${recover} puts both sides together and buys nothing; ${oneSide}; ${merged}`
    case 'other-manifest':
      return `${ofOther(manifest ?? '', name)}; or ${putBack}`
    case 'newer':
      // What a newer genrun wrote is no damage.
      return putBack
    default:
      return `${putBack}; or ${recover} makes it anew from what is known`
  }
}

/** A single job has no manifest, by which its lock could be made anew. */
function singleDamageHint(damage: Damage['damage']): string {
  switch (damage) {
    case 'conflict':
      return `merge once more after \`genrun lock merge --install\`, which puts both sides together; ${oneSide}`
    case 'other-manifest':
      return 'give this job another lock'
    case 'foreign':
    case 'encoding':
      return `if it never was one, move that file away or name another lock; if it was, ${putBack}`
    default:
      return putBack
  }
}

/** The lock of which it is a copy, where that and its manifest are there: the purchases of one lineage are those of one manifest. */
function copiedFrom({ damage, manifest }: Damage, path: string, disk: Disk): string | undefined {
  if (damage !== 'other-manifest' || manifest === undefined) return undefined
  const folder = dirname(path)
  const original = join(folder, `${basename(manifest, extname(manifest))}.lock.json`)
  if (original === path || !disk.look(join(folder, manifest))) return undefined
  const [its, copied] = [loadLock(original, manifest, disk), loadLock(path, manifest, disk)]
  const isCopy = its.got === 'lock' && copied.got === 'lock' && its.lock.lineage === copied.lock.lineage
  return isCopy ? basename(original) : undefined
}

function copyHint(copy: string, original: string): string {
  return `it is a copy of ${original}, which stays: delete ${copy}, and what was bought for this manifest itself is made a lock of anew`
}

/** By the name of the manifest that it names. */
function ofOther(manifest: string, name: string): string {
  const stem = basename(manifest, extname(manifest))
  if (stem === basename(name, extname(name)))
    return 'two manifests whose names differ in the ending alone have one lock: give one of them another name'
  return `if two manifests swapped their names, give these back: this lock is ${stem}.lock.json`
}

const putBack = 'put it back from version control, so that nothing is bought twice'
const oneSide = 'one side alone buys again what the other bought'
const merged = 'with `genrun lock merge --install` locks merge without conflicts'

export function journalEntries(
  reading: JournalReading,
): Pick<JournalReading & { got: 'records' }, 'entries'> | Damaged {
  if (reading.got === 'records') return reading
  // What an older genrun came to the end of stands in the lock.
  if (reading.got === 'older' && reading.isClosed) return { entries: [] }
  const { file, why, offset } = reading.got === 'older' ? unfinished(reading.file) : reading
  return {
    got: 'damaged',
    message: `${file}: ${why}, at byte ${offset}`,
    hint: 'put it back from a copy; or settle at the service what is paid for, and move it away: then the lock alone counts',
  }
}

function datesIn(journal: ReadonlyMap<PurchaseId, History>): Map<PurchaseId, number> {
  const dates = new Map<PurchaseId, number>()
  for (const [id, { order }] of journal) if (order?.sent) dates.set(id, order.sent.at)
  return dates
}

function recordsIn(journal: ReadonlyMap<PurchaseId, History>): Map<PurchaseId, Purchase> {
  const records = new Map<PurchaseId, Purchase>()
  for (const [id, history] of journal) {
    const record = recordOf(history)
    if (record) records.set(id, record)
  }
  return records
}

function unwrittenAmong(
  purchases: readonly Purchase[],
  written: ReadonlyMap<PurchaseId, Purchase>,
): PurchaseId[] {
  return purchases.filter(({ id, is }) => written.get(id)?.is !== is).map(({ id }) => id)
}

/** The lock decided of which job it is, or whether it is picked: the next run would believe the journal again. */
function isChosenAnew(purchase: Purchase, known: Purchase | undefined): boolean {
  // What a person took it for, too: with the lock gone it would be asked for in vain, and bought.
  if (known && purchase.acceptedAs && !known.acceptedAs) return true
  if (purchase.is !== 'done' || known?.is !== 'done') return false
  const isPickedAlike = purchase.picked === known.picked && purchase.byHand === known.byHand
  return !isPickedAlike || purchase.address !== known.address
}

/** A merge gave what is not done yet another number: the journal would have it back under the old one. */
function isRenumbered(purchase: Purchase, known: Purchase | undefined): boolean {
  return purchase.is !== 'done' && known?.is === purchase.is && purchase.address !== known.address
}

/** The lock gave its names to another result, or gave them back. */
function isMoved(purchase: Purchase, known: Purchase | undefined): boolean {
  return purchase.is === 'done' && known?.is === 'done' && purchase.aside !== known.aside
}

/** What was made under a lock that is not the present one belongs to that; what is owed is never left out. */
function ofAnotherCheckout(purchases: readonly Purchase[], locked: readonly Purchase[]): PurchaseId[] {
  const inLock = new Set(locked.map(({ id }) => id))
  return purchases
    .filter(({ is, id }) => (is === 'done' || is === 'failed') && !inLock.has(id))
    .map(({ id }) => id)
}

/** A take that `redo` ordered under another lock is one among others here; while it is in doubt it holds the next `redo` all the same. */
function withoutWish({ redo, ...rest }: Purchase): Purchase | undefined {
  return redo && (rest.is === 'under-way' || rest.is === 'done') ? rest : undefined
}

function isThere(file: SavedFile, { output }: Layout, disk: Disk): boolean {
  return (
    findSaved(file, output, disk) === 'same' && digestFileNow(disk, join(output, file.path)) === file.digest
  )
}

/**
 * What a rehearsal remembers of those before: files that are there. Each has a gateway of its own, whose runs ended with
 * it, and nothing of it was paid for: what is gone or unfinished is simply made again.
 */
function stillThere(purchases: readonly Purchase[], { output }: Layout, disk: Disk): Purchase[] {
  return purchases.filter(
    each =>
      each.is === 'done' &&
      !each.aside &&
      each.files.every(file => findSaved(file, output, disk) !== 'missing'),
  )
}

/** Trouble with the disk, in the form in which every verb tells it. */
export function damaged(trouble: StorageError): Damaged {
  return {
    got: 'damaged',
    message: trouble.message,
    hint: trouble.remedy ?? 'mend the disk or its permissions, then run again; nothing is paid twice',
  }
}
