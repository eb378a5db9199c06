import { dirname, join, relative, sep } from 'node:path'
import { defined } from '../../base/defined.ts'
import type { Digest, JobAddress, PurchaseId } from '../../base/names.ts'
import type { JournalRecord } from '../../base/purchase.ts'
import type { Claim } from '../../store/claim/claim.ts'
import { digestText } from '../../store/files/digest.ts'
import type { Disk } from '../../store/files/disk.ts'
import { prepareOutputs } from '../../store/files/outputs.ts'
import { StorageError } from '../../store/files/storage-error.ts'
import { type Journal } from '../../store/journal/journal.ts'
import { type Overtaken, openOutside, openOvertaken } from '../../store/journal/leave-overtaken.ts'
import { openJournal } from '../../store/journal/open-journal.ts'
import { removeOvertaken } from '../../store/journal/overtaken.ts'
import { type LockSaver, type LockSaverOptions, lockSaver } from '../../store/lock/lock-saver.ts'
import { noIndex, openResults, type ResultsIndex } from '../../store/lock/results.ts'
import { type ClaimedPlace, quietly } from '../../workspace/records/with-claim.ts'
import type { Recorded } from '../../workspace/workspace.ts'
import { type Ledger, openLedger } from './ledger.ts'

/** Journal and lock of this claim, open to be written. */
export interface Records {
  readonly ledger: Ledger
  readonly journal: Journal
  readonly index: ResultsIndex
  /**
   * Saves the lock, ends the journal with it and with what was skipped, and brings the index up to date. Rejects with
   * StorageError.
   */
  close(skipped?: readonly JobAddress[]): Promise<void>
}

interface OpenedWith {
  readonly recorded: Recorded
  readonly claim: Claim
  readonly saves?: Saves
}

/** How often the lock is saved, and what of the journal is durable elsewhere, where it is not these that others count on. */
interface Saves extends Pick<LockSaverOptions, 'everyMs'> {
  readonly backed?: ReadonlySet<JournalRecord['kind']>
}

/**
 * Does something that ends with closing the records. Where it does not come to that they are closed all the same: what is
 * known stands in the lock, and nothing is left open. Rejects with StorageError, with the one that came first.
 */
export async function withRecords<T>(
  where: ClaimedPlace,
  { recorded, claim, saves = {} }: OpenedWith,
  task: (records: Records) => Promise<T>,
): Promise<T> {
  const records = await openRecords(where, recorded, claim, saves)
  try {
    return await task(records)
  } catch (trouble) {
    await quietly(records.close())
    throw trouble
  }
}

/**
 * What the lock alone knows is in the journal when it resolves. Rejects with StorageError; also when the folder for results
 * cannot be written.
 */
export async function openRecords(
  where: ClaimedPlace,
  recorded: Recorded,
  claim: Claim,
  { backed, ...saves }: Saves = {},
): Promise<Records> {
  const journal = await openRunJournal(where, recorded, claim, backed)
  try {
    return await recordsOn(journal, where, { recorded, claim, saves })
  } catch (trouble) {
    await quietly(journal.close())
    throw trouble
  }
}

async function recordsOn(
  journal: Journal,
  where: ClaimedPlace,
  { recorded, claim, saves }: OpenedWith,
): Promise<Records> {
  // A journal that cannot be written tells so itself; it comes to this for locks that are newer than it.
  const writes = (lock: Digest) => void journal.append({ kind: 'LOCK', lock }).catch(() => undefined)
  const overtaken = overtakenOf(where, recorded, claim)
  const elsewhere = {
    leave: () => overtaken.leave(ledger.told()),
    leaveNow: () => overtaken.leaveNow(ledger.told()),
  }
  const saver = await openSaver(where, recorded, claim, { writes, elsewhere, ...saves })
  const { clock, disk } = where.machine
  const index = openIndex(where, recorded, claim)
  const outside = outsideOf(where, recorded, claim, () => ledger.told())
  const append = (record: JournalRecord) => heardOutside(record, journal.append(record), outside)
  // The next run knows the lock that this one leaves, and has nothing to add to it.
  const ledger = openLedger({
    recorded: { ...recorded, hidden: none },
    journal: { append },
    saver,
    clock,
    index,
  })
  await Promise.all(recorded.untold.map(each => ledger.stands(each)))
  const begun = lockBegunWith(recorded)
  if (begun !== undefined && recorded.untold.length > 0) await journal.append({ kind: 'LOCK', lock: begun })
  // Asked after that: who has taken the claim over since reads it in this journal.
  const isLeft = recorded.overtaken.length > 0
  if (isLeft && claim.standing() === 'mine') removeOvertaken(recorded.overtaken, disk)
  return {
    ledger,
    journal,
    index,
    async close(skipped) {
      try {
        await ledger.flush()
      } finally {
        try {
          await orLeft(journal.close(saver.digest(), skipped), outside)
        } finally {
          await index.close()
        }
      }
    },
  }
}

const none: ReadonlySet<PurchaseId> = new Set()

/** Placeholders are nothing that anybody has to find again; a single job has its records beside its files as it is. */
function openIndex({ layout, machine }: ClaimedPlace, { lock }: Recorded, { isMine }: Claim): ResultsIndex {
  const isSingle = dirname(layout.lock) === layout.state
  if (layout.rehearsal || isSingle) return noIndex
  const { output } = layout
  const folder = relative(output, dirname(layout.lock)).split(sep).join('/')
  const owner = { manifest: lock.manifest, folder, lineage: lock.lineage }
  return openResults({ output, owner, disk: machine.disk, mayReplace: isMine })
}

function overtakenOf({ folders, machine }: ClaimedPlace, { lock }: Recorded, { number }: Claim): Overtaken {
  const { disk, clock, random } = machine
  const { lineage } = lock
  return openOvertaken({ folder: folders.journal, number, lineage, disk, clock, random })
}

/** Leaves all that was told where the journal's disk is of no use. */
type LeaveOutside = () => Promise<void>

function outsideOf(
  { layout, machine }: ClaimedPlace,
  { lock }: Recorded,
  { number }: Claim,
  told: Ledger['told'],
): LeaveOutside {
  const { disk, clock, random, refuge } = machine
  if (refuge === undefined) return async () => undefined
  return openOutside({ refuge, lock: layout.lock, number, lineage: lock.lineage, disk, clock, random }, told)
}

/** Before an order has left there is nothing to be told: it does not leave where that cannot be written. */
function heardOutside({ kind }: JournalRecord, written: Promise<void>, outside: LeaveOutside): Promise<void> {
  return kind === 'INTENT' || kind === 'SENDING' ? written : orLeft(written, outside)
}

async function orLeft(written: Promise<void>, outside: LeaveOutside): Promise<void> {
  try {
    await written
  } catch (trouble) {
    await outside()
    throw trouble
  }
}

/** The lock of this claim, saved as it changes. Rejects with StorageError. */
export async function openSaver(
  { layout, machine: { disk, clock, refuge } }: ClaimedPlace,
  recorded: Recorded,
  claim: Claim,
  heard: Pick<LockSaverOptions, 'writes' | 'elsewhere' | 'everyMs'> = {},
): Promise<LockSaver> {
  await syncNames(recorded, layout.output, disk)
  const { lockText } = recorded
  const text = lockText === undefined ? {} : { text: lockText }
  const mayReplace = () => claim.standing() !== 'taken'
  return lockSaver({ path: layout.lock, ...text, disk, clock, mayReplace, refuge, ...heard })
}

/**
 * A result is done when all its files have their names, and so is what came and is none, though the run that gave them did not live
 * to make these durable: that is made up for before the lock counts on them.
 */
async function syncNames({ purchases, unwritten }: Recorded, output: string, disk: Disk): Promise<void> {
  const folders = new Set<string>()
  for (const purchase of purchases) {
    const isNamed = purchase.is === 'failed' || (purchase.is === 'done' && !purchase.aside)
    if (!isNamed || !unwritten.has(purchase.id)) continue
    for (const { path } of purchase.files ?? []) folders.add(dirname(join(output, path)))
  }
  for (const folder of folders) if (disk.look(folder)?.is === 'folder') await disk.syncFolder(folder)
}

function lockBegunWith({ lockText }: Pick<Recorded, 'lockText'>): Digest | undefined {
  return lockText === undefined ? undefined : digestText(lockText)
}

/** The journal of this claim, when the folder for results can be written. Rejects with StorageError. */
async function openRunJournal(
  { layout, folders, machine: { disk, clock } }: ClaimedPlace,
  recorded: Pick<Recorded, 'lock' | 'lockText' | 'untold'>,
  { number, standing }: Claim,
  backed: Saves['backed'],
): Promise<Journal> {
  // A project that was moved away by now is not made anew in its old place, with a journal that nobody will look for.
  if (standing() === 'vanished')
    throw new StorageError(layout.state, 'open', 'it was moved or removed while genrun began', 'ENOENT')
  await prepareOutputs(layout.output, disk)
  // Where the lock says what the journal does not, it counts as seen once that stands in both: whoever is killed before that leaves
  // it to be believed again.
  const seen = recorded.untold.length === 0 ? lockBegunWith(recorded) : undefined
  const opened = await openJournal({
    folder: folders.journal,
    lineage: recorded.lock.lineage,
    ...defined({ lock: seen, backed }),
    tool: 'genrun',
    output: layout.output,
    disk,
    clock,
    number,
  })
  if (opened.got === 'journal') return opened.journal
  throw new StorageError(opened.file, 'read', `${opened.why}, at byte ${opened.offset}`)
}
