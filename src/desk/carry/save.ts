import type { Failure } from '../../base/failure.ts'
import { type Digest, type JobAddress, sha256Digest } from '../../base/names.ts'
import type { Beginning, RemoteFile, SavedFile } from '../../base/state.ts'
import type { SaveOutcome } from '../../engine/advance.ts'
import type { Recorder } from '../../engine/world.ts'
import type { Job } from '../../manifest/job.ts'
import type { Disk } from '../../store/disk.ts'
import { copyToPart, finalPath, partPath, publishOutput } from '../../store/outputs.ts'
import { StorageTrouble } from '../../store/trouble.ts'
import { removeQuietly } from '../../store/whole.ts'
import type { Watch, Wire } from '../../wire/wire.ts'
import type { Layout } from '../ground/layout.ts'
import type { Measure } from './measure.ts'
import type { Verify } from './verifies.ts'

/** What is needed to bring a job's files to their places. */
export interface Porter {
  readonly wire: Wire
  readonly journal: Recorder
  readonly layout: Layout
  /** The folder for paid files that are replaced. */
  readonly kept: string
  readonly isOurs: (digest: Digest) => boolean
  /** Why a file may not get its final name; undefined when it may. */
  readonly keepsBack?: () => Failure | undefined
  readonly disk: Disk
  readonly measure: Measure
  /** What earlier runs left of a file. */
  readonly left?: (address: JobAddress, nth: number) => Beginning | undefined
  /** Parts of downloads that began in this run. */
  readonly begun: Set<string>
  /** What a difference between what came and what was asked means; `warn` when absent. */
  readonly verify?: Verify | undefined
}

/**
 * Fetches, checks and publishes the files of one job, in order. Nothing under a final name is partial or unverified
 * (RELIABILITY.md P14): part, structure, SAVED, final name.
 */
export async function saveFiles(
  job: Job,
  files: readonly RemoteFile[],
  porter: Porter,
  watch: Watch,
): Promise<SaveOutcome> {
  const saved: SavedFile[] = []
  const unlike: string[] = []
  try {
    for (const [nth, file] of files.entries()) {
      const outcome = await saveFile({ job, file, nth, of: Math.max(job.count, files.length) }, porter, watch)
      if ('got' in outcome) return outcome
      saved.push(outcome.file)
      if (outcome.unlike !== undefined) unlike.push(`${outcome.file.path}: ${outcome.unlike}`)
    }
  } catch (trouble) {
    if (!(trouble instanceof StorageTrouble)) throw trouble
    return { got: 'blocked', failure: { why: 'unsaved', path: trouble.path, detail: trouble.detail } }
  }
  if (saved.length === 0)
    return { got: 'unusable', failure: { why: 'bad-reply', detail: 'it names no files' } }
  const flaw = flawOf(job, saved.length, porter.verify === 'off' ? [] : unlike, porter.verify)
  return { got: 'saved', files: saved, ...(flaw && { flaw }) }
}

/** Fewer files weigh more than other ones. */
function flawOf(
  job: Job,
  got: number,
  unlike: readonly string[],
  verify: Verify | undefined,
): Failure | undefined {
  if (got < job.count) return { why: 'short-delivery', asked: job.count, got }
  if (unlike.length === 0) return undefined
  return { why: 'unlike-asked', detail: unlike.join('; '), ...(verify === 'fail' && { fails: true }) }
}

interface Delivery {
  readonly job: Job
  readonly file: RemoteFile
  readonly nth: number
  readonly of: number
}

interface Saved {
  readonly file: SavedFile
  readonly unlike?: string
}

async function saveFile(delivery: Delivery, porter: Porter, watch: Watch): Promise<Saved | SaveOutcome> {
  const { job, file, nth, of } = delivery
  const part = partPath(porter.layout.output, job.address, nth)
  const fetched = await fetchPart(delivery, part, porter, watch)
  if ('got' in fetched) return fetched
  const checked = await porter.measure(part, job)
  if ('why' in checked) {
    // Behind a link the file may be whole the next time; what is in the spool stays what it is.
    return { got: file.from === 'link' ? 'trouble' : 'unusable', failure: checked }
  }
  const { extension, unlike, ...measures } = checked
  const path = finalPath(job.output, nth, of, { extension })
  const saved: SavedFile = { path, digest: fetched.digest, bytes: fetched.bytes, ...measures }
  await porter.journal.append({ kind: 'SAVED', address: job.address, nth, file: saved, part })
  // Asked last: while that was synced, another may have taken the claim over.
  const failure = porter.keepsBack?.()
  if (failure) return { got: 'blocked', failure }
  const { layout, kept, isOurs, disk } = porter
  const published = await publishOutput({
    root: layout.output,
    part,
    digest: fetched.digest,
    path,
    isOurs,
    kept,
    disk,
  })
  if (published.got === 'published') return { file: saved, ...(unlike !== undefined && { unlike }) }
  return {
    got: 'blocked',
    failure: { why: 'unsaved', path, detail: 'a file that genrun did not make has this name' },
  }
}

type Fetched = { readonly digest: Digest; readonly bytes: number }

async function fetchPart(
  { job: { address }, file, nth }: Delivery,
  part: string,
  porter: Porter,
  watch: Watch,
): Promise<Fetched | SaveOutcome> {
  if (file.from === 'spool') return copyToPart(file.path, part, porter.disk)
  const isFirst = !porter.begun.has(part)
  const begun = isFirst ? porter.left?.(address, nth) : undefined
  // After a crash between its two names a published file is the part as well, and would be emptied here. What broke off
  // before it was SAVED is ours to go on with.
  if (isFirst && !begun) removeQuietly(porter.disk, part)
  porter.begun.add(part)
  const reply = await porter.wire.download(file, part, {
    ...watch,
    ...(begun && { begun }),
    // Not waited for: without it the file is fetched anew. A journal that fails is noticed where something depends on it.
    onBeginning: beginning =>
      void porter.journal.append({ kind: 'PART', address, nth, beginning }).catch(() => undefined),
  })
  if (reply.got === 'trouble' && reply.failure.why === 'unsaved') {
    // A disk that takes no more now will not in a second. What came so far takes the room that the lock needs, and after
    // a sync that failed it may never reach the disk, whatever later syncs say.
    removeQuietly(porter.disk, part)
    return { got: 'blocked', failure: reply.failure }
  }
  return reply.got === 'bytes' ? { digest: sha256Digest(reply.sha256), bytes: reply.bytes } : reply
}
