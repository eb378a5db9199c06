import { join } from 'node:path'
import type { LockEntry, SavedFile } from '../base/state.ts'
import type { Recorder } from '../engine/world.ts'
import type { Step } from '../plan/plan.ts'
import { systemDisk } from '../store/disk.ts'
import { copyToPart, partPath, publishOutput, verifySaved } from '../store/outputs.ts'
import type { StateFolder } from '../store/state-folder.ts'
import { StorageTrouble } from '../store/trouble.ts'
import { removeQuietly } from '../store/whole.ts'
import type { Book } from './book.ts'
import { wantedPath } from './facts.ts'
import type { Layout } from './layout.ts'

type Adoption = Step & { do: 'adopt' }

interface Movers {
  readonly layout: Layout
  readonly folders: StateFolder
  readonly book: Book
  readonly journal: Recorder
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
  const { layout, folders, book, journal } = movers
  const asides: Aside[] = []
  for (const { job, entry } of adoptions) {
    for (const [nth, file] of entry.files.entries()) {
      const part = partPath(layout.output, `adopt ${job.address}`, nth)
      await copyToPart(join(layout.output, file.path), part)
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
    await journal.append({
      kind: 'DONE',
      address: job.address,
      files: moved.files,
      ...(entry.run && { run: entry.run }),
    })
    book.move(from, moved)
  }
  await removeOldNames(asides, layout)
}

/** What still lies under a name that no longer belongs to it, unless somebody changed it. */
async function removeOldNames(asides: readonly Aside[], { output }: Layout): Promise<void> {
  const taken = new Set(asides.map(aside => aside.path))
  for (const { file } of asides) {
    if (taken.has(file.path) || (await verifySaved(file, output)) !== 'same') continue
    removeQuietly(systemDisk, join(output, file.path))
  }
}
