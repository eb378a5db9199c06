import { createHash } from 'node:crypto'
import { join } from 'node:path'
import { type Clock, systemClock } from '../base/clock.ts'
import { type Digest, restStart } from '../base/names.ts'
import type { DonePurchase } from '../base/purchase.ts'
import { systemRandom } from '../base/random.ts'
import { bucketText, type SharedBucket } from '../base/shared-place.ts'
import type { Recipe, SavedFile } from '../base/state.ts'
import type { Cache, CacheTrouble, CacheWhere, Elsewhere, ElsewhereCache } from '../store/cache/cache.ts'
import { type Cached, placedRecipe, recipeKey, resultText } from '../store/cache/cache-text.ts'
import { inParallel } from '../store/cache/in-parallel.ts'
import { removeQuietly, temporaryName } from '../store/files/atomic-write.ts'
import { digestFile } from '../store/files/digest.ts'
import { makeFolders } from '../store/files/disk.ts'
import { spooledToPart } from '../store/files/outputs.ts'
import { refuseForeign, removeFolders } from '../store/files/state-folder.ts'
import { StorageError } from '../store/files/storage-error.ts'
import type { Way } from '../wire/http/dial.ts'
import type { BucketAccess, BucketTrouble } from './access.ts'
import { openNames } from './names-list.ts'
import type { ObjectStore } from './s3.ts'
import type { Series } from './send-file.ts'
import { ObjectStoreError } from './trouble.ts'

interface BucketOptions {
  readonly access: BucketAccess | BucketTrouble
  readonly readOnly: boolean
  readonly way: Way
  readonly clock?: Clock
  readonly waitMs?: number
}

/** A cache in a bucket, which is not looked at before somebody has a question. */
export function bucketCache(place: SharedBucket, options: BucketOptions): ElsewhereCache {
  const opened = new Map<string, BucketCache>()
  const { bucket, prefix } = place
  return {
    place: bucketText(place),
    readOnly: options.readOnly,
    open(where) {
      // A rehearsal is a different world: its placeholders are never found by a run that pays.
      const own = where.rehearsal
        ? { bucket, prefix: prefix === '' ? 'preview' : `${prefix}.preview` }
        : place
      const cache = opened.get(where.state) ?? openBucketCache(own, where, options)
      opened.set(where.state, cache)
      return cache
    },
    async ask() {
      const told = await Promise.all([...opened.values()].map(cache => cache.ask()))
      const trouble = told.find(each => typeof each !== 'string')
      return trouble ?? (told.includes('more') ? 'more' : 'nothing-new')
    },
    async rest() {
      await Promise.all([...opened.values()].map(cache => cache.rest()))
    },
  }
}

interface BucketCache extends Cache, Pick<ElsewhereCache, 'ask' | 'rest'> {}

/**
 * What is in the bucket: `results/<recipe>.json`, written after the `files/<digest>` that it names, so that whoever finds it finds
 * them. Anyone may write there: results are checked like a lock's, files by their digests, both before they count.
 */
function openBucketCache(place: SharedBucket, where: CacheWhere, options: BucketOptions): BucketCache {
  const { disk, state, stop: signal = new AbortController().signal } = where
  const { readOnly, clock = systemClock, way } = options
  const fetched = join(state, 'fetched')
  const placed = (recipe: Recipe, madeAt?: string) => placedRecipe(recipe, where.originOf, madeAt)
  const keyOf = ({ address, recipe, run }: DonePurchase) =>
    recipeKey(placed(recipe, run?.origin), restStart(address))
  /** `incomplete`: its files are not all there. */
  const known = new Map<Digest, Cached | 'damaged' | 'incomplete' | 'gone'>()
  const wanted = new Map<Digest, { readonly recipe: Recipe; readonly from: number }>()
  const brought = new Map<Digest, string>()
  // Another store may have a bucket of the same name.
  const at = 'endpoint' in options.access ? options.access.endpoint : ''
  const address = createHash('sha256')
    .update(`${at} ${bucketText(place)}`)
    .digest('hex')
  const pushed = openNames(disk, join(state, 'pushed', address))
  // Files that were there with other contents, and results that name them, are replaced: also by the run after one that was killed.
  const damaged = openNames(disk, join(state, 'damaged', address))
  let series: Series | undefined
  let opening: Promise<ObjectStore> | undefined

  async function store(): Promise<ObjectStore> {
    const { access } = options
    if ('message' in access) throw new ObjectStoreError(access.message, access.hint)
    opening ??= import('./s3.ts').then(({ openObjectStore }) =>
      openObjectStore(place, access, { clock, signal, way, waitMs: options.waitMs }),
    )
    return opening
  }

  async function lookUp(key: Digest, recipe: Recipe, first: number): Promise<void> {
    const from = await store()
    const { readShared } = await import('./read-objects.ts')
    const found = await readShared(from, resultName(key), recipe, first)
    if (typeof found === 'string') return void known.set(key, found)
    const copies = await Promise.all(found.files.map(file => lookAt(file, from)))
    known.set(key, (['incomplete', 'damaged'] as const).find(each => copies.includes(each)) ?? found)
  }

  /**
   * By its size, which says nothing of a file that was found damaged: somebody may have replaced it since, so that one is read. One of
   * another size is read as well: it is damaged only where the store gives what it says.
   */
  async function lookAt(file: SavedFile, from: ObjectStore): Promise<'whole' | 'damaged' | 'incomplete'> {
    const name = fileName(file.digest)
    const size = await from.size(name)
    if (size === file.bytes && !damaged.has(hexOf(file.digest))) return 'whole'
    const { isWhole, sureThatGone } = await import('./read-objects.ts')
    if (size === undefined) {
      await sureThatGone(from, name)
      return 'incomplete'
    }
    return (await isWhole({ from, name, file, size })) ? 'whole' : 'damaged'
  }

  async function fetchFile(file: SavedFile): Promise<boolean> {
    const to = join(fetched, hexOf(file.digest))
    if (brought.has(file.digest)) return true
    if (disk.look(to)?.is === 'file' && (await digestFile(disk, to)) === file.digest) {
      brought.set(file.digest, to)
      return true
    }
    const part = temporaryName(to, systemRandom)
    const from = await store()
    const { isFetched } = await import('./read-objects.ts')
    try {
      const copy = { from, name: fileName(file.digest), file, size: file.bytes }
      if (!(await isFetched(copy, { disk, part }))) return false
      disk.rename(part, to)
      brought.set(file.digest, to)
      return true
    } finally {
      removeQuietly(disk, part)
    }
  }

  /** False where a file is not there to be sent. */
  async function send(
    entry: DonePurchase,
    placeOf: (file: SavedFile) => string | undefined,
  ): Promise<boolean> {
    const recipe = placed(entry.recipe, entry.run?.origin)
    const key = keyOf(entry)
    if (typeof known.get(key) === 'object') return true
    const to = await store()
    const { newSeries, sendFile } = await import('./send-file.ts')
    series ??= newSeries()
    for (const file of entry.files) {
      const path = placeOf(file)
      if (path === undefined) return false
      const replaces = damaged.has(hexOf(file.digest))
      await sendFile({
        store: to,
        name: fileName(file.digest),
        file,
        path,
        disk,
        notes: join(state, 'uploads'),
        replaces,
        series,
      })
    }
    const text = Buffer.from(resultText({ ...entry, recipe }))
    const contents = { type: 'application/json', bytes: text.length, body: () => text }
    if ((await to.write(resultName(key), contents, { isNew: true })) === 'written') return true
    // Somebody else has put one there, which may be older than the files that it names are. In doubt it stays.
    await lookUp(key, recipe, restStart(entry.address))
    const there = known.get(key)
    if (typeof there !== 'object') await to.write(resultName(key), contents, { isNew: there === 'gone' })
    return true
  }

  const elsewhere: Elsewhere = {
    width: filesAtATime,
    async bring(recipe, files, from = 0) {
      refuseForeign(disk, fetched)
      await makeFolders(disk, fetched, 0o700)
      const key = recipeKey(placed(recipe), from)
      const brings = await told(async () => {
        for (const file of files) {
          if (await fetchFile(file)) continue
          await damaged.add(hexOf(file.digest))
          known.set(key, 'damaged')
          return 'more'
        }
        return 'brought'
      })
      // What was in doubt is looked at anew by the next run of this process.
      if (typeof brings !== 'string') known.delete(key)
      return brings
    },
    sweep() {
      brought.clear()
      try {
        if (disk.look(fetched)?.is === 'folder') removeFolders(disk, fetched)
      } catch (error) {
        if (!(error instanceof StorageError)) throw error
      }
    },
  }

  return {
    elsewhere,
    owes: entry => !readOnly && !pushed.has(hexOf(keyOf(entry))),
    async ask() {
      const questions = [...wanted]
      wanted.clear()
      if (questions.length === 0) return 'nothing-new'
      return told(async () => {
        await inParallel(questions, questionsAtATime, ([key, { recipe, from }]) => lookUp(key, recipe, from))
        const isNews = (key: Digest) => typeof known.get(key) === 'object' || known.get(key) === 'damaged'
        return questions.some(([key]) => isNews(key)) ? 'more' : 'nothing-new'
      })
    },
    async rest() {
      await (await opening?.catch(() => undefined))?.close()
      opening = undefined
    },
    find(recipe, from = 0) {
      const here = placed(recipe)
      const key = recipeKey(here, from)
      const found = known.get(key)
      if (found === undefined) wanted.set(key, { recipe: here, from })
      return found === 'gone' || found === 'incomplete' ? undefined : found
    },
    async take({ digest }, to) {
      const from = brought.get(digest)
      if (from === undefined) return false
      // What was just written, and its digest taken: nobody writes to it any more.
      const { bytes = 0 } = disk.look(from) ?? {}
      const taken = await spooledToPart(from, to, { disk, written: { bytes, digest } })
      return taken.digest === digest
    },
    async put(entry, placeOf) {
      const key = keyOf(entry)
      const isLost = known.has(key) && typeof known.get(key) !== 'object'
      if (readOnly || (pushed.has(hexOf(key)) && !isLost)) return undefined
      try {
        if (!(await send(entry, placeOf))) return undefined
        if (isLost) known.delete(key)
        await pushed.add(hexOf(key))
        return undefined
      } catch (error) {
        if (error instanceof ObjectStoreError || error instanceof StorageError) return error
        throw error
      }
    },
  }
}

const questionsAtATime = 8
const filesAtATime = 4

/** Trouble with the bucket is a result; trouble with the disk is the disk's. */
async function told<T>(work: () => Promise<T>): Promise<T | CacheTrouble> {
  try {
    return await work()
  } catch (error) {
    if (error instanceof ObjectStoreError) return error
    throw error
  }
}

function resultName(key: Digest): string {
  return `results/${hexOf(key)}.json`
}

function fileName(digest: Digest): string {
  return `files/${hexOf(digest)}`
}

function hexOf(digest: Digest): string {
  return digest.slice('sha256:'.length)
}
