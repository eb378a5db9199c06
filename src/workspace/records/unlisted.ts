import { join } from 'node:path'
import { type DonePurchase, type DoubtfulPurchase, type Purchase, withoutNames } from '../../base/purchase.ts'
import type { SavedFile } from '../../base/state.ts'
import { digestFileNow } from '../../store/files/digest.ts'
import type { Disk } from '../../store/files/disk.ts'
import { savedFinder } from '../../store/files/outputs.ts'
import type { Locked } from '../../store/lock/lock.ts'
import { readAllResults } from '../../store/lock/read-results.ts'

interface Where {
  /** The output folder. */
  readonly output: string
  /** Of the lock. */
  readonly lineage: string
  readonly disk: Disk
}

/**
 * Results that lie under names which the lock gives to others: the lock is older than the files (another commit was checked
 * out), and what the journal would tell of them is gone, or is not in an older state that was copied back. The index of the output folder, of the same lineage, still knows
 * them. They are as if put aside: nothing asks for them, nobody altered them, and what is asked for may have their names.
 * Reads only where a file is not what the lock says. Throws StorageError.
 */
export function unlistedResults(
  purchases: readonly Purchase[],
  { output, lineage, disk }: Where,
): DonePurchase[] {
  const find = savedFinder(output, disk)
  const altered = new Set(
    purchases.flatMap(each =>
      each.is === 'done' && !each.aside
        ? each.files.filter(file => find(file) === 'altered').map(({ path }) => path)
        : [],
    ),
  )
  if (altered.size === 0) return []
  // Of one that is under way by lock and journal, the index may know that it is done: a state that was copied back does not.
  const known = new Set(purchases.flatMap(({ id, is }) => (is === 'done' ? [id] : [])))
  const isIt = (file: SavedFile) =>
    altered.has(file.path) &&
    find(file) === 'same' &&
    digestFileNow(disk, join(output, file.path)) === file.digest
  return indexed({ output, lineage, disk })
    .filter((each): each is DonePurchase => each.is === 'done' && !known.has(each.id))
    .filter(({ files }) => files.some(isIt))
    .map(withoutNames)
}

/**
 * Orders that were sent, and of which the index alone knows: genrun was killed before an answer came, and the state folder is gone
 * as well. Throws StorageError.
 */
export function unansweredOrders(purchases: readonly Purchase[], where: Where): DoubtfulPurchase[] {
  const known = new Set(purchases.map(({ id }) => id))
  return indexed(where).filter((each): each is DoubtfulPurchase => each.is === 'doubt' && !known.has(each.id))
}

function indexed({ output, lineage, disk }: Where): Locked[] {
  const ours = readAllResults(output, disk).filter(({ owner }) => owner.lineage === lineage)
  return ours.flatMap(({ purchases }) => [...purchases.values()])
}
