import { restStart } from '../../base/names.ts'
import { type DonePurchase, type FailedPurchase, orderOf } from '../../base/purchase.ts'
import type { SavedFile } from '../../base/state.ts'
import type { Cache, CacheTrouble } from '../../store/cache/cache.ts'
import type { Disk } from '../../store/files/disk.ts'
import { publishOutput } from '../../store/files/outputs.ts'
import type { Parts } from '../../store/files/parts.ts'
import { findPlace } from '../../store/files/safe-path.ts'
import type { Setting } from '../../workspace/workspace.ts'
import type { Ledger } from '../ledger/ledger.ts'

interface Putting {
  readonly cache: Cache
  readonly output: string
  readonly disk: Disk
  /** The folder is genrun's alone. */
  readonly isOwn?: boolean
}

/**
 * Puts results where every worker finds them. What has a flaw is no answer for others with the same recipe: it has a name of its own
 * there. Trouble, in words: what it was for has to wait.
 */
export async function putForFleet(
  entries: readonly DonePurchase[],
  { cache, output, disk, isOwn = false }: Putting,
): Promise<CacheTrouble | undefined> {
  for (const entry of entries) {
    let isMissing = false
    const placeOf = (file: SavedFile) => {
      const place = findPlace(disk, output, file.path)
      isMissing ||= place === undefined
      return place
    }
    const trouble = await cache.put(asShared(entry), placeOf, { isOwn })
    if (trouble) return trouble
    if (isMissing) return { message: `a file of ${entry.address} is not where it was saved` }
  }
  return undefined
}

/** What came and is no result, as something that has files. */
export function asCame(failed: FailedPurchase): DonePurchase | undefined {
  const { files, flaw } = failed
  return files && { ...orderOf(failed), is: 'done', files, flaw }
}

function asShared(entry: DonePurchase): DonePurchase {
  if (!entry.flaw) return entry
  const { flaw: _, ...whole } = entry
  return { ...whole, recipe: { ...entry.recipe, model: `${entry.recipe.model}@${entry.id}` } }
}

/** Has the files of a result at hand, for `Cache.take`. */
export async function bringForFleet(entry: DonePurchase, cache: Cache): Promise<CacheTrouble | undefined> {
  const { recipe, files } = asShared(entry)
  const told = await cache.elsewhere?.bring(recipe, files, restStart(entry.address))
  if (told === 'more') return { message: `the cache has not all files of ${entry.address}` }
  return typeof told === 'object' ? told : undefined
}

interface Movers extends Pick<Setting, 'layout' | 'folders'> {
  readonly cache: Cache
  readonly parts: Parts
  readonly disk: Disk
  readonly isOurs: Ledger['isOurs']
}

/** Brings files of a result to the names that they have. Rejects with StorageError. */
export async function placeForFleet(
  entry: DonePurchase,
  { cache, layout, folders: { kept }, parts, disk, isOurs }: Movers,
): Promise<CacheTrouble | undefined> {
  const trouble = await bringForFleet(entry, cache)
  if (trouble) return trouble
  for (const [nth, file] of entry.files.entries()) {
    const { path, digest } = file
    const part = parts.path(`bring ${entry.id}`, nth)
    if (!(await cache.take(file, part))) return { message: `the cache has not ${path} of ${entry.address}` }
    const place = { root: layout.output, part, digest, path, isOurs, kept, disk }
    if ((await publishOutput(place)).got === 'in-the-way')
      return { message: `a file that genrun did not make has the name ${path}` }
  }
  return undefined
}
