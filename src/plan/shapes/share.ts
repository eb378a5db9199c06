import { type JobAddress, jobAddress, restStart } from '../../base/names.ts'
import { outputName } from '../../base/output-name.ts'
import type { Recipe } from '../../base/state.ts'
import { paramOf } from '../../catalog/index.ts'
import { outputCount } from '../../forms/expect.ts'
import type { FileRef, Job, Share } from '../../manifest/shapes/job.ts'

// The part of a job's files that one of its orders brings.

/** The most that one order may bring of what is missing; where the model takes no so small number, its smallest. */
export function countFor({ model }: Job, missing: number): number {
  const param = paramOf(model, 'count')
  switch (param?.type) {
    case 'enum': {
      const values = param.values.filter(value => typeof value === 'number').toSorted((a, b) => a - b)
      return values.findLast(value => value <= missing) ?? values[0] ?? 1
    }
    case 'integer':
      return Math.max(param.minimum ?? 1, Math.min(missing, param.maximum ?? missing))
    default:
      return 1
  }
}

/** The job of an order that brings files of another job. */
export function restJob(job: Job, share: Share, count: number): Job {
  return { ...counting(job, count), address: restAddress(job.address, share.from), share }
}

/** The job as it is ordered now: without what other orders bring by now, or nobody asks for any more, though it was to bring that. */
export function upToOthers(job: Job): Job {
  if (!job.share) return job
  const { from, of, until = of } = job.share
  return job.count <= until - from ? job : counting(job, countFor(job, until - from))
}

/** Of the order that brings a job's files from one on, counted from 0: `hero+4`. */
export function restAddress(address: JobAddress, from: number): JobAddress {
  return jobAddress(`${restBase(address)}+${from + 1}`)
}

/**
 * What is missing behind what one order brought, as much of it as one more may bring; undefined where nothing is missing, or
 * somebody else brings it.
 */
export function furtherRest(job: Job, got: number): Job | undefined {
  const { from, of, until = of, hasMore }: Share = job.share ?? { from: 0, of: job.count }
  const missing = until - from - got
  if (missing <= 0 || hasMore) return undefined
  return restJob(job, { from: from + got, of, ...(until < of && { until }) }, countFor(job, missing))
}

export function counting(job: Job, count: number): Job {
  if (outputCount(job.model, job.params) === count) return job
  return { ...job, params: { ...job.params, count }, count }
}

/** The job with its files taken from the orders that bring them. */
export function redirected(job: Job, toOrder: (ref: FileRef) => FileRef): Job {
  const files = Object.fromEntries(
    Object.entries(job.files).map(([at, each]) => [at, each.map(toOrder)] as const),
  )
  const used = Object.values(files)
    .flat()
    .flatMap(ref => (ref.from === 'job' ? [ref.address] : []))
  return { ...job, files, needs: [...new Set([...job.needs, ...used])] }
}

/** The order that brought a file of a job: the job's own, or one of those behind it. Where none did, the file as it is asked for. */
export function broughtBy(
  ref: FileRef,
  made: (address: JobAddress) => { readonly files: readonly unknown[] } | undefined,
): FileRef {
  if (ref.from !== 'job' || ref.nth === 'pick') return ref
  let { address, nth } = ref
  for (let came = made(address)?.files.length; came; came = made(address)?.files.length) {
    if (nth < came) return { ...ref, address, nth }
    nth -= came
    address = restAddress(address, restStart(address) + came)
  }
  return ref
}

/** The number of files that a recipe asks for; undefined where it says nothing of that. */
export function orderedBy({ params, defaults }: Recipe): number | undefined {
  const count = params.count ?? defaults.count
  return typeof count === 'number' ? count : undefined
}

/** The job whose files an order brings: `hero` of `hero+4`. */
export function restBase(address: JobAddress): JobAddress {
  return jobAddress(address.replace(/\+\d+$/, ''))
}

export function isRest(address: JobAddress): boolean {
  return /\+\d+$/.test(address)
}

/** So many of the files that an order was to bring came, and nothing else brings the others; of all where others brought some of its own. */
export function shortBy({ count, share }: Job, got: number): ShortBy | undefined {
  const own = share ? Math.min(count, (share.until ?? share.of) - share.from) : count
  const lacks = share?.lacks ?? 0
  if (got >= own && lacks === 0) return undefined
  const asked = lacks > 0 && share ? share.of : own
  return { asked, got: asked - lacks - Math.max(0, own - got) }
}

/** So many of the files that an order brings are its job's: from the first one on. What came beyond them nobody asks for. */
export function askedOf({ count, share }: Job): number {
  return share ? (share.until ?? share.of) - share.from : count
}

export interface ShortBy {
  readonly asked: number
  readonly got: number
}

/** Where the orders of a job stand: its own address, but for those that move to another place among its files. */
export function ownAddress({ address, share }: Job): JobAddress {
  return share?.was ?? address
}

/** The path of a job's file, without ending, whatever order brings it. `came`: so many files came by this one. */
export function nameOfFile({ output, count, share }: Job, nth: number, came: number): string {
  const { from, of } = share ?? { from: 0, of: count }
  return outputName(output, from + nth, Math.max(of, from + came))
}
