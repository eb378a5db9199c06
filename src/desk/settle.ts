import { takeClaim } from '../store/claim.ts'
import { type Journal, openJournal } from '../store/journal.ts'
import { lockSaver } from '../store/lock.ts'
import { prepareOutputs } from '../store/outputs.ts'
import { prepareState } from '../store/state-folder.ts'
import { StorageTrouble } from '../store/trouble.ts'
import { type Book, openBook } from './book.ts'
import { type Busy, busy } from './busy.ts'
import { type Drawn, drawPlan, type Refused } from './draw.ts'
import { damaged, type GroundRequest, openGround } from './ground.ts'
import { type Damaged, readRecorded } from './recorded.ts'
import type { Ground, Recorded, Wanted } from './setting.ts'

/** Everything at hand to change what is recorded, while no other genrun can. */
export interface Desk {
  readonly ground: Ground
  readonly recorded: Recorded
  readonly drawn: Drawn
  readonly journal: Journal
  readonly book: Book
}

/** What may be decided before anything is opened for writing: no use to take a claim for nothing. */
export type Deed<T> = (desk: Desk) => Promise<T>

/**
 * Draws a plan under the claim and lets `deed` change lock, journal and files. For verbs that decide and move things and
 * never send anything.
 */
export async function underClaim<T>(
  request: GroundRequest,
  deed: Deed<T>,
): Promise<T | Refused | Damaged | Busy> {
  const ground = openGround(request)
  return 'got' in ground ? ground : groundUnderClaim(ground, request, deed)
}

/** The same for a manifest that is read already. */
export async function groundUnderClaim<T>(
  ground: Ground,
  wanted: Wanted,
  deed: Deed<T>,
): Promise<T | Refused | Damaged | Busy> {
  const { layout, folders, machine } = ground
  const { disk, clock, random, self } = machine
  try {
    await prepareState(layout.state, disk)
    const claimed = await takeClaim(folders.claim, { disk, clock, random, self: self() })
    if (claimed.got === 'busy') return busy(claimed.holder)
    try {
      const recorded = readRecorded(ground)
      if ('got' in recorded) return recorded
      const drawn = drawPlan(ground, wanted, recorded)
      if (drawn.got === 'refused') return drawn
      return await withJournal(ground, recorded, drawn, deed)
    } finally {
      await claimed.claim.release()
    }
  } catch (trouble) {
    if (!(trouble instanceof StorageTrouble)) throw trouble
    return damaged(trouble)
  }
}

async function withJournal<T>(ground: Ground, recorded: Recorded, drawn: Drawn, deed: Deed<T>): Promise<T> {
  const { layout, folders, machine } = ground
  const { disk, clock } = machine
  await prepareOutputs(layout.output, disk)
  const opened = await openJournal({
    folder: folders.journal,
    lineage: recorded.lock.lineage,
    tool: 'genrun',
    disk,
    clock,
  })
  if (opened.got === 'damaged')
    throw new StorageTrouble(opened.file, 'read', `${opened.why}, at byte ${opened.offset}`)
  const { journal } = opened
  const text = recorded.lockText
  const saver = lockSaver({ path: layout.lock, ...(text !== undefined && { text }), disk, clock })
  const book = openBook(recorded.lock, recorded.entries, saver, new Set())
  const done = await deed({ ground, recorded, drawn, journal, book })
  await book.flush()
  await journal.close()
  return done
}
