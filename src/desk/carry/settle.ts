import type { Journal } from '../../store/journal.ts'
import { type Drawn, drawPlan, type Refused } from '../draw/draw.ts'
import { type GroundRequest, openGround } from '../ground/ground.ts'
import { type Damaged, readRecorded } from '../ground/recorded.ts'
import { openLockBook, openRunJournal, withClaim } from '../ground/records.ts'
import type { Ground, Recorded, Wanted } from '../ground/setting.ts'
import type { Book } from './book.ts'
import type { Busy } from './busy.ts'

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
  return withClaim<T | Refused | Damaged>(ground, async claim => {
    const recorded = readRecorded(ground)
    if ('got' in recorded) return recorded
    const drawn = drawPlan(ground, wanted, recorded)
    if (drawn.got === 'refused') return drawn
    const journal = await openRunJournal(ground, recorded, claim)
    const book = await openLockBook(ground, recorded, claim)
    const done = await deed({ ground, recorded, drawn, journal, book })
    await book.flush()
    await journal.close()
    return done
  })
}
