import type { Clock } from '../../base/clock.ts'
import type { Digest, JobAddress, PurchaseId } from '../../base/names.ts'
import { foldPath } from '../../base/output-name.ts'
import {
  type DonePurchase,
  type JournalRecord,
  namesOf,
  newsOf,
  type Purchase,
  withoutNames,
  writtenFiles,
} from '../../base/purchase.ts'
import type { RunRef } from '../../base/state.ts'
import type { StorageError } from '../../store/files/storage-error.ts'
import {
  foldEntry,
  type History,
  historyOf,
  isOver,
  type PurchaseEntry,
  recordOf,
} from '../../store/journal/fold.ts'
import type { Journal } from '../../store/journal/journal.ts'
import type { Lock, Locked } from '../../store/lock/lock.ts'
import type { LockSaver } from '../../store/lock/lock-saver.ts'
import { noIndex, type ResultsIndex } from '../../store/lock/results.ts'
import { asOrdered } from '../../workspace/records/known.ts'
import type { Recorded } from '../../workspace/workspace.ts'
import { lockedAmong, saysTheSame } from './locked-among.ts'

/**
 * What is bought, while it changes: every record goes into the journal, through the one fold, and from there into the
 * lock. There is no other way to change either.
 */
export interface Ledger {
  readonly purchases: ReadonlyMap<PurchaseId, Purchase>
  /** Of those, what was written down here since it was opened, and may be paid for. */
  told(): Purchase[]
  /** Resolves when the record is as durable as its kind asks; what it says holds in memory at once, also when it rejects. */
  append(record: JournalRecord): Promise<void>
  /** Writes down how a purchase stands, whoever knew of it before. */
  stands(record: Purchase): Promise<void>
  /** The result that a job has now. */
  made(address: JobAddress): DonePurchase | undefined
  /** A job has this purchase: by the plan, or because it was made for it. */
  give(address: JobAddress, purchase: PurchaseId): void
  /** The result whose name a path is. */
  ownerOfPath(path: string): DonePurchase | undefined
  /** Whether genrun made a file with this digest. */
  isOurs(digest: Digest): boolean
  /** Whose a run is, when that is another purchase than this one. */
  ownerOf(run: RunRef, purchase: PurchaseId): JobAddress | undefined
  /** Resolves when the lock holds all that was told before. Never rejects. */
  secured(): Promise<void>
  /** Saves the lock as all stands now, what is on its way included. Never rejects. */
  saveNow(): Promise<void>
  /** Set while something lies in the place of the lock that may not be replaced. */
  readonly displaced: StorageError | undefined
  /** The same at once, as far as a process can that ends now. Throws StorageError. */
  saveAtExit(): void
  /** Resolves when the lock is on disk with all that is known, orders without an answer included. Rejects with StorageError. */
  flush(): Promise<void>
}

interface LedgerOptions {
  readonly recorded: Pick<Recorded, 'lock' | 'purchases' | 'hidden' | 'foreign'>
  readonly journal: Pick<Journal, 'append'>
  readonly saver: LockSaver
  readonly clock: Clock
  /** Of the output folder: hears what the lock hears. */
  readonly index?: ResultsIndex
}

export function openLedger({
  recorded,
  journal,
  saver,
  clock,
  index: results = noIndex,
}: LedgerOptions): Ledger {
  const purchases = new Map(recorded.purchases.map(each => [each.id, each]))
  // Of those that something has become of, until they are done; most stay as they were recorded.
  const histories = new Map<PurchaseId, History>()
  // What stands in the records of others comes into these when something becomes of it here.
  const hidden = new Set([...recorded.hidden, ...(recorded.foreign ?? [])])
  const given = new Map<JobAddress, PurchaseId>()
  const digests = new Set<Digest>()
  const names = new Map<string, PurchaseId>()
  const runs = new Map<string, PurchaseId>()
  const told = new Set<PurchaseId>()
  const sent = new Set<PurchaseId>()
  // What the index has not heard yet.
  const untold = new Set<PurchaseId>()
  let telling: Promise<void> | undefined
  let composed: Lock = recorded.lock
  for (const purchase of purchases.values()) {
    index(purchase)
    // Until something else is made for it, a job has what has its names.
    if (purchase.is === 'done' && !purchase.aside) given.set(purchase.address, purchase.id)
  }

  function index(purchase: Purchase): void {
    for (const { digest } of writtenFiles(purchase)) digests.add(digest)
    for (const path of namesOf(purchase)) names.set(path, purchase.id)
    if ('run' in purchase && purchase.run) runs.set(nameOf(purchase.run), purchase.id)
  }

  function historyKnown(id: PurchaseId): History | undefined {
    const known = histories.get(id)
    const recordedAs = known ? undefined : purchases.get(id)
    return recordedAs ? historyOf(recordedAs) : known
  }

  function fold(entry: PurchaseEntry): void {
    const { purchase: id } = entry
    const before = purchases.get(id)
    const was = historyKnown(id)
    if (was) histories.set(id, was)
    foldEntry(histories, entry)
    for (const path of before ? namesOf(before) : []) if (names.get(path) === id) names.delete(path)
    const history = histories.get(id)
    const record = history && recordOf(history)
    hidden.delete(id)
    if (record) {
      purchases.set(id, record)
      index(record)
      if (entry.kind === 'DONE' && !entry.aside) given.set(record.address, id)
      if (record.is === 'done') forgetWay(id)
    } else if (history && isOver(history)) purchases.delete(id)
  }

  /** Its record is all that anything after it needs. */
  function forgetWay(id: PurchaseId): void {
    histories.delete(id)
    sent.delete(id)
  }

  /** Somebody else put it into the lock meanwhile. Of a purchase that is known here, what knows more of it counts. */
  function learn(found: Locked): void {
    const { id } = found
    hidden.delete(id)
    const known = purchases.get(id)
    const history = historyKnown(id)
    const told = asOrdered(found, history)
    // What was pruned or given up here is no news, but for a result.
    if (!known && history && isOver(history) && told.is !== 'done') return
    const entry = known ? newsOf(known, told) : told
    if (!entry) return
    const isTaken = namesOf(entry).some(path => (names.get(path) ?? entry.id) !== entry.id)
    const record = isTaken && entry.is === 'done' ? withoutNames(entry) : entry
    // What the journal knows otherwise it has to hear; the rest is the lock's, as if it had been there from the start.
    if (history) return void ledger.stands(record).catch(() => undefined)
    purchases.set(record.id, record)
    histories.set(record.id, historyOf(record))
    index(record)
    void tellIndex(record.id)
  }

  /** Resolves when it has heard: what comes together is told together. */
  function tellIndex(id: PurchaseId): Promise<void> {
    untold.add(id)
    telling ??= Promise.resolve().then(tellNow)
    return telling
  }

  function tellNow(): void {
    telling = undefined
    const ids = [...untold]
    untold.clear()
    results.note(ids.flatMap(id => purchases.get(id) ?? []))
    for (const id of ids) if (!purchases.has(id)) results.forget(id)
  }

  /** Before the first byte: the state folder may be gone before any answer comes. Once, however often it is sent. */
  async function tellSent(id: PurchaseId): Promise<void> {
    if (sent.has(id)) return
    sent.add(id)
    await tellIndex(id)
  }

  const save = () =>
    saver.save(news => {
      for (const entry of news) learn(entry)
      composed = { ...recorded.lock, jobs: lockedAmong(purchases.values(), hidden) }
      return composed
    })

  /** Orders that left since the lock was composed last are no reason to write it each time; in the end it has them. */
  function catchUp(): void {
    // One that says the same is not even composed.
    if (!saysTheSame(composed, lockedAmong(purchases.values(), hidden))) save()
  }

  /** What could not be written down may be there all the same: it is said again how it stood, and the trouble is told. */
  function takenBack(before: Purchase, trouble: unknown): never {
    ledger.stands(before).catch(() => undefined)
    throw trouble
  }

  const ledger: Ledger = {
    purchases,
    told: () =>
      [...told].flatMap(id => {
        const record = purchases.get(id)
        return record && record.is !== 'open' ? record : []
      }),
    append(record) {
      const before = record.kind === 'RESOLVE' ? purchases.get(record.purchase) : undefined
      if ('purchase' in record) {
        told.add(record.purchase)
        fold({ ...record, at: clock.wall() })
      }
      if (isForTheLock[record.kind]) save()
      const written = journal.append(record)
      // Not before the journal has it: a power cut would leave a doubt of what never left.
      if (record.kind === 'SENDING') return written.then(() => tellSent(record.purchase))
      if (isForTheLock[record.kind] && 'purchase' in record) void tellIndex(record.purchase)
      return before ? written.catch(trouble => takenBack(before, trouble)) : written
    },
    stands: record => ledger.append({ kind: 'STANDS', purchase: record.id, record }),
    made(address) {
      const id = given.get(address)
      const record = id && purchases.get(id)
      return record?.is === 'done' ? record : undefined
    },
    give(address, purchase) {
      given.set(address, purchase)
      // What a job has stands in the lock, whatever checkout it was made under.
      hidden.delete(purchase)
    },
    ownerOfPath(path) {
      const id = names.get(foldPath(path))
      const record = id && purchases.get(id)
      return record?.is === 'done' ? record : undefined
    },
    isOurs: digest => digests.has(digest),
    ownerOf(run, purchase) {
      const id = runs.get(nameOf(run))
      return id === undefined || id === purchase ? undefined : purchases.get(id)?.address
    },
    secured: () => saver.soon(),
    saveNow() {
      save()
      return saver.soon()
    },
    get displaced() {
      return saver.displaced
    },
    saveAtExit() {
      save()
      tellNow()
      saver.saveAtExit()
    },
    flush() {
      // What was refused, or did not leave after all, is nothing to be found again.
      for (const id of sent) untold.add(id)
      tellNow()
      catchUp()
      return saver.flush()
    },
  }
  // Of what is open by now the index may know from a process that was killed.
  const open = [...purchases.values()].filter(({ is }) => is === 'open')
  results.note([...lockedAmong(purchases.values(), hidden), ...open])
  // They may know more than the lock.
  catchUp()
  return ledger
}

/** An order on its way stands in the journal; the lock hears of it at the end, if no answer came by then. */
const isForTheLock: { readonly [kind in JournalRecord['kind']]: boolean } = {
  OPEN: false,
  INTENT: false,
  SENDING: false,
  NOTSENT: false,
  REFUSED: false,
  PART: false,
  SAVED: false,
  REDO: false,
  LOCK: false,
  CLOSE: false,
  DOUBT: true,
  ACCEPTED: true,
  RESULT: true,
  DONE: true,
  FAILED: true,
  STANDS: true,
  RESOLVE: true,
}

function nameOf({ origin = '', id }: RunRef): string {
  return `${origin} ${id}`
}
