import { join } from 'node:path'
import { type Digest, restStart } from '../../base/names.ts'
import type { DonePurchase } from '../../base/purchase.ts'
import { type Random, systemRandom } from '../../base/random.ts'
import type { Recipe, SavedFile } from '../../base/state.ts'
import { readIfThere, removeQuietly, temporaryName, writeAtomically } from '../files/atomic-write.ts'
import { digestFile, digestFileNow } from '../files/digest.ts'
import { type Disk, makeFolders, systemDisk } from '../files/disk.ts'
import { copyToPart } from '../files/outputs.ts'
import { linkNew } from '../files/publish.ts'
import { refuseForeign } from '../files/state-folder.ts'
import { ifReadable, isStorageError, StorageError } from '../files/storage-error.ts'
import { type Cached, parseResult, placedRecipe, recipeKey, resultText } from './cache-text.ts'
import { evict } from './evict.ts'

/** Which cache: a folder, or one that lies elsewhere. */
export type CacheOptions = FolderCache | ElsewhereCache

export interface FolderCache {
  /** Absolute. */
  readonly folder: string
  /** Nothing is put in or thrown away. */
  readonly readOnly?: boolean
  /** One that nothing is put in is not missed where it is not there, as a rehearsal's. */
  readonly mayBeMissing?: boolean
  /** The largest size of all files together; what was used least lately goes first. */
  readonly maxBytes?: number
  readonly disk?: Disk
  readonly random?: Random
  /** Where a service is that is called so here: what it is called in another project, or tomorrow, says nothing of whose result it is. */
  readonly originOf?: (service: string) => string | undefined
}

export interface ElsewhereCache {
  /** For people: `s3://bucket/prefix`. */
  readonly place: string
  readonly readOnly?: boolean
  /** The same cache each time for the same state. */
  readonly open: (where: CacheWhere) => Cache
  /** Asks for all that was not found in what was opened. `more`: it knows more now, and whoever counts on that has to look again. */
  readonly ask: () => Promise<'more' | 'nothing-new' | CacheTrouble>
  /** Gives up connections; the next question opens new ones. */
  readonly rest: () => Promise<void>
}

/** What a cache that lies elsewhere has to know of the manifest that uses it. */
export interface CacheWhere {
  readonly rehearsal: boolean
  /** The folder of the manifest's state: what is fetched waits there, and there stands what was sent. */
  readonly state: string
  readonly disk: Disk
  /** As a folder's. */
  readonly originOf: FolderCache['originOf'] | undefined
  /** Aborted: nothing more is sent. */
  readonly stop?: AbortSignal | undefined
}

/**
 * Results by recipe, shared between checkouts: whoever has the same recipe restores instead of buying. Anyone may write
 * to the folder, so nothing is believed: entries are checked like a lock's, files by their digests. What is not what it
 * should be counts as not there.
 */
export interface Cache {
  /**
   * A result, if it is there byte by byte. `damaged`: it is there, and short or altered; the next `put` of this process
   * replaces it. `from`: the first of a job's files that it is to bring, from 0 (default 0). Looks, and touches nothing.
   * Throws StorageError where that is refused: what is there may be paid for, and is not to count as nothing.
   */
  find(recipe: Recipe, from?: number): Cached | 'damaged' | undefined
  /** Copies one file out; false when it turned out to be damaged or gone. Rejects with StorageError of the disk at `to`. */
  take(file: SavedFile, to: string): Promise<boolean>
  /** Puts a result in. Trouble is told and harmless. */
  put(
    entry: DonePurchase,
    placeOf: (file: SavedFile) => string | undefined,
    options?: {
      /** Nobody but genrun changes the files where they are: a second name is as good as a copy. */
      readonly isOwn?: boolean
    },
  ): Promise<CacheTrouble | undefined>
  /** Whether a result that was there before is still to be put in: a killed run, or one without a cache, did not. */
  owes(entry: DonePurchase): boolean
  /** Of one that lies elsewhere. */
  readonly elsewhere?: Elsewhere
}

/** Trouble in words, for a person. Holds no secret. */
export interface CacheTrouble {
  readonly message: string
  /** The cause alone. */
  readonly detail?: string
  readonly hint?: string
}

/** A cache that has to be asked first: `find` knows what was answered, and remembers what it was asked for. */
export interface Elsewhere {
  /** How many results are put in at a time. */
  readonly width: number
  /** Brings files of a result, for `take`. `more`: they are not what they should be, and `find` knows. Rejects with StorageError. */
  bring(
    recipe: Recipe,
    files: readonly SavedFile[],
    from?: number,
  ): Promise<'brought' | 'more' | CacheTrouble>
  /** Throws away what was brought. */
  sweep(): void
}

export function openCache(options: FolderCache): Cache {
  const {
    folder,
    readOnly = false,
    mayBeMissing = !readOnly,
    disk = systemDisk,
    random = systemRandom,
  } = options
  const results = join(folder, 'results')
  const files = join(folder, 'files')
  const resultPath = (recipe: Recipe, from: number) => join(results, `${hexOf(recipeKey(recipe, from))}.json`)
  const placed = (recipe: Recipe, madeAt?: string) => placedRecipe(recipe, options.originOf, madeAt)
  const filePath = (digest: Digest) => join(files, hexOf(digest))
  // Each copy is read once, however often a plan is drawn; `take` looks at what it copies all the same.
  const seen = new Map<Digest, Copy>()
  let isThere = mayBeMissing

  /** A share that is not mounted would be an empty cache: all that is in it would be bought once more. Throws StorageError. */
  function refuseMissing(): undefined {
    if (isThere) return undefined
    const remedy = 'mount it, or fill it by a run without `--cache-read-only`'
    if (!disk.look(results)) throw new StorageError(folder, 'look at', 'no cache is there', { remedy })
    isThere = true
    return undefined
  }

  function look(file: SavedFile): Copy {
    const copy = seen.get(file.digest) ?? copyAt(disk, filePath(file.digest), file)
    seen.set(file.digest, copy)
    return copy
  }

  function findAt(recipe: Recipe, from: number): Cached | 'damaged' | undefined {
    const text = readIfThere(disk, resultPath(recipe, from))?.toString()
    if (text === undefined) return refuseMissing()
    const found = parseResult(text, recipe, from)
    const copies = found?.files.map(look) ?? ['damaged']
    if (copies.includes('damaged')) return 'damaged'
    if (!copies.includes('gone')) return found
    refuseNoFolder(disk, files)
    return undefined
  }

  /** Others find it, whoever put it in. */
  function isShared({ address, recipe, run, files: its }: DonePurchase): boolean {
    const found = ifReadable(() => findAt(placed(recipe, run?.origin), restStart(address)))
    return (
      typeof found === 'object' &&
      found.files.map(({ digest }) => digest).join() === its.map(({ digest }) => digest).join()
    )
  }

  async function take(file: SavedFile, to: string): Promise<boolean> {
    const from = filePath(file.digest)
    try {
      const copied = await copyToPart(from, to, disk)
      if (copied.digest === file.digest) return true
    } catch (error) {
      if (!(error instanceof StorageError) || error.path !== from) throw error
    }
    seen.set(file.digest, 'damaged')
    removeQuietly(disk, to)
    return false
  }

  async function putFile(file: SavedFile, from: string, isOwn: boolean): Promise<void> {
    if (ifReadable(() => look(file)) === 'whole') return
    const to = filePath(file.digest)
    if (isOwn && (await digestFile(disk, from)) === file.digest && linkNew(disk, from, to) === 'published')
      return void seen.set(file.digest, 'whole')
    const part = temporaryName(to, random)
    // The file may have been altered since it was made: nobody else shall get that.
    try {
      const { digest } = await copyToPart(from, part, disk)
      if (digest !== file.digest) throw new StorageError(from, 'read', 'it was altered since it was made')
      disk.rename(part, to)
    } catch (error) {
      removeQuietly(disk, part)
      throw error
    }
    seen.set(file.digest, 'whole')
  }

  /** What takes room and can be of no use to anybody. */
  function dropDamaged(): void {
    for (const [digest, copy] of seen) if (copy === 'damaged') removeQuietly(disk, filePath(digest))
  }

  return {
    find(recipe, from = 0) {
      const here = placed(recipe)
      const found = findAt(here, from)
      // What an older genrun put in has the name that the service had there.
      return found || here === recipe ? found : findAt(recipe, from)
    },
    take,
    // What was thrown away for want of room is not put in again and again.
    owes({ address, recipe, run, files: its }) {
      if (readOnly || options.maxBytes !== undefined) return false
      const paths = [
        resultPath(placed(recipe, run?.origin), restStart(address)),
        ...its.map(({ digest }) => filePath(digest)),
      ]
      return paths.some(path => isFree(disk, path))
    },
    async put(entry, placeOf, { isOwn = false } = {}) {
      if (readOnly) return undefined
      // Who may only read there has taken it from there: nothing is missing to others.
      let isHarmless = isShared(entry)
      try {
        const refuse = () => {
          for (const own of [results, files]) refuseForeign(disk, own)
        }
        refuse()
        const isMarked = disk.look(join(folder, cacheMark)) !== undefined
        const isNew = !isMarked && !holdsAnything(disk, results) && !holdsAnything(disk, files)
        await makeFolders(disk, results)
        await makeFolders(disk, files)
        // Somebody may have put a link in the place of one meanwhile.
        refuse()
        if (isNew) await markCache(disk, folder)
        for (const file of entry.files) {
          const place = placeOf(file)
          if (place === undefined) return undefined
          await putFile(file, place, isOwn)
        }
        const recipe = placed(entry.recipe, entry.run?.origin)
        const newest = resultPath(recipe, restStart(entry.address))
        await writeAtomically(disk, newest, resultText({ ...entry, recipe }), { random })
        isHarmless = false
        dropDamaged()
        if (options.maxBytes === undefined) return undefined
        refuse()
        refuseUnmarked(disk, folder)
        evict(options.maxBytes, { disk, results, files, newest })
        return undefined
      } catch (error) {
        if (!(error instanceof StorageError)) throw error
        return isHarmless ? undefined : error
      }
    },
  }
}

/** In every folder that genrun made a cache: in others nothing is thrown away, whatever its files are called. */
const cacheMark = '.genrun-cache'

async function markCache(disk: Disk, folder: string): Promise<void> {
  const path = join(folder, cacheMark)
  if (!disk.look(path)) await writeAtomically(disk, path, '')
}

/** Throws StorageError. */
function refuseUnmarked(disk: Disk, folder: string): void {
  if (disk.look(join(folder, cacheMark))?.is === 'file') return
  const says = `nothing in it is thrown away, as no genrun has made it: if it is a cache, make an empty file ${cacheMark} in it`
  throw new StorageError(folder, 'list', says)
}

function holdsAnything(disk: Disk, folder: string): boolean {
  return disk.look(folder) !== undefined && disk.list(folder).length > 0
}

/** `gone`: another process threw it away. */
type Copy = 'whole' | 'damaged' | 'gone'

/** Throws StorageError. */
function copyAt(disk: Disk, path: string, { digest, bytes }: SavedFile): Copy {
  const there = disk.look(path)
  if (!there) return 'gone'
  try {
    const isWhole = there.is === 'file' && there.bytes === bytes && digestFileNow(disk, path) === digest
    return isWhole ? 'whole' : 'damaged'
  } catch (error) {
    if (isStorageError(error, 'ENOENT')) return 'gone'
    throw error
  }
}

/** Below a file there is nothing to look at. Throws StorageError. */
function refuseNoFolder(disk: Disk, path: string): void {
  const is = disk.look(path)?.is
  if (is === 'file' || is === 'special') throw new StorageError(path, 'list', 'it is no folder', 'ENOTDIR')
}

/** Nothing is there; what cannot be looked at is left alone. */
function isFree(disk: Disk, path: string): boolean {
  try {
    return disk.look(path) === undefined
  } catch (error) {
    if (error instanceof StorageError) return false
    throw error
  }
}

function hexOf(digest: Digest): string {
  return digest.slice('sha256:'.length)
}
