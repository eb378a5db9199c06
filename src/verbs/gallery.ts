import { defined } from '../base/defined.ts'
import type { JobAddress, JsonObject, PurchaseId } from '../base/names.ts'
import type { DonePurchase } from '../base/purchase.ts'
import { bareLink } from '../base/redact.ts'
import type { SavedFile } from '../base/state.ts'
import type { Cost } from '../forms/cost.ts'
import type { FileRef, Job } from '../manifest/shapes/job.ts'
import { jobCost } from '../plan/bill.ts'
import { firstTake } from '../plan/picks.ts'
import { reasonText } from '../plan/reasons.ts'
import { isJobStep, type JobStep } from '../plan/step.ts'
import type { Refused } from '../planning/make-plan.ts'
import type { Seen, WorkspaceRequest } from '../planning/open-workspace.ts'
import { seeManifest } from '../planning/see-manifest.ts'
import { exitOfRun, reportHead, reportStep } from '../run/ending.ts'
import { type Found, findSaved } from '../store/files/outputs.ts'
import { StorageError } from '../store/files/storage-error.ts'
import type { WaitingPick } from '../store/verdicts/waiting-picks.ts'
import { type AtWork, commandOn } from '../wording/command.ts'
import { endingCounts, type JobReport, type Report } from '../wording/report.ts'
import { placedResults } from '../workspace/records/known.ts'
import { type Damaged, damaged } from '../workspace/records/recorded.ts'

/** A job with all that there is to see of it: how it stands, what it was made from, and its files. */
export interface Exhibit extends JobReport {
  /** What it was made from, or will be. */
  readonly prompt?: string
  /** The prompt that its job has by now, where it was made from another. */
  readonly asked?: string
  /** The same of the rest: parameters without the prompt and without files. */
  readonly params: JsonObject
  /** Defaults of the catalog that applied. */
  readonly defaults: JsonObject
  /** Where its input files come from, by their place in the parameters. */
  readonly inputs: readonly (readonly [at: string, from: string])[]
  readonly tags: readonly string[]
  readonly take: number
  readonly picked?: true
  /** A person picked it. */
  readonly byHand?: true
  /** It is to be picked, or picked again as a run had it, or none of its job is, as soon as nobody else has the manifest. */
  readonly waits?: WaitingPick['pick']
  /** The command that picks it, where there are other takes of it. */
  readonly pick?: string
  /** What one run of it costs. */
  readonly cost?: Cost
  /** Files that the lock names and that are not there. */
  readonly missing: readonly string[]
  /** Files that are not what was made by now, as the lock has them: they are no result, and not among `files`. */
  readonly altered: readonly SavedFile[]
  /** The keys of its cell, by the names of their axes; absent where its job has none. */
  readonly cell?: { readonly [axis: string]: string }
  /** The takes whose very files it was made from; of what is not made, or was made from files that are nobody’s by now, those that it asks for. */
  readonly uses: readonly JobAddress[]
  /** What its files were bought by; absent where nothing was made. */
  readonly purchase?: PurchaseId
  /** When it was ordered, in milliseconds since 1970, where this machine's journal knows that. */
  readonly orderedAt?: number
}

/** A manifest and its results as they stand. Nothing was asked for or made. */
export interface Gallery {
  readonly report: Report
  readonly exhibits: readonly Exhibit[]
  readonly currency?: string
}

type GalleryResult = Refused | Damaged | ({ readonly got: 'gallery' } & Gallery)

/** Reads manifest, lock, journal and disk. No key, no request, no write. */
export function galleryOf(request: WorkspaceRequest): GalleryResult {
  const seen = seeManifest(request, { isAsRecorded: true })
  if (seen.got !== 'seen') return seen
  try {
    return { got: 'gallery', ...galleryFrom(seen, request) }
  } catch (trouble) {
    if (!(trouble instanceof StorageError)) throw trouble
    return damaged(trouble)
  }
}

/** The same of what was read already. Throws StorageError. */
export function galleryFrom(seen: Seen, request: WorkspaceRequest): Gallery {
  const all = stepsShown(seen)
  const makers = makersOf(all)
  const exhibits = withPicks(
    all.map(([step, entry]) => ({
      ...exhibitOf(step, entry, seen, request),
      uses: usedBy(step.job, entry, makers),
    })),
    request,
  )
  const { prices } = seen.workspace
  return {
    report: standing(request, seen, exhibits),
    exhibits,
    ...(prices && { currency: prices.currency }),
  }
}

/** All jobs as they stand, each with what was made of it, if anything was. */
export function stepsShown({
  recorded,
  planned,
}: Seen): readonly (readonly [JobStep, DonePurchase | undefined])[] {
  const placed = placedResults(recorded.purchases)
  return planned.plan.steps.filter(isJobStep).map(step => [step, entryOf(step, placed)] as const)
}

/** Whoever looks at several takes wants to choose. */
function withPicks(exhibits: readonly Exhibit[], atWork: AtWork): Exhibit[] {
  const taken = new Set(exhibits.filter(({ take }) => take > 1).map(({ address }) => firstTake(address)))
  return exhibits.map(each =>
    each.picked || each.files.length === 0 || !taken.has(firstTake(each.address))
      ? each
      : { ...each, pick: commandOn(atWork, 'pick', each.address) },
  )
}

function standing({ manifest }: WorkspaceRequest, { workspace }: Seen, jobs: readonly JobReport[]): Report {
  return {
    manifest,
    name: workspace.manifest.name,
    rehearsal: workspace.layout.rehearsal,
    output: workspace.layout.output,
    lock: workspace.layout.lock,
    jobs,
    counts: endingCounts(jobs),
    paid: 0,
    requests: 0,
    seconds: 0,
    exit: exitOfRun(jobs),
  }
}

function exhibitOf(
  step: JobStep,
  entry: DonePurchase | undefined,
  { workspace, recorded }: Seen,
  atWork: AtWork,
): Omit<Exhibit, 'uses'> {
  const { job } = step
  const { prompt, ...params } = entry?.recipe.params ?? job.params
  const files = entry?.files ?? []
  const { layout, machine } = workspace
  const found = files.map(file => [file, findSaved(file, layout.output, machine.disk)] as const)
  const filesThat = (is: Found) => found.flatMap(([file, was]) => (was === is ? [file] : []))
  return {
    ...standingOf(step, entry, atWork),
    files: filesThat('same'),
    ...(typeof prompt === 'string' && { prompt, ...askedBeside(prompt, job) }),
    params: params as JsonObject, // without undefined members, as before
    defaults: entry?.recipe.defaults ?? {},
    inputs: Object.entries(job.files).flatMap(([at, refs]) => refs.map(ref => [at, refText(ref)] as const)),
    tags: job.tags,
    take: job.take,
    ...(entry?.picked && { picked: true }),
    ...(entry?.byHand && { byHand: true }),
    ...(workspace.prices && { cost: jobCost(job, workspace.prices) }),
    ...(entry?.credits !== undefined && { spent: { credits: entry.credits } }),
    missing: filesThat('missing').map(({ path }) => path),
    altered: filesThat('altered'),
    ...cellOf(job),
    ...(entry && { purchase: entry.id, ...defined({ orderedAt: recorded.orderedAt.get(entry.id) }) }),
  }
}

function askedBeside(made: string, { params: { prompt } }: Job): Pick<Exhibit, 'asked'> {
  return typeof prompt === 'string' && prompt !== made ? { asked: prompt } : {}
}

/** An address has the keys of its cell in the order of the axes: `still[fox,front]#2`. */
function cellOf({ address, axes }: Job): Pick<Exhibit, 'cell'> {
  const [, keys] = /\[([^\]]*)\]/.exec(address) ?? []
  if (!axes || keys === undefined) return {}
  const values = keys.split(',')
  return { cell: Object.fromEntries(axes.map((axis, nth) => [axis, values[nth] ?? ''])) }
}

/** By whose files: of two results with the same bytes, the first. */
function makersOf(
  all: readonly (readonly [JobStep, DonePurchase | undefined])[],
): ReadonlyMap<string, JobAddress> {
  const files = all.flatMap(([{ job }, entry]) =>
    (entry?.files ?? []).map(each => [each.digest, job] as const),
  )
  return new Map(files.toReversed().map(([digest, { address }]) => [String(digest), address]))
}

function usedBy(
  { files }: Job,
  entry: DonePurchase | undefined,
  makers: ReadonlyMap<string, JobAddress>,
): JobAddress[] {
  const digests = Object.values(entry?.recipe.inputs ?? {}).flat()
  const made = digests.flatMap(digest => makers.get(digest) ?? [])
  const asked = Object.values(files)
    .flat()
    .flatMap(ref => (ref.from === 'job' ? [ref.address] : []))
  return [...new Set(made.length > 0 ? made : asked)]
}

/** What was made under its address, or under the address that a run would move here. */
function entryOf(step: JobStep, placed: ReadonlyMap<JobAddress, DonePurchase>): DonePurchase | undefined {
  if (step.do === 'adopt') return step.entry.aside ? undefined : step.entry
  return placed.get(step.job.address)
}

function standingOf(step: JobStep, entry: DonePurchase | undefined, atWork: AtWork): JobReport {
  const { job } = step
  switch (step.do) {
    case 'buy': {
      const why = step.because.map(reasonText).join('; ')
      if (entry) return { ...reportHead(job, 'kept'), message: `the next run makes it anew: ${why}` }
      return { ...reportHead(job, 'skipped'), message: why }
    }
    case 'restore':
      return { ...reportHead(job, 'skipped'), message: 'not made yet here; the cache has it' }
    case 'resume':
      return { ...reportHead(job, 'detached'), message: 'paid for and not finished; the next run goes on' }
    case 'fetch':
      return {
        ...reportHead(job, 'detached'),
        message: 'its files are gone; the next run fetches them again',
      }
    case 'doubt':
    case 'keep':
    case 'adopt':
    case 'hold': {
      const report = reportStep(step, atWork)
      if (!report) throw new Error(`${job.address} has no report`)
      return report
    }
  }
}

function refText(ref: FileRef): string {
  switch (ref.from) {
    case 'path':
      return ref.path
    case 'url':
      return bareLink(ref.url)
    case 'job':
      return ref.nth === 0 ? ref.address : `${ref.address} (${ref.nth === 'pick' ? 'the pick' : ref.nth + 1})`
  }
}
