import { defined } from '../base/defined.ts'
import type { JobAddress, JsonObject, Pointer, PurchaseId } from '../base/names.ts'
import type { DonePurchase } from '../base/purchase.ts'
import { bareLink } from '../base/redact.ts'
import type { SavedFile } from '../base/state.ts'
import type { OutputKind } from '../catalog/index.ts'
import type { Cost } from '../forms/cost.ts'
import type { FileRef, Job } from '../manifest/shapes/job.ts'
import { jobCost } from '../plan/bill.ts'
import { firstTake } from '../plan/picks.ts'
import { reasonText } from '../plan/shapes/reasons.ts'
import { isRest } from '../plan/shapes/share.ts'
import { isJobStep, type JobStep, type Step } from '../plan/shapes/step.ts'
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
  /** Files that are there and cannot be read, each with why; known once they were read. They are not among `files`. */
  readonly unread?: readonly string[]
  /** The keys of its cell, by the names of their axes; absent where its job has none. */
  readonly cell?: { readonly [axis: string]: string }
  /** The takes whose very files it was made from; of what is not made, or was made from files that are nobody’s by now, those that it asks for. */
  readonly uses: readonly JobAddress[]
  /** The manifest asks for something else by now: the next run makes it anew, or puts this take aside. */
  readonly outdated?: 'anew' | 'aside'
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
      ...exhibitOf([step, entry], { ...seen, makers }, request),
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

/** A take of a job that asks for something else by now: its files are there until another gets their name. */
type FormerTake = { readonly do: 'former'; readonly job: Job }

type ShownStep = readonly [step: JobStep | FormerTake, made: DonePurchase | undefined]

/** All jobs as they stand, each with what was made of it, if anything was; behind the takes of a job those that an edit has left without one. */
export function stepsShown({ recorded, planned: { plan } }: Seen): readonly ShownStep[] {
  const placed = placedResults(recorded.purchases)
  const steps = plan.steps.filter(isJobStep)
  const former = formerTakes(plan.steps, new Map(steps.map(({ job }) => [job.address, job])))
  const lastOf = new Map(steps.map(({ job }) => [firstTake(job.address), job.address]))
  return steps.flatMap((step): ShownStep[] => {
    const { address } = step.job
    const first = firstTake(address)
    const behind = lastOf.get(first) === address ? (former.get(first) ?? []) : []
    return [[step, entryOf(step, placed)], ...behind]
  })
}

/** By the first take of their job. */
function formerTakes(
  steps: readonly Step[],
  jobs: ReadonlyMap<JobAddress, Job>,
): ReadonlyMap<JobAddress, readonly ShownStep[]> {
  const former = new Map<JobAddress, ShownStep[]>()
  for (const step of steps) {
    if (step.do !== 'drop' || !step.isFormer || step.purchase.is !== 'done') continue
    const { address, purchase } = step
    const first = firstTake(address)
    const job = jobs.get(first)
    if (!job || isRest(address)) continue
    const take = { do: 'former', job: { ...job, address, take: purchase.recipe.take } } as const
    former.set(first, [...(former.get(first) ?? []), [take, purchase]])
  }
  return former
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
  [step, entry]: ShownStep,
  { workspace, recorded, makers }: Pick<Seen, 'workspace' | 'recorded'> & { readonly makers: Makers },
  atWork: AtWork,
): Omit<Exhibit, 'uses'> {
  const { job } = step
  const { prompt, ...params } = entry?.recipe.params ?? job.params
  const files = entry?.files ?? []
  const { layout, machine } = workspace
  const found = files.map(file => [file, findSaved(file, layout.output, machine.disk)] as const)
  const filesThat = (is: Found) => found.flatMap(([file, was]) => (was === is ? [file] : []))
  return {
    ...asMade(standingOf(step, entry, atWork), entry),
    files: filesThat('same'),
    ...(typeof prompt === 'string' && { prompt, ...askedBeside(prompt, job) }),
    params: params as JsonObject, // without undefined members, as before
    defaults: entry?.recipe.defaults ?? {},
    inputs: inputsOf([step, entry], makers),
    tags: job.tags,
    take: job.take,
    ...(entry?.picked && { picked: true }),
    ...(entry?.byHand && { byHand: true }),
    ...(workspace.prices && { cost: jobCost(job, workspace.prices) }),
    ...(entry?.credits !== undefined && { spent: { credits: entry.credits } }),
    missing: filesThat('missing').map(({ path }) => path),
    altered: filesThat('altered'),
    ...cellOf(job),
    ...outdatedAs([step, entry]),
    ...(entry && { purchase: entry.id, ...defined({ orderedAt: recorded.orderedAt.get(entry.id) }) }),
  }
}

/** By the model that it was made by, be it that the manifest names another by now. */
function asMade(head: JobReport, entry: DonePurchase | undefined): JobReport {
  const model = entry?.recipe.model ?? ''
  if (!entry || model === '' || model === head.model) return head
  const [kind] = entry.files.flatMap(({ type }) => /^(?:image|video|audio)(?=\/)/.exec(type) ?? [])
  return { ...head, model, ...(kind !== undefined && { kind: kind as OutputKind }) } // one of those three
}

function outdatedAs([step, entry]: ShownStep): Pick<Exhibit, 'outdated'> {
  if (step.do === 'former' || givesWay(step, entry)) return { outdated: 'aside' }
  return step.do === 'buy' && entry ? { outdated: 'anew' } : {}
}

/** Of what was made, the files that it was made from, where the manifest names others by now. */
function inputsOf([step, entry]: ShownStep, makers: Makers): Exhibit['inputs'] {
  const asked = (refs: readonly FileRef[]) => refs.map(refText)
  const { files } = step.job
  const isOther = step.do === 'former' || givesWay(step, entry)
  if (!entry || (step.do !== 'buy' && !isOther))
    return Object.entries(files).flatMap(([at, refs]) => asked(refs).map(text => [at, text] as const))
  const isChanged = (at: string) => step.do !== 'buy' || changesAt(step.because, at)
  return Object.entries(entry.recipe.inputs).flatMap(([at, used]) => {
    const refs = files[at as Pointer] // its own keys
    const texts = refs && !isChanged(at) ? asked(refs) : used.map(each => usedText(each, makers))
    return texts.map(text => [at, text] as const)
  })
}

/** Whether a step is taken because of the file in that place: of `/images/0` that is `images`. */
function changesAt(because: (JobStep & { do: 'buy' })['because'], at: string): boolean {
  const [, name = ''] = at.split('/')
  return because.some(each => {
    if (each.why === 'made-anew') return each.field.startsWith(name)
    return each.why === 'changed' && (each.change.field.startsWith(name) || each.change.field === 'model')
  })
}

/** A URL counts by its text. */
function usedText(used: string, makers: Makers): string {
  const maker = makers.get(used)
  if (maker !== undefined) return maker
  return used.startsWith('sha256:') ? `a file with the digest ${used.slice(0, 19)}…` : bareLink(used)
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
type Makers = ReadonlyMap<string, JobAddress>

function makersOf(all: readonly ShownStep[]): Makers {
  const files = all.flatMap(([{ job }, entry]) =>
    (entry?.files ?? []).map(each => [each.digest, job] as const),
  )
  return new Map(files.toReversed().map(([digest, { address }]) => [String(digest), address]))
}

function usedBy({ files }: Job, entry: DonePurchase | undefined, makers: Makers): JobAddress[] {
  const digests = Object.values(entry?.recipe.inputs ?? {}).flat()
  const made = digests.flatMap(digest => makers.get(digest) ?? [])
  const asked = Object.values(files)
    .flat()
    .flatMap(ref => (ref.from === 'job' ? [ref.address] : []))
  return [...new Set(made.length > 0 ? made : asked)]
}

/** What was made under its address, or under the address that a run would move here: what was put aside is not to be seen yet. */
function entryOf(step: JobStep, placed: ReadonlyMap<JobAddress, DonePurchase>): DonePurchase | undefined {
  if (step.do === 'adopt' && !step.entry.aside) return step.entry
  return placed.get(step.job.address)
}

/** It stands where a run brings back what was put aside for it: the edit that asked for it was taken back. */
function givesWay(step: ShownStep[0], entry: DonePurchase | undefined): boolean {
  return step.do === 'adopt' && entry !== undefined && entry.id !== step.entry.id
}

function standingOf(step: ShownStep[0], entry: DonePurchase | undefined, atWork: AtWork): JobReport {
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
    case 'former':
      return { ...reportHead(job, 'kept'), message: formerText }
    case 'doubt':
    case 'keep':
    case 'adopt':
    case 'hold': {
      if (givesWay(step, entry)) return { ...reportHead(job, 'kept'), message: undoneText }
      const report = reportStep(step, atWork)
      if (!report) throw new Error(`${job.address} has no report`)
      return report
    }
  }
}

const formerText =
  'the manifest asks for something else by now; it is kept, and comes back when the edit is taken back'

const undoneText =
  'the manifest asks for something else by now; a run puts it aside, and brings back what was there before, without paying'

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
