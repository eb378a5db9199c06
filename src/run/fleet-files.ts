import { type DonePurchase } from '../base/purchase.ts'
import type { SavedFile } from '../base/state.ts'
import type { Cache, CacheTrouble } from '../store/cache/cache.ts'
import type { Disk } from '../store/files/disk.ts'
import { findPlace } from '../store/files/safe-path.ts'

/**
 * Puts results where every worker finds them. What has a flaw is no answer for others with the same recipe: it has a name of its own
 * there. Trouble, in words: what it was for has to wait.
 */
export async function putForFleet(
  entries: readonly DonePurchase[],
  { cache, output, disk }: { readonly cache: Cache; readonly output: string; readonly disk: Disk },
): Promise<CacheTrouble | undefined> {
  for (const entry of entries) {
    let isMissing = false
    const placeOf = (file: SavedFile) => {
      const place = findPlace(disk, output, file.path)
      isMissing ||= place === undefined
      return place
    }
    const trouble = await cache.put(asShared(entry), placeOf)
    if (trouble) return trouble
    if (isMissing) return { message: `a file of ${entry.address} is not where it was saved` }
  }
  return undefined
}

function asShared(entry: DonePurchase): DonePurchase {
  if (!entry.flaw) return entry
  const { flaw: _, ...whole } = entry
  return { ...whole, recipe: { ...entry.recipe, model: `${entry.recipe.model}@${entry.id}` } }
}

/** Has the files of a result at hand, for `Cache.take`. */
export async function bringForFleet(entry: DonePurchase, cache: Cache): Promise<CacheTrouble | undefined> {
  const told = await cache.elsewhere?.bring(entry.recipe, entry.files)
  return told === 'more' ? { message: `the cache has not all files of ${entry.address}` } : asTrouble(told)
}

function asTrouble(told: 'brought' | CacheTrouble | undefined): CacheTrouble | undefined {
  return typeof told === 'object' ? told : undefined
}
