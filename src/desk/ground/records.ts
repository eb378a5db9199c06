import { basename, dirname, join } from 'node:path'
import { type Claim, takeClaim } from '../../store/claim.ts'
import type { Disk } from '../../store/disk.ts'
import { highestJournal, type Journal, openJournal } from '../../store/journal.ts'
import { lockSaver } from '../../store/lock.ts'
import { prepareOutputs } from '../../store/outputs.ts'
import { prepareState } from '../../store/state-folder.ts'
import { StorageTrouble } from '../../store/trouble.ts'
import { sweepTemporary } from '../../store/whole.ts'
import { type Book, openBook } from '../carry/book.ts'
import { type Busy, busy } from '../carry/busy.ts'
import { damaged, type Seen } from './ground.ts'
import type { Damaged } from './recorded.ts'
import type { Recorded } from './setting.ts'

/** Where the records lie. */
type Where = Pick<Seen['ground'], 'layout' | 'folders' | 'machine'>

/**
 * Does something while no other genrun can, and gives the claim back. `force` takes it over, whoever holds it. Trouble
 * with the disk is a result, nothing is thrown for it.
 */
export async function withClaim<T>(
  { layout, folders, machine }: Where,
  work: (claim: Claim) => Promise<T>,
  force = false,
): Promise<T | Damaged | Busy> {
  const { disk, clock, random, self } = machine
  try {
    await prepareState(layout.state, disk)
    // The journal of a run has the number of its claim: one that lost its claim cannot take the other's place.
    const above = highestJournal(folders.journal, disk)
    const claimed = await takeClaim(folders.claim, { disk, clock, random, self: self(), force, above })
    if (claimed.got === 'busy') return busy(claimed.holder)
    try {
      sweepTemporary(disk, dirname(layout.lock), name => name === basename(layout.lock))
      sweepTemporary(disk, folders.journal, name => name.endsWith('.jnl'))
      return await work(claimed.claim)
    } finally {
      await release(claimed.claim)
    }
  } catch (trouble) {
    if (!(trouble instanceof StorageTrouble)) throw trouble
    return damaged(trouble)
  }
}

/** One that cannot be given back is nobody's as soon as this process is gone: no reason to withhold a result. */
async function release(claim: Claim): Promise<void> {
  try {
    await claim.release()
  } catch (trouble) {
    if (!(trouble instanceof StorageTrouble)) throw trouble
  }
}

/** The lock of this claim, saved as it changes. `unfetched` as `openBook` has it. Rejects with StorageTrouble. */
export async function openLockBook(
  { layout, machine: { disk, clock } }: Where,
  recorded: Recorded,
  claim: Claim,
  unfetched: Parameters<typeof openBook>[3] = new Set(),
): Promise<Book> {
  await syncNames(recorded, layout.output, disk)
  const { lock, lockText, entries } = recorded
  const text = lockText === undefined ? {} : { text: lockText }
  const saver = lockSaver({ path: layout.lock, ...text, disk, clock, mayReplace: claim.isMine })
  return openBook(lock, entries, saver, unfetched)
}

/**
 * A result is done when all its files have their names, though the run that gave them did not live to make these durable:
 * that is made up for before the lock counts on them.
 */
async function syncNames({ memories, journal }: Recorded, output: string, disk: Disk): Promise<void> {
  const folders = new Set<string>()
  for (const [address, memory] of memories) {
    if (memory.is !== 'done' || journal.get(address)?.is !== 'result') continue
    for (const { path } of memory.entry.files) folders.add(dirname(join(output, path)))
  }
  for (const folder of folders) await disk.syncFolder(folder)
}

/** The journal of this claim, when the folder for results can be written. Rejects with StorageTrouble. */
export async function openRunJournal(
  { layout, folders, machine: { disk, clock } }: Where,
  { lock }: Pick<Recorded, 'lock'>,
  { number }: Claim,
): Promise<Journal> {
  await prepareOutputs(layout.output, disk)
  const { lineage } = lock
  const opened = await openJournal({
    folder: folders.journal,
    lineage,
    tool: 'genrun',
    disk,
    clock,
    number,
  })
  if (opened.got === 'journal') return opened.journal
  throw new StorageTrouble(opened.file, 'read', `${opened.why}, at byte ${opened.offset}`)
}
