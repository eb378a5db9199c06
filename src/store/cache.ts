import { join } from 'node:path'
import type { Digest, Json } from '../base/names.ts'
import { type Random, systemRandom } from '../base/random.ts'
import type { LockEntry, Recipe, RunRef, SavedFile } from '../base/state.ts'
import { canonicalJson, digestFile, digestOf } from './digest.ts'
import { type Disk, makeFolders, systemDisk } from './disk.ts'
import { readEntry } from './lock-entry.ts'
import { copyFile } from './publish.ts'
import { isTrouble, StorageTrouble } from './trouble.ts'
import { removeQuietly, temporaryName, writeWhole } from './whole.ts'

export interface CacheOptions {
  /** Absolute. */
  readonly folder: string
  /** Nothing is put in, touched or thrown away. */
  readonly readOnly?: boolean
  /** The largest size of all files together; what was used least lately goes first. */
  readonly maxBytes?: number
  readonly disk?: Disk
  readonly random?: Random
}

/** A result as the cache has it: where it lay elsewhere means nothing here. */
export interface Cached {
  readonly files: readonly SavedFile[]
  readonly run?: RunRef
}

/**
 * Results by recipe, shared between checkouts: whoever has the same recipe restores instead of buying. Anyone may write
 * to the folder, so nothing is believed: entries are checked like a lock's, files by their digests when they are taken out.
 */
export interface Cache {
  /** Whether a result is there by name and size. What is damaged is dropped, and counts as not there. */
  find(recipe: Recipe): Cached | undefined
  /**
   * Whether the copies are what they should be, byte by byte. A result of which one is not counts as not there from now
   * on, also where nothing may be thrown away.
   */
  check(cached: Pick<Cached, 'files'>): Promise<boolean>
  /** Copies one file out, verified; false when it turned out to be damaged, which drops it. Rejects with StorageTrouble. */
  take(file: SavedFile, to: string): Promise<boolean>
  /** Puts a result in. Trouble is told and harmless: a cache is never required. */
  put(entry: LockEntry, placeOf: (file: SavedFile) => string | undefined): Promise<StorageTrouble | undefined>
}

export function openCache(options: CacheOptions): Cache {
  const { folder, readOnly = false, disk = systemDisk, random = systemRandom } = options
  const results = join(folder, 'results')
  const files = join(folder, 'files')
  const resultPath = (recipe: Recipe) => join(results, `${hexOf(recipeKey(recipe))}.json`)
  const filePath = (digest: Digest) => join(files, hexOf(digest))

  // What was seen to be damaged by this process: who may not write cannot throw it away.
  const damaged = new Set<Digest>()

  function drop(path: string): void {
    if (!readOnly) removeQuietly(disk, path)
  }

  function find(recipe: Recipe): Cached | undefined {
    const path = resultPath(recipe)
    const text = readText(disk, path)
    if (text === undefined) return undefined
    const found = parseResult(text, recipe)
    const isWhole = found?.files.every(file => {
      if (damaged.has(file.digest)) return false
      const seen = disk.look(filePath(file.digest))
      return seen?.is === 'file' && seen.bytes === file.bytes
    })
    if (found && isWhole) return found
    drop(path)
    return undefined
  }

  async function isSound({ digest }: SavedFile): Promise<boolean> {
    try {
      return (await digestFile(disk, filePath(digest))) === digest
    } catch (error) {
      if (error instanceof StorageTrouble) return false
      throw error
    }
  }

  async function check(cached: Pick<Cached, 'files'>): Promise<boolean> {
    let isWhole = true
    for (const file of cached.files) {
      if (await isSound(file)) continue
      isWhole = false
      damaged.add(file.digest)
      drop(filePath(file.digest))
    }
    return isWhole
  }

  async function take(file: SavedFile, to: string): Promise<boolean> {
    const from = filePath(file.digest)
    removeQuietly(disk, to)
    try {
      await copyFile(disk, from, to)
    } catch (error) {
      if (isTrouble(error, 'ENOENT')) return false
      throw error
    }
    if ((await digestFile(disk, to)) === file.digest) return true
    removeQuietly(disk, to)
    drop(from)
    return false
  }

  async function putFile(file: SavedFile, from: string): Promise<void> {
    const to = filePath(file.digest)
    const seen = disk.look(to)
    if (seen?.is === 'file' && seen.bytes === file.bytes) return
    const part = temporaryName(to, random)
    await copyFile(disk, from, part)
    // The file may have been altered since it was made: nobody else shall get that.
    if ((await digestFile(disk, part)) !== file.digest) {
      removeQuietly(disk, part)
      throw new StorageTrouble(from, 'read', 'it was altered since it was made')
    }
    disk.rename(part, to)
  }

  return {
    find,
    check,
    take,
    async put(entry, placeOf) {
      if (readOnly) return undefined
      try {
        await makeFolders(disk, results)
        await makeFolders(disk, files)
        for (const file of entry.files) {
          const place = placeOf(file)
          if (place === undefined) return undefined
          await putFile(file, place)
        }
        await writeWhole(disk, resultPath(entry.recipe), `${resultText(entry)}\n`, { random })
        evict(options.maxBytes, { disk, results, files, newest: resultPath(entry.recipe) })
        return undefined
      } catch (error) {
        if (error instanceof StorageTrouble) return error
        throw error
      }
    },
  }
}

/** What tells two results apart: a spelled-out default is the default, and how a recipe came about counts for nothing. */
export function recipeKey({ model, params, defaults, inputs, take, version }: Recipe): Digest {
  return digestOf({
    version,
    model,
    params: { ...defaults, ...params },
    inputs: { ...inputs } as Json,
    take,
  } as Json)
}

function hexOf(digest: Digest): string {
  return digest.slice('sha256:'.length)
}

function resultText({ address, recipe, files, run }: LockEntry): string {
  const line = { address, state: 'done', recipe, files, ...(run && { run }) }
  return canonicalJson(line as unknown as Json) // lock entries are JSON throughout
}

/** Checked like any line of a lock; a result that was put under a wrong name is none. */
function parseResult(text: string, recipe: Recipe): Cached | undefined {
  let value: unknown
  try {
    value = JSON.parse(text)
  } catch {
    return undefined
  }
  const entry = readEntry(value)
  if (typeof entry === 'string' || entry.state !== 'done' || entry.files.length === 0) return undefined
  if (recipeKey(entry.recipe) !== recipeKey(recipe)) return undefined
  return { files: entry.files, ...(entry.run && { run: entry.run }) }
}

function readText(disk: Disk, path: string): string | undefined {
  try {
    return Buffer.from(disk.readAll(path)).toString()
  } catch (error) {
    // A cache that cannot be read is like one that has nothing.
    if (error instanceof StorageTrouble) return undefined
    throw error
  }
}

interface Shelves {
  readonly disk: Disk
  readonly results: string
  readonly files: string
  /** What was put in now stays, whatever the limit. */
  readonly newest: string
}

/** Throws results away until the files of the others fit; the order is that of their names' last change. */
function evict(maxBytes: number | undefined, { disk, results, files, newest }: Shelves): void {
  if (maxBytes === undefined) return
  const sizes = new Map(disk.list(files).map(name => [name, disk.look(join(files, name))?.bytes ?? 0]))
  let total = [...sizes.values()].reduce((sum, bytes) => sum + bytes, 0)
  if (total <= maxBytes) return
  const shelf = disk
    .list(results)
    .map(name => join(results, name))
    .map(path => ({ path, used: usedFiles(disk, path), at: disk.look(path)?.changed ?? 0 }))
    .toSorted((a, b) => a.at - b.at)
  const kept = new Map<string, number>()
  for (const { used } of shelf) for (const name of used) kept.set(name, (kept.get(name) ?? 0) + 1)
  for (const { path, used } of shelf) {
    if (total <= maxBytes || path === newest) continue
    removeQuietly(disk, path)
    for (const name of used) {
      const left = (kept.get(name) ?? 1) - 1
      kept.set(name, left)
      if (left > 0) continue
      removeQuietly(disk, join(files, name))
      total -= sizes.get(name) ?? 0
    }
  }
  // Files of results that are gone: a crash between the two left them.
  for (const [name, bytes] of sizes) {
    if (total <= maxBytes || kept.has(name)) continue
    removeQuietly(disk, join(files, name))
    total -= bytes
  }
}

function usedFiles(disk: Disk, path: string): string[] {
  const text = readText(disk, path) ?? ''
  return [...text.matchAll(/"digest":"sha256:([0-9a-f]{64})"/g)].map(match => match[1] ?? '')
}
