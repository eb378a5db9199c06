import { join } from 'node:path'
import { type Diagnostic, error } from '../base/diagnostic.ts'
import type { Digest, JobAddress, PurchaseId } from '../base/names.ts'
import { foldPath } from '../base/output-name.ts'
import { type DonePurchase, type Purchase, writtenFiles } from '../base/purchase.ts'
import type { SavedFile } from '../base/state.ts'
import { outputKind } from '../catalog/index.ts'
import type { Job } from '../manifest/shapes/job.ts'
import { typesOf } from '../media/other-kinds.ts'
import { firstTake } from '../plan/picks.ts'
import type { PlannedJobs } from '../plan/request/planned.ts'
import { nameOfFile } from '../plan/shapes/share.ts'
import { isJobStep, type Step } from '../plan/shapes/step.ts'
import { digestFileNow } from '../store/files/digest.ts'
import type { Disk } from '../store/files/disk.ts'
import { findSaved } from '../store/files/outputs.ts'
import { StorageError } from '../store/files/storage-error.ts'
import { wantedPath } from './facts.ts'

/** What of a plan decides which names its files will have. */
export type Naming = Pick<PlannedJobs, 'plan' | 'jobs' | 'afterPicks'>

/** Where to look, and what is known to be ours. `output` is absolute. */
interface RecordedFiles {
  readonly output: string
  readonly purchases: readonly Purchase[]
  readonly disk: Disk
  /** What to do about a file that the records do not know, where the output folder itself does. */
  readonly remedyFor?: (path: string) => Remedy | undefined
  /** What another manifest has there, whatever the records say. */
  readonly othersAt?: (path: string) => { readonly digest: Digest; readonly manifest: string } | undefined
  /** What to do about any other. */
  readonly away?: string
}

/** Of a file that the output folder knows. */
export interface Remedy {
  readonly why: string
  readonly hint: string
}

/** Whose a name is, by what is recorded; what was put aside had it once. */
interface Owner {
  readonly id: PurchaseId
  readonly address: JobAddress
  readonly file: SavedFile
  readonly isAside: boolean
}

/** Files of one job on their way to names that they do not have yet. */
interface Placing {
  readonly job: Job
  readonly paths: readonly string[]
  /** What is moved there, in the order of `paths`; nothing is known yet of what is still to be made. */
  readonly files?: readonly SavedFile[]
  /** A file of ours makes room when its job has another place for it. */
  readonly makesRoom: (owner: Owner) => boolean
  /**
   * What has the name is read, as a file of the same length may be altered: nothing would be moved any more when that is noticed. Not for
   * what is bought, as that may be ten thousand films: each is read before its order (`results/replaced.ts` of the run).
   */
  readonly isRead?: true
}

/**
 * Files under names that a plan gives to others: what it buys, what it moves, and what the takes that `redo` orders
 * will be called once they are picked.
 */
export function takenNames(naming: Naming, recordedFiles: RecordedFiles): Diagnostic[] {
  const { output, purchases, disk, remedyFor, othersAt, away } = recordedFiles
  const owners = new Map<string, Owner[]>()
  for (const { id, address, files, aside } of doneAmong(purchases))
    for (const file of files) {
      const owner = { id, address, file, isAside: aside === true }
      owners.set(file.path, [...(owners.get(file.path) ?? []), owner])
    }
  const isThere = ({ file }: Owner) => findSaved(file, output, disk) === 'same'
  const isOurs = (path: string) => {
    const place = join(output, path)
    const seen = disk.look(place)
    const alike = purchases.flatMap(writtenFiles).filter(({ bytes }) => bytes === seen?.bytes)
    if (seen?.is !== 'file' || alike.length === 0) return false
    const digest = digestFileNow(disk, place)
    return alike.some(file => file.digest === digest)
  }
  const byRight = (known: readonly Owner[]) => known.toSorted((a, b) => Number(a.isAside) - Number(b.isAside))
  const inTheWayOf = ({ job, paths, files, makesRoom, isRead }: Placing) =>
    paths.flatMap((path, nth) => {
      if (!disk.look(join(output, path))) return []
      // After a crash in the middle of a move it is there under both names.
      const coming = files?.[nth]
      const known = owners.get(path)
      const isAsLong = coming && findSaved({ ...coming, path }, output, disk) === 'same'
      if (isAsLong && digestFileNow(disk, join(output, path)) === coming.digest) return []
      // A name that changed hands stands in the lines of both.
      const owner = byRight(known ?? []).find(isThere)
      // A crash in the middle of a move leaves results under names that no record gives them: they make room.
      if (!owner && isOurs(path)) return []
      if (!known) {
        const remedy = remedyFor?.(path)
        const { why = 'genrun did not make it', hint = away } = remedy ?? {}
        return [inTheWay(job, `${path} is there already, and ${why}`, hint)]
      }
      const theirs = owner && othersAt?.(path)
      if (owner && theirs?.digest === owner.file.digest)
        return [inTheWay(job, `${path} is there already, and ${ofOther(theirs.manifest)}`, otherOutput)]
      if (owner && !makesRoom(owner)) return [inTheWay(job, `${path} is the result of ${owner.address}`)]
      if (owner && (!isRead || isOurs(path))) return []
      return [inTheWay(job, `${path} was altered since genrun made it`, putBack)]
    })
  const problems: Diagnostic[] = []
  // One at a time: there may be a hundred thousand, and hardly any is in the way.
  for (const placing of placingsOf(naming, recordedFiles)) problems.push(...inTheWayOf(placing))
  return problems
}

function doneAmong(purchases: readonly Purchase[]): DonePurchase[] {
  return purchases.flatMap(each => (each.is === 'done' ? [each] : []))
}

function inTheWay(
  job: Job,
  message: string,
  hint = 'move it away, or give the job another `output`',
): Diagnostic {
  return error('file-in-the-way', job.written.locate(['output'], 'value'), message, hint)
}

export function ofOther(manifest: string): string {
  return `it is a result of ${manifest}`
}

export const otherOutput = 'give the job, or the manifest, another `output`'

const putBack = 'put back the file that was made, or move this one away, or give the job another `output`'

function* placingsOf(
  { plan, jobs, afterPicks }: Naming,
  { output, purchases, disk }: RecordedFiles,
): Generator<Placing, undefined> {
  const placed = doneAmong(purchases).filter(({ aside }) => !aside)
  const made = new Map(placed.map(entry => [entry.address, entry]))
  const isTaken = namesIn(output, disk)
  const moved = plan.steps.filter((step): step is Step & { do: 'adopt' } => step.do === 'adopt')
  const leaving = new Set(moved.map(({ from }) => from))
  // Everything else that is in the way is what nobody asks for now: it is put aside.
  const kept = new Set(plan.steps.flatMap(step => (step.do === 'keep' ? [step.entry.id] : [])))
  const outputs = new Map(afterPicks.length === 0 ? [] : jobs.map(job => [job.address, job.output]))
  const renamed = afterPicks.filter(job => job.output !== outputs.get(job.address))
  const making = new Set(renamed.map(({ address }) => address))
  const isPlanned = plannedOrGone(plan.steps, jobs)
  for (const step of plan.steps) {
    if (step.do !== 'buy') continue
    const { job } = step
    const first = firstTake(job.address)
    // Takes of one job have their names by what is picked, whichever of them are selected.
    const makesRoom = ({ address }: Owner) => firstTake(address) === first || isPlanned(address)
    yield { job, paths: possiblePaths(job, isTaken), makesRoom }
  }
  for (const { job, entry } of moved) {
    const paths = entry.files.map((_, nth) => wantedPath(job, entry, nth))
    const makesRoom = ({ id, address }: Owner) => leaving.has(address) || !kept.has(id)
    yield { job, paths, files: entry.files, makesRoom, isRead: true }
  }
  for (const job of renamed) {
    const entry = made.get(job.address)
    const paths = entry?.files.map((_, nth) => wantedPath(job, entry, nth)) ?? possiblePaths(job, isTaken)
    const first = firstTake(job.address)
    // What leaves before anything is picked: by the plan, or because nobody asks for it any more, as for a take that was picked
    // before the job's words were others.
    const isLeaving = ({ id, address }: Owner) =>
      leaving.has(address) || firstTake(address) === first || (isPlanned(address) && !kept.has(id))
    const makesRoom = (owner: Owner) => making.has(owner.address) || isLeaving(owner)
    yield { job, paths, ...(entry && { files: entry.files }), makesRoom, isRead: true }
  }
  return undefined
}

/** A job that the plan says nothing about, because it was not selected, keeps what it has. */
function plannedOrGone(steps: readonly Step[], jobs: readonly Job[]): (owner: JobAddress) => boolean {
  let known: { readonly planned: ReadonlySet<JobAddress>; readonly live: ReadonlySet<JobAddress> } | undefined
  // Where nobody is in the way, nobody asks.
  const all = () =>
    (known ??= {
      planned: new Set(steps.map(step => (isJobStep(step) ? step.job.address : step.address))),
      live: new Set(jobs.map(job => job.address)),
    })
  return owner => all().planned.has(owner) || !all().live.has(owner)
}

/** Every file of a job that may be in somebody's way: the extension is only known by the bytes that come. */
function possiblePaths(job: Job, isTaken: (name: string) => boolean): string[] {
  const { model, count } = job
  const names = Array.from({ length: count }, (_, nth) => nameOfFile(job, nth, count)).filter(isTaken)
  if (names.length === 0) return []
  const kind = outputKind(model)
  const types = typesOf(kind)
  return types.flatMap(({ extension }) => names.map(name => `${name}.${extension}`))
}

/**
 * Whether something may be there by a name, whatever its ending. Folders are read once: the disk is asked once a folder,
 * and not for every ending of every file of 100,000 jobs. Where a folder does not tell its names, anything may be there.
 */
function namesIn(output: string, disk: Disk): (name: string) => boolean {
  const known = new Map<string, ReadonlySet<string> | 'untold'>()
  const namesOfFolder = (folder: string): ReadonlySet<string> | 'untold' => {
    const names = known.get(folder) ?? (isMissing(folder) ? noNames : listedNames(join(output, folder), disk))
    known.set(folder, names)
    return names
  }
  const isMissing = (folder: string): boolean => {
    const isBelowNothing = folder !== '' && namesOfFolder(parentOf(folder)) === noNames
    return isBelowNothing || !disk.look(join(output, folder))
  }
  return name => {
    const names = namesOfFolder(parentOf(name))
    return names === 'untold' || names.has(foldPath(name.slice(name.lastIndexOf('/') + 1)))
  }
}

const noNames: ReadonlySet<string> = new Set()

function parentOf(path: string): string {
  return path.slice(0, Math.max(0, path.lastIndexOf('/')))
}

/** Without endings, folded. */
function listedNames(folder: string, disk: Disk): ReadonlySet<string> | 'untold' {
  try {
    return new Set(disk.list(folder).map(name => foldPath(name.replace(/\.[^.]*$/, ''))))
  } catch (trouble) {
    if (trouble instanceof StorageError) return 'untold'
    throw trouble
  }
}
