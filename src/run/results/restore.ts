import { extname } from 'node:path'
import type { JobAddress } from '../../base/names.ts'
import type { JobState, SavedFile } from '../../base/state.ts'
import { nameOfFile } from '../../plan/rests.ts'
import type { Step } from '../../plan/step.ts'
import type { Cache } from '../../store/cache/cache.ts'
import { publishOutput } from '../../store/files/outputs.ts'
import { findPlace } from '../../store/files/safe-path.ts'
import { StorageError } from '../../store/files/storage-error.ts'
import type { Ledger } from '../ledger/ledger.ts'
import type { Movers } from './adopt.ts'
import { makeRoom } from './aside.ts'

type Restoration = Step & { do: 'restore' }

interface Restorers extends Movers {
  readonly cache: Cache
}

/** Brings results from the cache to their places. What turned out to be damaged there is told by address. */
export async function restoreAll(
  restorations: readonly Restoration[],
  restorers: Restorers,
): Promise<Map<JobAddress, JobState>> {
  const troubles = new Map<JobAddress, JobState>()
  for (const restoration of restorations) {
    const files = await restoreFiles(restoration, restorers)
    if (!files) {
      const detail = 'its copy of a file was altered or thrown away in the meantime'
      troubles.set(restoration.job.address, {
        is: 'skipped',
        because: { why: 'bad-input', path: 'the cache', detail },
      })
      continue
    }
    const { job, entry } = restoration
    await restorers.ledger.stands({ ...entry, files })
    restorers.ledger.give(job.address, entry.id)
  }
  return troubles
}

async function restoreFiles(
  { job, entry }: Restoration,
  { cache, ...movers }: Restorers,
): Promise<SavedFile[] | undefined> {
  const { layout, folders, ledger, parts: own, disk } = movers
  const parts: { readonly part: string; readonly file: SavedFile }[] = []
  for (const [nth, file] of entry.files.entries()) {
    const part = own.path(`restore ${job.address}`, nth)
    if (!(await cache.take(file, part))) return undefined
    const extension = extname(file.path).slice(1)
    const path = `${nameOfFile(job, nth, entry.files.length)}.${extension}`
    parts.push({ part, file: { ...file, path } })
  }
  const { isOurs } = ledger
  await makeRoom(
    parts.map(({ file }) => file.path),
    { ...movers, moving: new Set([entry.id]) },
  )
  for (const { part, file } of parts) {
    const { path, digest } = file
    const kept = folders.kept
    const published = await publishOutput({ root: layout.output, part, digest, path, isOurs, kept, disk })
    if (published.got === 'in-the-way')
      throw new StorageError(path, 'rename', 'a file that genrun did not make has this name', 'EEXIST')
  }
  return parts.map(({ file }) => file)
}

/** Puts what a run made, or took out, into the cache. A cache that cannot be written is told and harms nothing. */
export async function fillCache(
  addresses: Iterable<JobAddress>,
  { cache, ledger, layout, disk }: { readonly ledger: Ledger } & Pick<Restorers, 'cache' | 'layout' | 'disk'>,
): Promise<StorageError | undefined> {
  for (const address of addresses) {
    const entry = ledger.made(address)
    if (!entry || entry.flaw) continue
    const trouble = await cache.put(entry, file => findPlace(disk, layout.output, file.path))
    if (trouble) return trouble
  }
  return undefined
}
