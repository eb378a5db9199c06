import { extname, join, resolve } from 'node:path'
import { type Diagnostic, error } from '../base/diagnostic.ts'
import type { Failure } from '../base/failure.ts'
import { type Digest, type PurchaseId, sha256Digest } from '../base/names.ts'
import { foldPath } from '../base/output-name.ts'
import { type DonePurchase, type Purchase, writtenFiles } from '../base/purchase.ts'
import type { SavedFile } from '../base/state.ts'
import type { Job, Manifest } from '../manifest/shapes/job.ts'
import { isSendable } from '../media/sniff.ts'
import type { Facts, Standing } from '../plan/facts.ts'
import { askedOf, nameOfFile } from '../plan/shapes/share.ts'
import { digestFileNow } from '../store/files/digest.ts'
import type { Disk } from '../store/files/disk.ts'
import { type Found, keptFinder, savedFinder } from '../store/files/outputs.ts'
import { findPlace } from '../store/files/safe-path.ts'
import { StorageError } from '../store/files/storage-error.ts'
import { inputRoot, type ProjectPlace } from '../workspace/read/place.ts'
import { type AllSpoken, spokenBy } from '../workspace/service/named.ts'
import type { PlanOptions } from '../workspace/workspace.ts'
import { readInput } from './read-input.ts'

/** The local inputs of a manifest, digested, and what is wrong with them. */
export interface Inputs {
  readonly digests: ReadonlyMap<string, Digest>
  readonly problems: readonly Diagnostic[]
}

/** What does not fit into a request of one service may fit into that of another. */
export function digestInputs(
  manifest: Manifest,
  place: ProjectPlace,
  disk: Disk,
  { mayLackInputs, ...spoken }: AllSpoken & Pick<PlanOptions, 'mayLackInputs'>,
): Inputs {
  const digests = new Map<string, Digest>()
  const sizes = new Map<string, number>()
  const told = new Set<string>()
  const problems: Diagnostic[] = []
  const isFirst = (what: string) => !told.has(what) && told.add(what)
  for (const job of manifest.jobs) {
    const { request, upload } = spokenBy(spoken, job.service).profile
    const { upTo } = request.files
    for (const [at, refs] of Object.entries(job.files)) {
      for (const ref of refs) {
        if (ref.from !== 'path') continue
        const { path } = ref
        if (!sizes.has(path)) {
          const read = readInput(disk, resolve(place.folder, path), path, inputRoot(place))
          if ('why' in read && mayLackInputs && disk.look(resolve(place.folder, path)) === undefined) {
            digests.set(path, lacking)
            continue
          }
          if ('why' in read) {
            problems.push(unreadable(job, at, path, read))
            continue
          }
          digests.set(path, read.digest)
          sizes.set(path, read.bytes.length)
        }
        const bytes = sizes.get(path) ?? 0
        const isTooLarge = !upload && bytes > upTo
        if (isTooLarge && isFirst(`${job.service ?? ''} ${path}`))
          problems.push(tooLarge(job, at, { path, bytes, upTo }))
      }
    }
  }
  return { digests, problems }
}

/** Of a file that is not there: no contents are known that have it. */
const lacking = sha256Digest('0'.repeat(64))

function unreadable(job: Job, at: string, path: string, failure: Failure): Diagnostic {
  const detail = 'detail' in failure ? failure.detail : ''
  return error(
    'unreadable-input',
    job.written.locate(at.split('/').slice(1)),
    `${path} cannot be read: ${detail}`,
  )
}

interface LargeInput {
  readonly path: string
  readonly bytes: number
  readonly upTo: number
}

function tooLarge(job: Job, at: string, { path, bytes, upTo }: LargeInput): Diagnostic {
  const fits =
    upTo === 0
      ? 'the profile sends no file inside a request'
      : `at most ${mebibytes(upTo)} fit into a request`
  return error(
    'input-too-large',
    job.written.locate(at.split('/').slice(1)),
    `${path} has ${mebibytes(bytes)}, and ${fits}`,
    'make it smaller, give a link to it, or name a place for uploads in a profile: `upload: { url: … }`',
  )
}

/** `12.5 MiB`, `10 MiB`. */
function mebibytes(bytes: number): string {
  return `${(bytes / 1024 / 1024).toFixed(1).replace(/\.0$/, '')} MiB`
}

/** Where files of this project lie. */
interface RecordedFiles {
  readonly output: string
  /** The folder for paid files that nobody asks for now. */
  readonly kept: string
  readonly disk: Disk
  /** Hears of results that may not be read, by their paths. */
  readonly closed?: Set<string>
}

export function factsOf(purchases: readonly Purchase[], inputs: Inputs, recordedFiles: RecordedFiles): Facts {
  const lies = locator(purchases, recordedFiles)
  return {
    purchases,
    inputs: inputs.digests,
    standing: standingFinder(lies),
    readAltered: alteredReader(lies, recordedFiles),
    isSendable,
  }
}

/** How a file of a result lies on disk: under its name, put aside, where the job wants it, altered or gone. */
type Lies = (file: SavedFile, entry: DonePurchase, wanted: string) => Found | 'aside' | 'wanted'

/** Where two results have had one name, only the bytes tell whose it is now. */
function locator(purchases: readonly Purchase[], { output, kept, disk, closed }: RecordedFiles): Lies {
  const owners = new Map<string, number>()
  for (const purchase of purchases) {
    if (purchase.is !== 'done') continue
    for (const name of new Set(purchase.files.map(({ path }) => foldPath(path))))
      owners.set(name, (owners.get(name) ?? 0) + 1)
  }
  const ownersOf = ({ path }: SavedFile) => owners.get(foldPath(path)) ?? 0
  const find = savedFinder(output, disk, closed)
  const inKept = keptFinder(kept, disk)
  const isAnother = otherResults(purchases, output, disk)
  const isOwn = (file: SavedFile) =>
    ownersOf(file) < 2 || digestFileNow(disk, join(output, file.path)) === file.digest
  // A lock of before a rename came back: it has the old name, and the file the new one.
  const isWhereWanted = (file: SavedFile, path: string) =>
    path !== file.path &&
    ownersOf({ ...file, path }) === 0 &&
    find({ ...file, path }) === 'same' &&
    digestFileNow(disk, join(output, path)) === file.digest
  return (file, entry, wanted) => {
    const found = entry.aside ? 'missing' : find(file)
    // What is to move is read before where it could be another one by its size.
    const isItself = () => isOwn(file) && (file.path === wanted || !isAnother(file))
    if (found === 'same' && isItself()) return 'same'
    // What a hand has altered is left as it is, whatever copies there are of what it was.
    const isForeign = found !== 'missing' && isAnother(file)
    if (found !== 'missing' && !isForeign && file.path === wanted) return 'altered'
    if (inKept(file) !== undefined) return 'aside'
    // Not put aside as far as anybody knows, and there after all: what the records say came from elsewhere.
    if (entry.aside && find(file) === 'same' && isOwn(file)) return 'same'
    // Another result has the name by now: then this one is gone from there, and nobody altered it.
    const seen = isForeign || (found !== 'missing' && ownersOf(file) > 1) ? 'missing' : found
    return seen === 'missing' && isWhereWanted(file, wanted) ? 'wanted' : seen
  }
}

/**
 * Whether the bytes under the name of a file are those of another result: of a swap of names that was cut short, or of a lock
 * that is older than the files. Only a file of a size that is known to be another's is read.
 */
function otherResults(
  purchases: readonly Purchase[],
  output: string,
  disk: Disk,
): (file: SavedFile) => boolean {
  let bySize: ReadonlyMap<number, ReadonlySet<Digest>> | undefined
  return file => {
    const place = findPlace(disk, output, file.path)
    const seen = place === undefined ? undefined : disk.look(place)
    bySize ??= digestsBySize(purchases)
    const known = seen?.is === 'file' ? bySize.get(seen.bytes) : undefined
    if (place === undefined || !known || [...known].every(digest => digest === file.digest)) return false
    const there = digestFileNow(disk, place)
    return there !== file.digest && known.has(there)
  }
}

function digestsBySize(purchases: readonly Purchase[]): Map<number, Set<Digest>> {
  const bySize = new Map<number, Set<Digest>>()
  for (const purchase of purchases)
    for (const { bytes, digest } of writtenFiles(purchase))
      bySize.set(bytes, (bySize.get(bytes) ?? new Set()).add(digest))
  return bySize
}

/** Which files of a result lie under their names and are not what was made: they are read. */
export function alteredFinder(
  purchases: readonly Purchase[],
  recordedFiles: RecordedFiles,
): (of: PurchaseId) => readonly string[] {
  const { output, disk } = recordedFiles
  const lies = locator(purchases, recordedFiles)
  const isAltered = (file: SavedFile, entry: DonePurchase) => {
    try {
      const found = lies(file, entry, file.path)
      if (found !== 'same') return found === 'altered'
      const place = findPlace(disk, output, file.path)
      return place !== undefined && digestFileNow(disk, place) !== file.digest
    } catch (trouble) {
      if (!(trouble instanceof StorageError)) throw trouble
      return true
    }
  }
  return of => {
    const entry = purchases.find(({ id }) => id === of)
    if (entry?.is !== 'done') return []
    return entry.files.filter(file => isAltered(file, entry)).map(({ path }) => path)
  }
}

/** Each result is read once, whatever many jobs are made from it. */
function alteredReader(lies: Lies, { output, kept, disk }: RecordedFiles): NonNullable<Facts['readAltered']> {
  const read = new Map<PurchaseId, readonly string[]>()
  const inKept = keptFinder(kept, disk)
  const placeOf = (file: SavedFile, entry: DonePurchase, wanted: string) => {
    switch (lies(file, entry, wanted)) {
      case 'same':
        return findPlace(disk, output, file.path)
      case 'wanted':
        return findPlace(disk, output, wanted)
      case 'aside':
        return inKept(file)
      case 'altered':
      case 'missing':
        return undefined
    }
  }
  const isWhole = (file: SavedFile, entry: DonePurchase, wanted: string) => {
    try {
      const place = placeOf(file, entry, wanted)
      return place !== undefined && digestFileNow(disk, place) === file.digest
    } catch (trouble) {
      if (!(trouble instanceof StorageError)) throw trouble
      return false
    }
  }
  return (entry, job) => {
    const known = read.get(entry.id)
    if (known) return known
    const altered = entry.files.filter((file, nth) => !isWhole(file, entry, wantedPath(job, entry, nth)))
    const paths = altered.map(({ path }) => path)
    read.set(entry.id, paths)
    return paths
  }
}

/**
 * A plan asks more than once, as it goes through its jobs until it has learnt all that there is. What was seen is forgotten when the caller
 * waits: it may lie elsewhere by then.
 */
function standingFinder(lies: Lies): Facts['standing'] {
  const known = new Map<DonePurchase, { readonly wanted: string; readonly standing: Standing }>()
  return (entry, job) => {
    const wanted = entry.files.map((_, nth) => wantedPath(job, entry, nth))
    const asked = askedOf(job)
    const key = [asked, ...wanted].join('\n')
    const last = known.get(entry)
    if (last?.wanted === key) return last.standing
    const standing = standingOf(entry, wanted, { lies, asked })
    if (known.size === 0) queueMicrotask(() => known.clear())
    known.set(entry, { wanted: key, standing })
    return standing
  }
}

function standingOf(
  entry: DonePurchase,
  wanted: readonly string[],
  { lies, asked }: { readonly lies: Lies; readonly asked: number },
): Standing {
  const found = entry.files.map((file, nth) => {
    const to = wanted[nth] ?? file.path
    return { path: file.path, is: lies(file, entry, to), isInPlace: file.path === to }
  })
  const missing = found.filter(({ is }) => is === 'missing')
  if (missing.length === 0) return standingThere(found)
  const paths = missing.map(({ path }) => path)
  const isBeyond = found.slice(0, asked).every(({ is }) => is !== 'missing')
  return { is: 'missing', paths, ...(isBeyond && { asked: standingThere(found.slice(0, asked)) }) }
}

/** Of files of which none is missing. */
function standingThere(
  found: readonly { readonly path: string; readonly is: ReturnType<Lies>; readonly isInPlace: boolean }[],
): Exclude<Standing, { is: 'missing' }> {
  const paths = found.flatMap(({ is, path }) => (is === 'altered' ? [path] : []))
  if (paths.length > 0) return { is: 'altered', paths }
  return found.every(({ is, isInPlace }) => is === 'same' && isInPlace)
    ? { is: 'whole' }
    : { is: 'elsewhere' }
}

/** Where a locked file of a job belongs by the manifest as it is now. */
export function wantedPath(job: Job, entry: Pick<DonePurchase, 'files'>, nth: number): string {
  const extension = extname(entry.files[nth]?.path ?? '').slice(1)
  return `${nameOfFile(job, nth, entry.files.length)}.${extension}`
}
