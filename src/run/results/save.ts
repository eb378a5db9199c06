import { join } from 'node:path'
import { defined } from '../../base/defined.ts'
import type { Failure } from '../../base/failure.ts'
import { type Digest, type PurchaseId, sha256Digest } from '../../base/names.ts'
import type { Remains } from '../../base/purchase.ts'
import type { LookFinding, RemoteFile, SavedFile } from '../../base/state.ts'
import type { SaveOutcome } from '../../engine/advance.ts'
import type { Recorder, Task } from '../../engine/world.ts'
import { lookNames, meaningOf } from '../../looks/names.ts'
import type { Job } from '../../manifest/shapes/job.ts'
import { nameOfFile, shortBy } from '../../plan/shapes/share.ts'
import { removeQuietly } from '../../store/files/atomic-write.ts'
import { digestFile } from '../../store/files/digest.ts'
import type { Disk } from '../../store/files/disk.ts'
import {
  isUnusualPath,
  keepPart,
  publishOutput,
  spooledToPart,
  unusualPath,
} from '../../store/files/outputs.ts'
import type { Parts } from '../../store/files/parts.ts'
import type { Spool } from '../../store/files/spool.ts'
import { otherHasName, StorageError } from '../../store/files/storage-error.ts'
import type { Watch, Wire } from '../../wire/http/wire.ts'
import type { Layout } from '../../workspace/layout.ts'
import type { Measure, Unusual } from '../../workspace/measure.ts'
import type { Verify } from '../../workspace/verifies.ts'
import { type Looking, lookedAt } from './looking.ts'

/** What is needed to bring a job's files to their places. */
export interface SaveContext {
  readonly wire: Wire
  readonly journal: Recorder
  readonly layout: Layout
  /** The folder for paid files that are replaced. */
  readonly kept: string
  readonly isOurs: (digest: Digest) => boolean
  /** Puts aside what has one of these names, so that a path has one owner. */
  readonly makeRoom: (path: string, purchase: PurchaseId) => Promise<void>
  /** Why a file may not get its final name; undefined when it may. */
  readonly keepsBack?: () => Failure | undefined
  readonly disk: Disk
  readonly measure: Measure
  /** What earlier runs left of a file. */
  readonly left?: (purchase: PurchaseId, nth: number) => Remains | undefined
  readonly parts: Parts
  /** What this run wrote to the spool. */
  readonly written?: Spool['written']
  /** What came in this run and may have gone wrong on the way, by purchase and place; grows. */
  readonly doubted?: Map<string, Digest>
  /** What a difference between what came and what was asked means; `warn` when absent. */
  readonly verify?: Verify | undefined
  /** What came is looked at, where somebody asked for that. */
  readonly looking?: Looking
}

/**
 * Fetches, checks and publishes the files of one job, in order. Nothing under a final name is partial or unverified
 * (docs/contract.md P14): part, structure, SAVED, final name.
 */
export async function saveFiles(
  { job, purchase, aside, taken }: Pick<Task, 'job' | 'purchase' | 'aside' | 'taken'>,
  files: readonly RemoteFile[],
  saveContext: SaveContext,
  watch: Watch,
): Promise<SaveOutcome> {
  const saved: SavedFile[] = []
  const unusual: string[] = []
  const odd: Odd[] = []
  let flaw: Failure | undefined
  try {
    for (const [nth, file] of files.entries()) {
      const outcome = await saveFile(
        { job, purchase, aside, taken, file, nth, came: files.length, unusual, odd },
        saveContext,
        watch,
      )
      if ('got' in outcome) return outcome
      saved.push(outcome.file)
      flaw = outcome.flaw
    }
    if (flaw?.why === 'bad-media' && !taken)
      return {
        got: 'unusable',
        failure: flaw,
        files: await together(saved, { purchase, aside }, saveContext),
      }
  } catch (trouble) {
    if (!(trouble instanceof StorageError)) throw trouble
    return { got: 'blocked', failure: { why: 'unsaved', path: trouble.path, detail: trouble.detail } }
  }
  if (saved.length === 0)
    return { got: 'unusable', failure: { why: 'bad-reply', detail: 'it names no files' } }
  // A list that grew by one has room for 16 more, and stays with the purchase.
  return { got: 'saved', files: saved.slice(), ...defined({ flaw }) }
}

/**
 * Of the whole result, once its last file is measured; that one of them is no result is known at once. Fewer files weigh
 * more than other ones.
 */
function flawOf({ job, nth, came, unusual, odd }: Delivery): Failure | undefined {
  if (unusual.length > 0) return { why: 'bad-media', detail: [...new Set(unusual)].join('; ') }
  if (nth < came - 1) return undefined
  const short = shortBy(job, came)
  // The next plan has what is missing: this run is not at its end without it.
  const isBorne = job.shortDelivery === 'accept' || (job.shortDelivery === 'top-up' && !job.share?.hasMore)
  const borne = isBorne && { borne: true as const }
  if (short) return { why: 'short-delivery', ...short, ...borne }
  return failureOf(odd)
}

/** What was found of files, where it is told. */
export function oddFailure(files: readonly SavedFile[]): OddFailure | undefined {
  return failureOf(
    files.flatMap(({ path, looked }) => (looked?.found ?? []).flatMap(found => oddAt(path, found))),
  )
}

type OddFailure = Failure & { readonly why: 'unlike-asked' }

function failureOf(odd: readonly Odd[]): OddFailure | undefined {
  if (odd.length === 0) return undefined
  const fails = odd.some(({ verdict }) => verdict === 'fail') && { fails: true as const }
  return { why: 'unlike-asked', detail: odd.map(oddText).join('; '), ...fails }
}

function oddAt(path: string, found: LookFinding): Odd[] {
  return found.verdict === 'not looked at' ? [] : [{ ...found, path }]
}

/** Reasons of built-in looks say what they are about; those of a person's own begin with its name: `hero.png: brand: no logo`. */
function oddText({ path, look, why }: Odd): string {
  const isBuiltIn = lookNames.some(name => name === look)
  return [path, ...(isBuiltIn ? [] : [look]), why].join(': ')
}

/** What was found of a file, and is told. */
interface Odd extends LookFinding {
  readonly path: string
}

interface Delivery {
  readonly job: Job
  readonly purchase: PurchaseId
  /** It gets no name of its own. */
  readonly aside: true | undefined
  readonly taken: true | undefined
  readonly file: RemoteFile
  readonly nth: number
  /** So many files came. */
  readonly came: number
  /** What is wrong with those that are no results; grows. */
  readonly unusual: string[]
  /** How the files so far differ from what was asked, and what looks broken; grows. */
  readonly odd: Odd[]
}

interface Saved {
  readonly file: SavedFile
  /** Of the whole result; with its last file. */
  readonly flaw: Failure | undefined
}

async function saveFile(
  delivery: Delivery,
  saveContext: SaveContext,
  watch: Watch,
): Promise<Saved | SaveOutcome> {
  const { job, purchase, aside, taken, nth, came } = delivery
  const fetched = (await wholePart(delivery, saveContext)) ?? (await fetchPart(delivery, saveContext, watch))
  if ('got' in fetched) return fetched
  const { part } = fetched
  const checked = await saveContext.measure(part, job)
  if ('unusual' in checked) {
    const { unusual: detail } = checked
    if (mayComeOtherwise(delivery, checked, fetched.digest, saveContext))
      return { got: 'trouble', failure: { why: 'bad-media', detail } }
    delivery.unusual.push(detail)
  }
  const { extension, mismatch, ...measures } =
    'unusual' in checked ? { ...withoutVerdict(checked), mismatch: undefined } : checked
  const name = `${nameOfFile(job, nth, came)}.${extension}`
  const path = delivery.unusual.length > 0 && !taken ? unusualPath(name, purchase) : name
  const unlike = unlikeAsked(job, mismatch, saveContext.verify)
  const { looking } = saveContext
  const place = { purchase, nth }
  const looked =
    looking && delivery.unusual.length === 0
      ? await lookedAt(
          {
            ...{ job, place, part, stop: watch.signal, unlike },
            file: { digest: fetched.digest, type: measures.type },
          },
          looking,
        )
      : undefined
  const saved: SavedFile = {
    path,
    digest: fetched.digest,
    bytes: fetched.bytes,
    ...measures,
    ...defined({ looked }),
  }
  looking?.siblings.add(job, place, saved)
  const found = looked?.found ?? (unlike ? [unlike] : [])
  delivery.odd.push(...found.flatMap(each => oddAt(path, each)))
  const flaw = flawOf(delivery)
  await saveContext.journal.append({
    kind: 'SAVED',
    purchase,
    nth,
    file: saved,
    part,
    ...defined({ flaw }),
  })
  // Asked last: while that was synced, another may have taken the claim over.
  const failure = saveContext.keepsBack?.()
  if (failure) return { got: 'blocked', failure }
  const { layout, kept, isOurs, disk } = saveContext
  if (aside) {
    await keepPart(part, saved, kept, disk)
    return { file: saved, flaw }
  }
  await saveContext.makeRoom(path, purchase)
  const published = await publishOutput({
    root: layout.output,
    part,
    digest: fetched.digest,
    path,
    isOurs,
    kept,
    disk,
  })
  if (published.got === 'published') return { file: saved, flaw }
  return {
    got: 'blocked',
    failure: { why: 'unsaved', path, detail: otherHasName, isTaken: true },
  }
}

function unlikeAsked(
  { gate }: Job,
  why: string | undefined,
  verify: Verify | undefined,
): LookFinding | undefined {
  const verdict = meaningOf('asked', gate, verify)
  return why === undefined || verdict === 'off' ? undefined : { look: 'asked', verdict, why }
}

/** Behind a link the file may be whole the next time; what is in the spool stays what it is. */
function mayComeOtherwise(
  { purchase, file, nth }: Delivery,
  { proof }: Unusual,
  digest: Digest,
  { doubted }: SaveContext,
): boolean {
  if (file.from !== 'link' || proof === 'this') return false
  const name = `${purchase} ${nth}`
  const isSame = doubted?.get(name) === digest
  doubted?.set(name, digest)
  return proof === 'none' || !isSame
}

function withoutVerdict({ type, extension }: Unusual): Pick<Unusual, 'type' | 'extension'> {
  return { type, extension }
}

/** A result of which one file is none is none itself: what of it got its name before that was known lies with the rest. */
async function together(
  saved: readonly SavedFile[],
  { purchase, aside }: Pick<Task, 'purchase' | 'aside'>,
  { layout, isOurs, kept, disk }: SaveContext,
): Promise<readonly SavedFile[]> {
  if (aside) return saved
  const files: SavedFile[] = []
  for (const file of saved) {
    const path = isUnusualPath(file.path) ? file.path : unusualPath(file.path, purchase)
    const part = join(layout.output, file.path)
    if (path !== file.path) {
      const { digest } = file
      const moved = await publishOutput({ root: layout.output, part, digest, path, isOurs, kept, disk })
      if (moved.got === 'in-the-way') throw new StorageError(path, 'rename', otherHasName, 'EEXIST')
    }
    files.push({ ...file, path })
  }
  return files
}

/** A synced file that waits for its final name. */
interface Fetched {
  readonly part: string
  readonly digest: Digest
  readonly bytes: number
}

/** What an earlier run had SAVED when it ended, if it is still that, byte by byte. */
async function wholePart(
  { purchase, nth }: Delivery,
  { left, disk }: SaveContext,
): Promise<Fetched | undefined> {
  const remains = left?.(purchase, nth)
  if (remains?.is !== 'whole') return undefined
  const { part, digest } = remains
  try {
    const seen = disk.look(part)
    const isWhole = seen?.is === 'file' && (await digestFile(disk, part)) === digest
    if (!isWhole) return undefined
    // It may have been fetched once more since SAVED, by a run that was killed before it synced that.
    await syncAgain(disk, part)
    return { part, digest, bytes: seen.bytes }
  } catch (trouble) {
    if (!(trouble instanceof StorageError)) throw trouble
    return undefined
  }
}

async function syncAgain(disk: Disk, path: string): Promise<void> {
  const file = disk.open(path, 'append')
  try {
    await disk.sync(file)
  } finally {
    disk.close(file)
  }
}

async function fetchPart(
  { job: { address }, purchase, file, nth }: Delivery,
  saveContext: SaveContext,
  watch: Watch,
): Promise<Fetched | SaveOutcome> {
  const part = saveContext.parts.path(address, nth)
  if (file.from === 'spool') {
    const { disk, written } = saveContext
    return { part, ...(await spooledToPart(file.path, part, { disk, written: written?.(file.path) })) }
  }
  const remains = saveContext.left?.(purchase, nth)
  const reply = await saveContext.wire.download(file, part, {
    ...watch,
    ...(remains?.is === 'begun' && { begun: { path: remains.part, beginning: remains.beginning } }),
    // Not waited for: without it the file is fetched anew. A journal that fails is noticed where something depends on it.
    onBeginning: beginning =>
      void saveContext.journal
        .append({ kind: 'PART', purchase, nth, part, beginning })
        .catch(() => undefined),
  })
  if (reply.got === 'trouble' && reply.failure.why === 'unsaved') {
    // A disk that takes no more now will not in a second. What came so far takes the room that the lock needs, and after
    // a sync that failed it may never reach the disk, whatever later syncs say.
    removeQuietly(saveContext.disk, part)
    return { got: 'blocked', failure: reply.failure }
  }
  return reply.got === 'bytes' ? { part, digest: sha256Digest(reply.sha256), bytes: reply.bytes } : reply
}
