import { createHash } from 'node:crypto'
import { dirname, join, relative, sep } from 'node:path'
import { type Digest, type PurchaseId, sha256Digest } from '../../base/names.ts'
import { outputName } from '../../base/output-name.ts'
import type { SavedFile } from '../../base/state.ts'
import { isClosed } from '../../disk/look.ts'
import { removeQuietly, writeSynced } from './atomic-write.ts'
import { digestFile } from './digest.ts'
import { type Disk, makeFolders, systemDisk, writeFully } from './disk.ts'
import { isSameFile, linkNew, type Published, publish } from './publish.ts'
import { findPlace, isInside, makePlace, ownFolder } from './safe-path.ts'
import type { Written } from './spool.ts'
import { keepFromGit, refuseForeign } from './state-folder.ts'
import { StorageError } from './storage-error.ts'

/**
 * The final name of a job's file, relative to the output folder: `stills/AS-101.png`, `hero-2.png`. `nth` counts from 0
 * among the `of` files that were asked for, or came if more did; one alone has no number. The extension is by the bytes.
 */
export function finalPath(
  output: string,
  nth: number,
  of: number,
  media: { readonly extension: string },
): string {
  return `${outputName(output, nth, of)}.${media.extension}`
}

/** Where what came and is no result lies, in the output folder: for everybody to see, and under no name of a job. */
const unusualFolder = 'unusual/'

/** The name of such a file, with its order's: `unusual/stills/AS-101@3f2a9c.tiff`. No two orders have one in common. */
export function unusualPath(path: string, purchase: PurchaseId): string {
  const dot = path.lastIndexOf('.')
  return `${unusualFolder}${path.slice(0, dot)}@${purchase.slice(0, 6)}${path.slice(dot)}`
}

export function isUnusualPath(path: string): boolean {
  return path.startsWith(unusualFolder)
}

/** Makes the output folder. Rejects with StorageError when it cannot be written to. */
export async function prepareOutputs(root: string, disk: Disk = systemDisk): Promise<void> {
  await makeFolders(disk, join(root, ownFolder))
  refuseForeign(disk, join(root, ownFolder))
  await keepFromGit(disk, join(root, ownFolder))
}

/**
 * Makes a spooled file the part that gets the final name: under a second name where the disk can, since nobody writes to
 * it any more, and as a synced copy elsewhere. `written`: what this process wrote there; what an earlier one did is read.
 * Rejects with StorageError.
 */
export async function spooledToPart(
  from: string,
  part: string,
  { disk = systemDisk, written }: { readonly disk?: Disk; readonly written?: Written | undefined } = {},
): Promise<Written> {
  if (linkAnew(disk, from, part) !== 'published') return copyToPart(from, part, disk)
  return written ?? { bytes: disk.look(part)?.bytes ?? 0, digest: await digestFile(disk, part) }
}

/** What an earlier attempt left there is ours, and makes way. */
function linkAnew(disk: Disk, from: string, part: string): Published | 'no-link' {
  const linked = linkNew(disk, from, part)
  if (linked !== 'taken') return linked
  disk.remove(part)
  return linkNew(disk, from, part)
}

/** Copies a file to where it gets its final name from, and syncs it. Rejects with StorageError. */
export async function copyToPart(from: string, part: string, disk: Disk = systemDisk): Promise<Written> {
  const hash = createHash('sha256')
  let bytes = 0
  // What an earlier attempt left there is ours, and may be cut.
  removeQuietly(disk, part)
  await writeSynced(disk, part, 0o644, async file => {
    for await (const piece of disk.readPieces(from)) {
      writeFully(disk, file, piece)
      hash.update(piece)
      bytes += piece.length
    }
  })
  return { bytes, digest: sha256Digest(hash.digest('hex')) }
}

interface Publication {
  /** The output folder. */
  readonly root: string
  /** The complete, synced and verified file. It has another name afterwards. */
  readonly part: string
  /** Its digest. */
  readonly digest: Digest
  /** Its final name, relative to the output folder. */
  readonly path: string
  /** Whether genrun made a file with this digest, by lock and journal. Only such files are moved out of the way. */
  readonly isOurs: (digest: Digest) => boolean
  /** The folder for paid files that were replaced. */
  readonly kept: string
  readonly disk?: Disk
}

type Publishing =
  /** `kept` is where the file that had the name lies now. */
  | { readonly got: 'published'; readonly kept?: string }
  /** Something that genrun did not make has the name; it was left alone, and so was the part. */
  | { readonly got: 'in-the-way'; readonly path: string }

/**
 * Gives a file its final name (docs/contract.md section 3). Doing it again after a crash at any point ends the same way.
 * Rejects with StorageError, also for names that lead out of the output folder.
 */
export async function publishOutput(publication: Publication): Promise<Publishing> {
  const { root, part, digest, path, isOurs, kept, disk = systemDisk } = publication
  const final = await makePlace(disk, root, path)
  if ((await publish(disk, part, final)) === 'published') return { got: 'published' }
  if (disk.look(final)?.is !== 'file') return { got: 'in-the-way', path: final }
  const there = await digestFile(disk, final)
  if (there === digest) {
    // A crash came after the link: the name may not be durable yet, and the part is all there is besides.
    await disk.syncFolder(dirname(final))
    disk.remove(part)
    return { got: 'published' }
  }
  if (!isOurs(there)) return { got: 'in-the-way', path: final }
  const where = await keep(disk, final, { kept, path, digest: there })
  const again = await publish(disk, part, final)
  return again === 'published' ? { got: 'published', kept: where } : { got: 'in-the-way', path: final }
}

/** Moves a saved file to `kept`, unless it is gone or was altered. Rejects with StorageError. */
export async function keepSaved(
  saved: SavedFile,
  { root, kept, disk }: { readonly root: string; readonly kept: string; readonly disk: Disk },
): Promise<void> {
  if ((await verifySaved(saved, root, disk)) !== 'same') return
  await keep(disk, await makePlace(disk, root, saved.path), { kept, path: saved.path, digest: saved.digest })
}

/** The name of a file among those that are kept: `stills/AS-101.5d41402abc4b2a76.png`. */
export function keptName({ path, digest }: Pick<SavedFile, 'path' | 'digest'>): string {
  const dot = path.lastIndexOf('.')
  return `${path.slice(0, dot)}.${shortDigest(digest)}${path.slice(dot)}`
}

/** Where a file that was put aside lies, byte for byte as it was saved; undefined when it does not. Throws StorageError. */
export function findKept(saved: SavedFile, kept: string, disk: Disk): string | undefined {
  return keptFinder(kept, disk)(saved)
}

/** The same for many files. They are looked for under the names that they have now, and then under those they had. */
export function keptFinder(kept: string, disk: Disk): (saved: SavedFile) => string | undefined {
  let byDigest: Map<string, string[]> | undefined
  return saved => {
    if (disk.look(kept)?.is !== 'folder') return undefined
    const named = { ...saved, path: keptName(saved) }
    if (findSaved(named, kept, disk) === 'same') return findPlace(disk, kept, named.path)
    byDigest ??= namesByDigest(kept, disk)
    const others = byDigest.get(shortDigest(saved.digest)) ?? []
    return others.find(path => disk.look(path)?.bytes === saved.bytes)
  }
}

/**
 * Every copy of a file among those that are kept, by its name there: a job that was renamed in between has its file under the names
 * of then and now.
 */
export function keptCopies(kept: string, disk: Disk): (saved: SavedFile) => readonly string[] {
  const byDigest = disk.look(kept)?.is === 'folder' ? namesByDigest(kept, disk) : undefined
  return ({ digest }) =>
    byDigest?.get(shortDigest(digest))?.map(path => relative(kept, path).split(sep).join('/')) ?? []
}

/**
 * Has the names of all that is kept on the medium. A process that was killed right behind a move left one that only the next
 * sync of its folder makes last, and the name that it had before may be gone by now. A disk that cannot do it fails whoever
 * writes next, and is told then.
 */
export async function syncKept(kept: string, disk: Disk): Promise<void> {
  try {
    if (disk.look(kept)?.is !== 'folder') return
    for (const name of disk.list(kept)) await syncKept(join(kept, name), disk)
    await disk.syncFolder(kept)
  } catch (error) {
    if (!(error instanceof StorageError)) throw error
  }
}

function namesByDigest(
  folder: string,
  disk: Disk,
  found = new Map<string, string[]>(),
): Map<string, string[]> {
  for (const name of disk.list(folder)) {
    const path = join(folder, name)
    if (disk.look(path)?.is === 'folder') namesByDigest(path, disk, found)
    const [, short] = /\.([0-9a-f]{16})\.[^.]+$/.exec(name) ?? []
    if (short !== undefined) found.set(short, [...(found.get(short) ?? []), path])
  }
  return found
}

function shortDigest(digest: Digest): string {
  return digest.slice('sha256:'.length).slice(0, 16)
}

/** Gives a file its place among those that are kept. Rejects with StorageError. */
export async function keepPart(
  part: string,
  saved: Pick<SavedFile, 'path' | 'digest'>,
  kept: string,
  disk: Disk,
): Promise<void> {
  await keep(disk, part, { kept, path: saved.path, digest: saved.digest })
}

/** Moves a paid file out of the way. */
async function keep(
  disk: Disk,
  file: string,
  to: { kept: string; path: string; digest: Digest },
): Promise<string> {
  await makeFolders(disk, to.kept, 0o700)
  const place = await makePlace(disk, to.kept, keptName(to))
  const moved: Published = await publish(disk, file, place)
  if (moved === 'published') {
    // What still has the old name would be taken for a stranger's; another file may have it by now, and keeps it.
    if (isSameFile(disk, file, place) || (await isFile(file, to.digest, disk))) disk.remove(file)
    return place
  }
  // The same file was kept before.
  if ((await digestFile(disk, place)) !== to.digest) {
    throw new StorageError(place, 'link', 'another file is there already', 'EEXIST')
  }
  await disk.syncFolder(dirname(place))
  disk.remove(file)
  return place
}

async function isFile(path: string, digest: Digest, disk: Disk): Promise<boolean> {
  return disk.look(path)?.is === 'file' && (await digestFile(disk, path)) === digest
}

/** How a file that genrun saved is found on disk. */
export type Found = 'same' | 'missing' | 'altered'

/** Looks at name and size only: for plans. */
export function findSaved(saved: SavedFile, root: string, disk: Disk = systemDisk): Found {
  return foundAt(placeOf(saved, root, disk), saved, disk)
}

/**
 * The same for many files. A folder is walked down to once for all of its files that stand behind each other, and anew as soon as
 * anything else could have happened in between: it is forgotten when the caller waits. `closed` hears of those that are the same as far
 * as is seen, and may not be read.
 */
export function savedFinder(root: string, disk: Disk, closed?: Set<string>): (saved: SavedFile) => Found {
  let here: { readonly folder: string; readonly place: string } | undefined
  return saved => {
    const name = saved.path.lastIndexOf('/') + 1
    const folder = saved.path.slice(0, name)
    if (here?.folder === folder && isInside(saved.path))
      return foundAt(`${here.place}${sep}${saved.path.slice(name)}`, saved, disk, closed)
    const place = placeOf(saved, root, disk)
    if (place !== undefined) {
      if (!here) queueMicrotask(() => (here = undefined))
      here = { folder, place: dirname(place) }
    }
    return foundAt(place, saved, disk, closed)
  }
}

function foundAt(place: string | undefined, saved: SavedFile, disk: Disk, closed?: Set<string>): Found {
  const seen = place === undefined ? undefined : disk.look(place)
  if (!seen || place === undefined) return 'missing'
  if (seen.is !== 'file' || seen.bytes !== saved.bytes) return 'altered'
  const { owner: uid, mode } = seen
  if (closed && uid !== undefined && mode !== undefined && isClosed(place, { uid, mode }))
    closed.add(saved.path)
  return 'same'
}

/** Reads the file. Rejects with StorageError when it cannot be read. */
export async function verifySaved(saved: SavedFile, root: string, disk: Disk = systemDisk): Promise<Found> {
  const found = findSaved(saved, root, disk)
  const place = placeOf(saved, root, disk)
  if (found !== 'same' || place === undefined) return found
  return (await digestFile(disk, place)) === saved.digest ? 'same' : 'altered'
}

/** Undefined when nothing of ours can be there. */
function placeOf(saved: SavedFile, root: string, disk: Disk): string | undefined {
  try {
    return findPlace(disk, root, saved.path)
  } catch (error) {
    // A link or a file where a folder was. A folder that may not be read is another matter.
    const isGone = error instanceof StorageError && (error.code === undefined || error.code === 'ENOTDIR')
    if (isGone) return undefined
    throw error
  }
}
