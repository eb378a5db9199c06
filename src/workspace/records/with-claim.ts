import { basename, dirname } from 'node:path'
import { type Claim, takeClaim } from '../../store/claim/claim.ts'
import { sweepTemporary } from '../../store/files/atomic-write.ts'
import type { Disk } from '../../store/files/disk.ts'
import { prepareState } from '../../store/files/state-folder.ts'
import { StorageError } from '../../store/files/storage-error.ts'
import { highestJournal } from '../../store/journal/journal.ts'
import type { Workspace } from '../workspace.ts'
import { busyBeside } from './beside.ts'
import { type Busy, busy } from './busy.ts'
import type { SetAside } from './lineage.ts'
import { type Damaged, damaged } from './recorded.ts'
import { settleLineage } from './settle-lineage.ts'

/** Where the records lie. */
export type ClaimedPlace = Pick<Workspace, 'layout' | 'folders' | 'machine'> &
  Partial<Pick<Workspace, 'shard'>>

/**
 * Does something while no other genrun can, with the state that goes with the lock, and gives the claim back. `foreign`: the
 * state of another lineage that lay in its place. `force` takes the claim over, whoever holds it. Trouble with the disk is
 * a result, nothing is thrown for it.
 */
export async function withClaim<T>(
  where: ClaimedPlace,
  work: (claim: Claim, foreign: SetAside | undefined) => Promise<T>,
  force = false,
): Promise<T | Damaged | Busy> {
  const { layout, folders, machine, shard } = where
  const { disk, clock, random, self } = machine
  try {
    const isStill = stillThere(dirname(dirname(layout.state)), disk)
    await prepareState(layout.state, disk)
    // The journal of a run has the number of its claim: one that lost its claim cannot take the other's place.
    const above = highestJournal(folders.journal, disk)
    const own = shard && { work: shard.division.work }
    const claimed = await takeClaim(folders.claim, {
      disk,
      clock,
      random,
      self: self(),
      force,
      above,
      ...own,
    })
    if (claimed.got === 'busy') return busy(claimed.holder)
    try {
      const beside = busyBeside(where, force)
      if (beside) return beside
      isStill()
      sweepTemporary(disk, dirname(layout.lock), name => name === basename(layout.lock))
      sweepTemporary(disk, folders.journal, name => name.endsWith('.jnl'))
      return await work(claimed.claim, await settleLineage(layout, disk))
    } finally {
      await release(claimed.claim)
    }
  } catch (trouble) {
    if (!(trouble instanceof StorageError)) throw trouble
    return damaged(trouble)
  }
}

/**
 * A project that is moved away while genrun begins is not made anew in its old place: what would be bought there nobody
 * finds. The state's folders come into being before the claim, so that it is asked before and after. Throws StorageError.
 */
function stillThere(home: string, disk: Disk): () => void {
  const found = disk.look(home)?.identity
  const look = () => {
    const now = disk.look(home)?.identity
    if (now === undefined || now !== found)
      throw new StorageError(home, 'open', 'it was moved or removed while genrun began', 'ENOENT')
  }
  look()
  return look
}

/** One that cannot be given back is nobody's as soon as this process is gone: no reason to withhold a result. */
async function release(claim: Claim): Promise<void> {
  await quietly(claim.release())
}

export async function quietly(closing: Promise<void>): Promise<void> {
  try {
    await closing
  } catch (trouble) {
    if (!(trouble instanceof StorageError)) throw trouble
  }
}
