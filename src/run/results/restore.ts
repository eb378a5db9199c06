import { extname } from 'node:path'
import { type JobAddress, restStart } from '../../base/names.ts'
import type { DonePurchase } from '../../base/purchase.ts'
import type { JobState, SavedFile } from '../../base/state.ts'
import { nameOfFile } from '../../plan/shapes/share.ts'
import type { Plan, Step } from '../../plan/shapes/step.ts'
import type { Cache, CacheTrouble } from '../../store/cache/cache.ts'
import { inParallel } from '../../store/cache/in-parallel.ts'
import { publishOutput } from '../../store/files/outputs.ts'
import { findPlace } from '../../store/files/safe-path.ts'
import { otherHasName, StorageError } from '../../store/files/storage-error.ts'
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
    if (published.got === 'in-the-way') throw new StorageError(path, 'rename', otherHasName, 'EEXIST')
  }
  return parts.map(({ file }) => file)
}

/** Has all files at hand that the plan takes from a cache that lies elsewhere. `more`: one is not what it should be. */
export async function bringRestored(
  { steps }: Plan,
  cache: Cache | undefined,
): Promise<'brought' | 'more' | CacheTrouble> {
  const elsewhere = cache?.elsewhere
  if (!elsewhere) return 'brought'
  const told: ('brought' | 'more' | CacheTrouble)[] = []
  await inParallel(steps.filter(isRestoration), elsewhere.width, async ({ entry }) => {
    if (!told.some(each => typeof each !== 'string'))
      told.push(await elsewhere.bring(entry.recipe, entry.files, restStart(entry.address)))
  })
  return told.find(each => typeof each !== 'string') ?? told.find(each => each === 'more') ?? 'brought'
}

export function isRestoration(step: Step): step is Restoration {
  return step.do === 'restore'
}

/** Results that were there already, and are still to be put into the cache. */
export function owedTo(cache: Cache, { steps }: Plan): DonePurchase[] {
  return steps.flatMap(step =>
    step.do === 'keep' && !step.altered && !step.entry.flaw && cache.owes(step.entry) ? [step.entry] : [],
  )
}

/** Puts results into the cache. A cache that cannot be written is told and harms nothing. */
export async function fillCache(
  entries: Iterable<DonePurchase>,
  { cache, layout, disk }: Pick<Restorers, 'cache' | 'layout' | 'disk'>,
): Promise<CacheTrouble | undefined> {
  let trouble: CacheTrouble | undefined
  await inParallel(entries, cache.elsewhere?.width ?? 1, async entry => {
    if (trouble || entry.flaw) return
    trouble = (await cache.put(entry, file => findPlace(disk, layout.output, file.path))) ?? trouble
  })
  return trouble
}
