import { defined } from '../base/defined.ts'
import type { JobAddress, Json } from '../base/names.ts'
import { lineAt, type Span } from '../base/source.ts'
import type { Recipe } from '../base/state.ts'
import type { FileRef, Job, Origin as ValueOrigin } from '../manifest/shapes/job.ts'
import { reasonText } from '../plan/shapes/reasons.ts'
import { draftRecipe, linkIdentity } from '../plan/shapes/recipe.ts'
import { isJobStep, type JobStep } from '../plan/shapes/step.ts'
import type { Refused } from '../planning/make-plan.ts'
import type { Seen, WorkspaceRequest } from '../planning/open-workspace.ts'
import { planRecord, type StepRecord } from '../planning/plan-record.ts'
import { seeManifest } from '../planning/see-manifest.ts'
import { unknownAddress } from '../planning/unknown-address.ts'
import { placedResults } from '../workspace/records/known.ts'
import type { Damaged } from '../workspace/records/recorded.ts'

/** Where a value of a recipe came from. `built-in` is the catalog's default, which the service fills in. */
export type OriginKind = ValueOrigin['by']

/** A variable, a cell's or an item's value, or a text that an expression read. */
interface ReadRecord {
  readonly name: string
  /** `m.yaml:3`, `lines.csv:2`. */
  readonly at: string
}

interface ValueRecord {
  readonly param: string
  readonly value: Json
  readonly origin: OriginKind
  /** `m.yaml:12`; absent for what is built in. */
  readonly at?: string
  /** What its expressions read, each with its place. */
  readonly reads?: readonly ReadRecord[]
}

/** An input of a job: where it comes from, and which bytes these are by now. */
interface InputRecord {
  readonly param: string
  readonly from: string
  /** Absent while the job it comes from is still to be made. */
  readonly identity?: string
  readonly origin: OriginKind
  readonly at?: string
  readonly reads?: readonly ReadRecord[]
}

/** Everything about one job: what is done, why, and the whole recipe. */
export interface WhyRecord {
  readonly step: StepRecord
  readonly model: {
    readonly value: string
    readonly origin: OriginKind
    readonly at?: string
    readonly reads?: readonly ReadRecord[]
  }
  readonly values: readonly ValueRecord[]
  readonly inputs: readonly InputRecord[]
  readonly needs: readonly JobAddress[]
  readonly take: number
  /** Of what is there now; absent when nothing was made. */
  readonly made?: Recipe
  /** What a person takes it for, where that is something else. */
  readonly acceptedAs?: Recipe
  /** What the service says that it cost. */
  readonly credits?: number
  /** How what is there differs from what is asked for: a person took it for that. */
  readonly accepted?: readonly string[]
}

type WhyResult = Refused | Damaged | { readonly got: 'why'; readonly why: WhyRecord }

/** Why the plan does what it does about one job. No write, no request. */
export function whyJob(request: WorkspaceRequest & { readonly address: string }): WhyResult {
  const seen = seeManifest(request, { isForShow: true })
  if (seen.got !== 'seen') return seen
  const { planned } = seen
  const step = planned.plan.steps.find(
    (each): each is JobStep => isJobStep(each) && each.job.address === request.address,
  )
  if (!step) return { got: 'refused', problems: [unknownAddress(request.address, planned.jobs)] }
  const record = planRecord(request, seen).steps.find(each => each.address === request.address)
  if (!record) throw new Error(`no record of ${request.address}`)
  return { got: 'why', why: whyRecord(step, record, seen) }
}

function whyRecord(step: JobStep, record: StepRecord, seen: Seen): WhyRecord {
  const { job } = step
  const trace = (param: string) => traceOf(job, param)
  const { recipe } = draftRecipe(job, () => undefined)
  const made = 'entry' in step ? step.entry : placedResults(seen.recorded.purchases).get(job.address)
  return {
    step: record,
    model: { value: job.model.id, ...trace('model') },
    values: [
      ...Object.entries(recipe.params).map(([param, value]) => ({ param, value, ...trace(param) })),
      ...Object.entries(recipe.defaults).map(([param, value]) => ({
        param,
        value,
        origin: 'built-in' as const,
      })),
    ],
    inputs: Object.entries(job.files).flatMap(([at, refs]) =>
      refs.map(ref => {
        const param = at.slice(1)
        const identity = identityOf(ref, seen)
        return {
          param,
          from: refText(ref),
          ...(identity && { identity }),
          ...trace(param.split('/')[0] ?? ''),
        }
      }),
    ),
    needs: job.needs,
    take: job.take,
    ...(made && { made: made.recipe, ...defined({ acceptedAs: made.acceptedAs }) }),
    ...(made?.credits !== undefined && { credits: made.credits }),
    ...(step.do === 'keep' && step.accepted && { accepted: step.accepted.map(reasonText) }),
  }
}

function traceOf(job: Job, param: string): Omit<ValueRecord, 'param' | 'value'> {
  const found = job.written.originOf?.(param)
  if (!found) return { origin: 'job', at: placeText(job.written.locate([param])) }
  const reads = found.reads.map(({ name, at }) => ({ name, at: placeText(at) }))
  return {
    origin: found.by,
    ...(found.at && { at: placeText(found.at) }),
    ...(reads.length > 0 && { reads }),
  }
}

function placeText(at: Span): string {
  return `${at.file.name}:${lineAt(at.file, at.start)}`
}

function refText(ref: FileRef): string {
  switch (ref.from) {
    case 'path':
      return ref.path
    case 'url':
      return linkIdentity(ref.url).slice('url:'.length)
    case 'job':
      if (ref.nth === 'pick') return `the pick of ${ref.address}`
      return ref.nth === 0 ? ref.address : `${ref.address}, file ${ref.nth + 1}`
  }
}

function identityOf(ref: FileRef, { planned }: Seen): string | undefined {
  switch (ref.from) {
    case 'path':
      return planned.inputs.digests.get(ref.path)
    case 'url':
      return linkIdentity(ref.url)
    case 'job': {
      const step = planned.plan.steps.find(each => isJobStep(each) && each.job.address === ref.address)
      const isThere = step !== undefined && 'entry' in step && ref.nth !== 'pick'
      return isThere ? step.entry.files[ref.nth]?.digest : undefined
    }
  }
}
