import { join } from 'node:path'
import type { JobAddress } from '../../base/names.ts'
import type { LockEntry, SavedFile } from '../../base/state.ts'
import type { Recorder } from '../../engine/world.ts'
import type { Step } from '../../plan/step.ts'
import { digestOf } from '../../store/digest.ts'
import type { Disk } from '../../store/disk.ts'
import { findPlace } from '../../store/inside.ts'
import { copyToPart, publishOutput, verifySaved } from '../../store/outputs.ts'
import type { Parts } from '../../store/parts.ts'
import type { StateFolder } from '../../store/state-folder.ts'
import { StorageTrouble } from '../../store/trouble.ts'
import { removeQuietly } from '../../store/whole.ts'
import { wantedPath } from '../draw/facts.ts'
import type { Layout } from '../ground/layout.ts'
import type { Ground } from '../ground/setting.ts'
import type { Book } from './book.ts'
import { partsOf } from './parts.ts'

type Adoption = Step & { do: 'adopt' }

/** What files get their places with. */
export interface Movers {
  readonly layout: Layout
  readonly folders: StateFolder
  readonly book: Book
  readonly journal: Recorder
  readonly parts: Parts
  readonly disk: Disk
}

/** What a verb that only moves things works with. */
export function moversOf(
  { layout, folders, machine }: Pick<Ground, 'layout' | 'folders' | 'machine'>,
  { book, journal }: Pick<Movers, 'book' | 'journal'>,
): Movers {
  return { layout, folders, book, journal, parts: partsOf(layout, machine), disk: machine.disk }
}

/** A whole copy of a file on its way to its new name. */
interface Aside {
  readonly part: string
  readonly file: SavedFile
  readonly path: string
}

/**
 * Gives results that are paid for the names the manifest now asks for. Names may change hands (two jobs swapped theirs),
 * so every file is put aside whole before the first gets its new name; the old names go last. A crash in between leaves
 * at least one whole copy under a name that the lock knows, or in `kept`.
 */
export async function adoptAll(adoptions: readonly Adoption[], movers: Movers): Promise<void> {
  const { layout, folders, book, journal, parts, disk } = movers
  const asides: Aside[] = []
  for (const { job, entry } of adoptions) {
    for (const [nth, file] of entry.files.entries()) {
      const part = parts.path(`adopt ${job.address}`, nth)
      const place = findPlace(disk, layout.output, file.path)
      if (place === undefined) throw new StorageTrouble(file.path, 'read', 'it is not there', 'ENOENT')
      await copyToPart(place, part, disk)
      asides.push({ part, file, path: wantedPath(job, entry, nth) })
    }
  }
  const isOurs = (digest: string) => asides.some(aside => aside.file.digest === digest)
  for (const { part, file, path } of asides) {
    const published = await publishOutput({
      root: layout.output,
      part,
      digest: file.digest,
      path,
      isOurs,
      kept: folders.kept,
      disk,
    })
    if (published.got === 'in-the-way')
      throw new StorageTrouble(path, 'rename', 'a file that genrun did not make has this name', 'EEXIST')
  }
  for (const { job, entry, from } of adoptions) {
    const moved: LockEntry = {
      ...entry,
      address: job.address,
      files: entry.files.map((file, nth) => ({ ...file, path: wantedPath(job, entry, nth) })),
    }
    await noteMove(moved, from, journal)
    book.move(from, moved)
  }
  await removeOldNames(asides, layout, disk)
}

/** So that the journal alone, should the lock be lost, knows the result by its new address and not by the old one. */
export async function noteMove(moved: LockEntry, from: JobAddress, journal: Recorder): Promise<void> {
  const { address, recipe, files, run } = moved
  // Of the recipe as well: an order under the key of the last one is that order, with the recipe it had.
  const token = digestOf([address, from, { ...recipe }])
  await journal.append({
    kind: 'INTENT',
    address,
    attempt: token,
    key: token,
    recipe,
    request: token,
    workflow: run?.workflow ?? '',
    mode: 'execute',
    origin: '',
  })
  await journal.append({ kind: 'DONE', address, files, ...(run && { run }) })
  if (from !== address) await journal.append({ kind: 'RESOLVE', address: from, decision: { is: 'rebuy' } })
}

/** What still lies under a name that no longer belongs to it, unless somebody changed it. */
async function removeOldNames(asides: readonly Aside[], { output }: Layout, disk: Disk): Promise<void> {
  const taken = new Set(asides.map(aside => aside.path))
  for (const { file } of asides) {
    if (taken.has(file.path) || (await verifySaved(file, output, disk)) !== 'same') continue
    removeQuietly(disk, join(output, file.path))
  }
}
