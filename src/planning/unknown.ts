import { join } from 'node:path'
import type { Purchase } from '../base/purchase.ts'
import { sameRecipe } from '../plan/shapes/recipe.ts'
import { removeQuietly, writeAtomically } from '../store/files/atomic-write.ts'
import { makeFolders } from '../store/files/disk.ts'
import type { Locked } from '../store/lock/lock.ts'
import type { Recorded, Workspace } from '../workspace/workspace.ts'
import { isOwned, matchesAmong, readProofs } from './proofs.ts'

type Where = Pick<Workspace, 'layout' | 'machine'>

/** What the output folder knows and the records do not, where these are lost. */
interface Unknown {
  readonly owned: readonly Locked[]
  /** The names of other manifests by which it was found. */
  readonly names: readonly string[]
}

/**
 * Undefined where the records are there, or know all. A lock that stands on a few adopted runs is no lock of the rest: a
 * mark says so until that is taken up. Reads only. Throws StorageError.
 */
export function unknownResults(workspace: Workspace, read: () => Recorded | undefined): Unknown | undefined {
  const { layout, machine } = workspace
  const isMarked = machine.disk.look(markOf(workspace)) !== undefined
  if (!isMarked && machine.disk.look(layout.lock)) return undefined
  // Before the records: what a shard that is at work adds to the one stands in the other already.
  const { taken, names, isGuess } = readProofs(workspace)
  const recorded = read()
  const isKnown = (recorded?.purchases ?? []).some(({ id }) => !recorded?.foreign?.has(id))
  if (!recorded || (!isMarked && isKnown)) return undefined
  // By the id first: of many shards there may be a hundred thousand.
  const ids = new Set(recorded.purchases.map(({ id }) => id))
  const owned = taken
    .flatMap(({ purchases }) => [...purchases.values()].filter(isOwned))
    .filter(each => !ids.has(each.id) && !recorded.purchases.some(known => isTheSame(each, known)))
  if (owned.length === 0 || (isGuess && matchesAmong(owned, workspace) === 0)) return undefined
  return { owned, names }
}

/** By its id, by its run, or as the order in doubt that a person gave a run. */
export function isTheSame(lost: Locked, known: Purchase): boolean {
  if (lost.id === known.id) return true
  const [one, other] = [runOfPurchase(lost), runOfPurchase(known)]
  if (one && other) {
    const isAtOne = (one.origin ?? other.origin) === (other.origin ?? one.origin)
    return one.id === other.id && one.workflow === other.workflow && isAtOne
  }
  const isGiven = lost.is === 'doubt' && other !== undefined
  return isGiven && lost.address === known.address && sameRecipe(lost.recipe, known.recipe)
}

export function runOfPurchase(purchase: Purchase) {
  return 'run' in purchase ? purchase.run : undefined
}

/** Before the first record of what a person names by hand. Rejects with StorageError. */
export async function markUnknown(workspace: Workspace, recorded: Recorded): Promise<void> {
  if (!unknownResults(workspace, () => recorded)) return
  const { layout, machine } = workspace
  await makeFolders(machine.disk, layout.state, 0o700)
  await writeAtomically(machine.disk, markOf(workspace), '')
}

/** All of it is taken up, or does not count by a person's word. */
export function unmark(where: Where): void {
  const { disk } = where.machine
  if (disk.look(markOf(where))) removeQuietly(disk, markOf(where))
}

function markOf({ layout }: Where): string {
  return join(layout.state, 'records-lost')
}
