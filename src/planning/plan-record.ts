import { defined } from '../base/defined.ts'
import { failureMessage } from '../base/failure.ts'
import type { JobAddress } from '../base/names.ts'
import { lineAt, type Span } from '../base/source.ts'
import { type OutputKind, outputKind } from '../catalog/index.ts'
import type { Cost } from '../forms/cost.ts'
import type { Job } from '../manifest/shapes/job.ts'
import { type Bill, jobCost } from '../plan/bill.ts'
import { type Caps, nothingSpent, reserve } from '../plan/budget.ts'
import { firstTake } from '../plan/picks.ts'
import { type Reason, reasonText } from '../plan/shapes/reasons.ts'
import type { ShortBy } from '../plan/shapes/share.ts'
import type { Hold, JobStep, Step } from '../plan/shapes/step.ts'
import { type AtWork, commandOn } from '../wording/command.ts'
import { planRemarks, remarksOn } from '../wording/remarks.ts'
import type { PlanOptions, Workspace } from '../workspace/workspace.ts'
import { expectedTime } from './expected-time.ts'
import type { PlannedRun } from './make-plan.ts'
import type { Seen } from './open-workspace.ts'

/** What the plan does about one job, as `plan --json` prints it. */
export interface StepRecord {
  readonly do: Step['do']
  readonly address: JobAddress
  readonly model?: string
  readonly kind?: OutputKind
  readonly tags?: readonly string[]
  /** The one of several that the job names. */
  readonly service?: string
  /** In words, each with its place. */
  readonly because: readonly string[]
  /** A paid result is there, and would be bought anew. */
  readonly again?: true
  /** Of a bought job. */
  readonly cost?: Cost
  /** The address or run that the result comes from, where it is not bought. */
  readonly from?: string
  readonly files?: readonly string[]
  /** Fewer files are there than were ordered, and nobody has decided what that means: a run ends with exit code 1. */
  readonly short?: ShortBy
  /** Where the job stands. Counted from 1. */
  readonly file?: string
  readonly line?: number
}

/** A whole plan as plain data. */
export interface PlanRecord {
  readonly manifest: string
  readonly name: string
  /** Absolute. */
  readonly output: string
  readonly steps: readonly StepRecord[]
  readonly counts: { readonly [what in Step['do']]?: number }
  /** The paid requests that a run without mishaps makes. */
  readonly paid: number
  /** Those of them for results that are there already. */
  readonly again: number
  readonly cost: Bill
  readonly caps: Caps
  /** The first job, in the order of the steps, that the caps leave nothing for. */
  readonly over?: { readonly address: JobAddress; readonly why: string }
  readonly remarks: readonly string[]
  /** How long a run takes by the results of the last day; absent where they do not tell it of all that would be made. */
  readonly expectedSeconds?: number
}

export function planRecord(
  { limits, ...atWork }: AtWork & { readonly limits?: PlanOptions['limits'] },
  { workspace, planned, recorded }: Pick<Seen, 'workspace' | 'planned' | 'recorded'>,
): PlanRecord {
  const { plan, bill, caps } = planned
  const over = firstOver(planned)
  const steps = plan.steps.map(step => stepRecord(step, workspace, atWork))
  const counts: { [what in Step['do']]?: number } = {}
  for (const step of steps) counts[step.do] = (counts[step.do] ?? 0) + 1
  return {
    manifest: atWork.manifest,
    name: workspace.manifest.name,
    output: workspace.layout.output,
    steps,
    counts,
    paid: plan.buys,
    again: steps.filter(step => step.again).length,
    cost: bill,
    caps,
    ...defined({ over }),
    remarks: [...planRemarks(planned), ...remarksOn(plan, atWork)],
    ...defined({ expectedSeconds: expectedTime(workspace, recorded, limits).secondsOfAll(plan) }),
  }
}

function firstOver({ plan, prices, caps }: PlannedRun): PlanRecord['over'] {
  let spent = nothingSpent
  for (const step of plan.steps) {
    if (step.do !== 'buy') continue
    const { tags, service } = step.job
    const reserved = reserve(spent, { cost: jobCost(step.job, prices), tags, service }, caps)
    if (reserved.got === 'over') return { address: step.job.address, why: reserved.why }
    spent = reserved.spent
  }
  return undefined
}

function stepRecord(step: Step, workspace: Workspace, atWork: AtWork): StepRecord {
  switch (step.do) {
    case 'drop':
      return {
        do: 'drop',
        address: step.address,
        because: [droppedText(step, atWork)],
      }
    case 'aside': {
      const { run } = step.purchase
      return {
        do: 'aside',
        address: step.address,
        because: [asideTextOf(step)],
        ...(run && { from: run.id }),
      }
    }
    case 'buy': {
      // What is lost, and its run asked once more, is not there.
      const again = step.again && !step.ask && { again: step.again }
      const when = step.ask?.isIfSame ? ' if that comes as it was' : ''
      const first = step.ask
        ? [`the run ${step.ask.run.id} is asked once more first${when}, which is free`]
        : []
      const because = [...texts(step.because), ...first]
      return recordFor(step, { because, ...again, cost: jobCost(step.job, workspace.prices) })
    }
    case 'keep': {
      const files = step.entry.files.map(file => file.path)
      const short = isOpenShort(step) && step.short
      return recordFor(step, { because: keptTexts(step), files, ...(short && { short }) })
    }
    case 'adopt': {
      const because = step.accepted
        ? texts(step.accepted).map(text => `accepted: ${text}`)
        : [movedText(step, workspace), ...(step.altered ? [alteredText(step.altered)] : [])]
      return recordFor(step, { because, from: step.from, files: step.entry.files.map(file => file.path) })
    }
    case 'fetch':
      return recordFor(step, { because: [missingText(step)], from: step.run.id })
    case 'restore':
      return recordFor(step, { because: ['the cache has it'] })
    case 'resume': {
      const { run } = step.purchase
      const because = [step.from ? `paid for as ${step.from}, not finished` : 'paid for, not finished']
      return recordFor(step, { because, ...(run && { from: run.id }) })
    }
    case 'hold':
      return recordFor(step, { because: [holdText(step.because)] })
    case 'doubt':
      return recordFor(step, {
        because: [
          `nobody knows whether it was paid for: ${step.purchase.detail}`,
          ...(step.isOther ? ['it is of what the job asked for before'] : []),
        ],
      })
  }
}

/** What all records of jobs say comes first: before Node 22 an object that begins with a spread shares its shape with none. */
function recordFor(
  { do: what, job }: JobStep,
  more: Pick<StepRecord, 'because'> & Partial<StepRecord>,
): StepRecord {
  const { address, model, tags, service } = job
  return {
    do: what,
    address,
    model: model.id,
    kind: outputKind(model),
    tags,
    ...defined({ service }),
    ...placeOf(job),
    ...more,
  }
}

function placeOf(job: Job): { readonly file: string; readonly line: number } {
  return linePlace(job.at)
}

/** A place as records have it. */
function linePlace(at: Span): { readonly file: string; readonly line: number } {
  return { file: at.file.name, line: lineAt(at.file, at.start) }
}

function texts(reasons: readonly Reason[]): string[] {
  return reasons.map(reasonText)
}

function keptTexts(step: Step & { do: 'keep' }): string[] {
  const { altered, short, waits } = step
  return [
    ...(waits ? [unapprovedText(waits)] : []),
    ...(altered ? [alteredText(altered)] : []),
    ...(short && isOpenShort(step) ? [shortText(short)] : []),
  ]
}

function alteredText(paths: readonly string[]): string {
  return `altered since it was made, and left as it is: ${paths.join(', ')}`
}

function shortText(short: ShortBy): string {
  const came = failureMessage({ why: 'short-delivery', ...short })
  return `${came}; --failed orders the rest, \`accept\` takes it as it is`
}

/** Its job has not said what it means that fewer files came. */
function isOpenShort({ job, short }: Step & { do: 'keep' }): boolean {
  return short !== undefined && (job.shortDelivery ?? 'fail') === 'fail'
}

function movedText({ job, entry, from }: Step & { do: 'adopt' }, { manifest }: Workspace): string {
  if (entry.aside) return 'paid for before, and put aside since: it gets its name back'
  if (from === job.address) return 'its files get other names'
  const isWanted = manifest.jobs.some(({ address }) => address === from)
  return `the same as ${from}, which ${isWanted ? 'asks for something else now' : 'is no longer wanted'}`
}

function asideTextOf({ elsewhere }: Step & { do: 'aside' }): string {
  return elsewhere === undefined
    ? asideText
    : `paid for at ${elsewhere}, and nothing asks for it any more: it stays there`
}

const asideText = 'paid for, and nothing asks for it any more: it is fetched, and kept aside'

/** What a result lacks here, and whether the service can be expected to have it. */
export function missingText({ entry, missing }: Step & { readonly do: 'fetch' }): string {
  const asked = entry.isGone ? '; when it was asked last, the service had it no more' : ''
  return `gone from disk: ${missing.join(', ')}${asked}`
}

/** Why a job waits, without what to do about it. */
export function holdText(because: Hold): string {
  switch (because.why) {
    case 'failed-before':
      if (because.lost)
        return `what came is paid for and no result: ${because.message}; it is gone or altered; --failed orders it again`
      if (because.isGone)
        return `its run may have been billed: ${because.message}; --rebuy asks for it once more and orders it anew`
      return because.files
        ? `what came is paid for and no result: ${because.message}; \`accept\` takes it as it is, --failed orders it again`
        : `an earlier run failed and may have been billed: ${because.message}; --failed orders it again`
    case 'files-gone':
      return `its files are gone (${because.paths.join(', ')}) and cannot be fetched; --rebuy pays again`
    case 'other-service':
      return `its run ${because.run.id} is at ${because.run.origin}, and ${because.origin} is asked now`
    case 'at-work':
      return 'another genrun has sent it, and waits for the answer'
    case 'needs':
      return `it needs ${because.address}`
    case 'no-file':
      return noFileText(because)
    case 'odd-file':
      return oddFileText(because)
    case 'altered-file':
      return alteredFileText(because)
    case 'unpicked':
      return `it waits until a take of ${because.address} is picked`
    case 'unapproved':
      return unapprovedText(because)
    case 'chosen-since':
    case 'not-selected':
      return 'it is not selected'
  }
}

/** `it is made from file 2 of hero, of which 1 came`. */
export function noFileText({ address, nth, files }: Hold & { why: 'no-file' }): string {
  return `it is made from file ${nth + 1} of ${address}, of which ${files} came`
}

/** `it is made from hero.png of hero, which was altered since it was made`. */
export function alteredFileText({ address, path }: Hold & { why: 'altered-file' }): string {
  return `it is made from ${path} of ${address}, which was altered since it was made`
}

/** `it is made from hero.tiff of hero, which was taken as it came and cannot be sent`. */
export function oddFileText({ address, path }: Hold & { why: 'odd-file' }): string {
  return `it is made from ${path} of ${address}, which was taken as it came and cannot be sent`
}

/** `it waits until hero is approved: it is rejected`. */
export function unapprovedText({ address, but, isBroken }: Hold & { why: 'unapproved' }): string {
  const more = isBroken ? '; `gate: warn` there takes it as it is' : ''
  return `it waits until ${address} is approved${but === undefined ? '' : `: ${but}`}${more}`
}

function droppedText(
  { address, purchase, isFormer, isBeside }: Step & { do: 'drop' },
  atWork: AtWork,
): string {
  const isTake = /#\d+$/.test(address)
  switch (purchase.is) {
    case 'done':
      if (isFormer) return 'no longer asked for; it is kept, and comes back when the edit is taken back'
      return `no longer ${isTake ? 'asked for' : 'in the manifest'}; its files stay until \`${commandOn(atWork, 'prune')}\``
    case 'under-way':
    case 'open':
      return 'no longer in the manifest'
    case 'doubt':
      return isBeside
        ? 'in doubt, beside what the job has'
        : 'nothing asks for it any more, and it is in doubt'
    case 'failed':
      return isTake
        ? `another take, which failed; \`${commandOn(atWork, 'redo', firstTake(address))}\` orders it again`
        : 'no longer in the manifest; it had failed'
  }
}
