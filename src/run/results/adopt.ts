import { join } from 'node:path'
import type { Digest, PurchaseId } from '../../base/names.ts'
import { foldPath } from '../../base/output-name.ts'
import type { FailedPurchase, Purchase } from '../../base/purchase.ts'
import type { SavedFile } from '../../base/state.ts'
import { isNamedAs } from '../../media/other-kinds.ts'
import { isSendable } from '../../media/sniff.ts'
import { sameRecipe } from '../../plan/shapes/recipe.ts'
import type { Step } from '../../plan/shapes/step.ts'
import { wantedPath } from '../../planning/facts.ts'
import { removeQuietly } from '../../store/files/atomic-write.ts'
import { digestFile } from '../../store/files/digest.ts'
import type { Disk } from '../../store/files/disk.ts'
import { copyToPart, findKept, findSaved, publishOutput, verifySaved } from '../../store/files/outputs.ts'
import type { Parts } from '../../store/files/parts.ts'
import { areTwoFiles, findPlace } from '../../store/files/safe-path.ts'
import type { StateFolder } from '../../store/files/state-folder.ts'
import { otherHasName, StorageError } from '../../store/files/storage-error.ts'
import type { Layout } from '../../workspace/layout.ts'
import type { Workspace } from '../../workspace/workspace.ts'
import type { Ledger } from '../ledger/ledger.ts'
import { makeRoom } from './aside.ts'
import { partsOf } from './parts.ts'

type Adoption = Step & { do: 'adopt' }

/** What files get their places with. */
export interface Movers {
  readonly layout: Layout
  readonly folders: StateFolder
  readonly ledger: Ledger
  readonly parts: Parts
  readonly disk: Disk
}

/** What a verb that only moves things works with. */
export function moversOf(
  { layout, folders, machine }: Pick<Workspace, 'layout' | 'folders' | 'machine'>,
  ledger: Ledger,
): Movers {
  return { layout, folders, ledger, parts: partsOf(layout, machine), disk: machine.disk }
}

/** A whole copy of a file on its way to its new name. */
interface Coming {
  readonly part: string
  /** As it is recorded. */
  readonly file: SavedFile
  /** Of the copy: another than the record's where a hand has altered the file, which moves as it is. */
  readonly digest: Digest
  readonly path: string
}

/**
 * Gives results that are paid for the names the manifest now asks for. Names may change hands (two jobs swapped theirs),
 * so every file is put aside whole before the first gets its new name; the old names go last. A crash in between leaves
 * at least one whole copy under a name that the lock knows, or in `kept`.
 */
export async function adoptAll(adoptions: readonly Adoption[], movers: Movers): Promise<void> {
  const { layout, folders, ledger, parts, disk } = movers
  const coming: Coming[] = []
  for (const { job, entry } of adoptions) {
    for (const [nth, file] of entry.files.entries()) {
      const part = parts.path(`adopt ${job.address}`, nth)
      const from = await placeOf(file, wantedPath(job, entry, nth), movers)
      if (from === undefined) throw new StorageError(file.path, 'read', 'it is not there', 'ENOENT')
      const { digest } = await copyToPart(from, part, disk)
      if (!mayBeMoved(file, digest)) throw new StorageError(file.path, 'rename', notOurs)
      coming.push({ part, file, digest, path: wantedPath(job, entry, nth) })
    }
  }
  for (const each of coming) await refuseForeigner(each, movers)
  const moving = new Set<PurchaseId>(adoptions.map(({ entry }) => entry.id))
  // Also where a file lies already: a crash in the middle of a move leaves it there, and another result as the name's owner.
  await makeRoom(
    coming.map(({ path }) => path),
    { ...movers, moving },
  )
  for (const { part, digest, path } of coming) {
    const published = await publishOutput({
      root: layout.output,
      part,
      digest,
      path,
      isOurs: ledger.isOurs,
      kept: folders.kept,
      disk,
    })
    if (published.got === 'in-the-way') throw nameTaken(path)
  }
  const failures = failuresReplaced(adoptions, ledger.purchases.values())
  // All at once: a lock that was saved in between would give one name to two results.
  await Promise.all([
    ...failures.map(failure => ledger.stands(failure)),
    ...adoptions.map(({ job, entry }) => {
      const { aside: _, redo, ...rest } = entry
      // A picked take has its name by this: `redo` is at its end.
      const open = redo && !rest.picked && { redo }
      const files = entry.files.map((file, nth) => ({ ...file, path: wantedPath(job, entry, nth) }))
      ledger.give(job.address, entry.id)
      return ledger.stands({ ...rest, ...open, address: job.address, files })
    }),
  ])
  await removeOldNames(coming, movers)
}

/**
 * What failed for a job that takes the result of another which had asked for the same: that other one has the failure from now on. Its
 * order was not made up for by any of its own, and whoever brings the other job back has one order that may be billed for two jobs.
 */
function failuresReplaced(adoptions: readonly Adoption[], purchases: Iterable<Purchase>): FailedPurchase[] {
  const moved = new Map(
    adoptions.flatMap(({ job, entry }) =>
      entry.address === job.address ? [] : [[job.address, entry] as const],
    ),
  )
  if (moved.size === 0) return []
  return [...purchases].flatMap(each => {
    const entry = each.is === 'failed' && each.billed !== 'no' ? moved.get(each.address) : undefined
    if (!entry || each.is !== 'failed' || !sameRecipe(entry.recipe, each.recipe)) return []
    return { ...each, address: entry.address }
  })
}

const notOurs = 'it is none of what genrun made, and stays where it is, whatever the lock says of it'

/**
 * A checkout brings its lock along, and that may name any file. What is moved is called as its kind is, and is that very file; only media
 * may be altered, as people do that and keep the name.
 */
function mayBeMoved({ path, type, digest: recorded }: SavedFile, digest: Digest): boolean {
  return isNamedAs(path, type) && (digest === recorded || isSendable(type))
}

/** A plan refuses such names; what came since is noticed before the first file has moved. Rejects with StorageError. */
async function refuseForeigner({ path, digest }: Coming, movers: Movers): Promise<void> {
  const { layout, ledger, disk } = movers
  const place = findPlace(disk, layout.output, path)
  const seen = place === undefined ? undefined : disk.look(place)
  if (place === undefined || !seen) return
  const there = seen.is === 'file' ? await digestFile(disk, place) : undefined
  if (there !== digest && !(there && ledger.isOurs(there))) throw nameTaken(path)
}

function nameTaken(path: string): StorageError {
  return new StorageError(path, 'rename', otherHasName, 'EEXIST')
}

/** Where the very bytes of a file are: under its name, put aside, or already where they are wanted. */
async function placeOf(
  file: SavedFile,
  wanted: string,
  { layout, folders, disk }: Movers,
): Promise<string | undefined> {
  const isThere = (path: string) => findSaved({ ...file, path }, layout.output, disk) === 'same'
  const other =
    findKept(file, folders.kept, disk) ??
    (isThere(wanted) ? findPlace(disk, layout.output, wanted) : undefined)
  if (findSaved(file, layout.output, disk) === 'missing') return other
  if (other !== undefined && (await verifySaved(file, layout.output, disk)) !== 'same') return other
  return findPlace(disk, layout.output, file.path)
}

/** What still lies under a name that is nobody's any more, unless it is another than what moved. */
async function removeOldNames(coming: readonly Coming[], { layout, ledger, disk }: Movers): Promise<void> {
  for (const { file, digest } of coming) {
    if (isOthers({ path: file.path, digest }, { layout, ledger, disk })) continue
    const place = findPlace(disk, layout.output, file.path)
    if (place === undefined || disk.look(place)?.is !== 'file') continue
    if ((await digestFile(disk, place)) === digest) removeQuietly(disk, join(layout.output, file.path))
  }
}

/**
 * Another result may have it, with the same bytes; and where the case of letters does not count, so may this one. One with other bytes
 * never came here: a merge brought its record.
 */
function isOthers(
  { path, digest }: Pick<Coming, 'path' | 'digest'>,
  { layout, ledger, disk }: Pick<Movers, 'layout' | 'ledger' | 'disk'>,
): boolean {
  const owned = ledger.ownerOfPath(path)?.files.find(each => foldPath(each.path) === foldPath(path))
  if (owned?.digest !== digest) return false
  return owned.path === path || !areTwoFiles(disk, layout.output, [owned.path, path])
}
