import type { Diagnostic } from '../../base/diagnostic.ts'
import { type Shard, shardMark, shardText } from '../../base/shard.ts'
import { divideJobs } from '../../plan/division/shards.ts'
import type { Refused } from '../../planning/make-plan.ts'
import type { WorkspaceRequest } from '../../planning/open-workspace.ts'
import type { PlanRecord } from '../../planning/plan-record.ts'
import type { SavedPlan } from '../../planning/saved-plan.ts'
import { seeManifest } from '../../planning/see-manifest.ts'
import type { Damaged } from '../../workspace/records/recorded.ts'
import { planManifest } from '../plan.ts'

/** What one shard would do. */
export interface ShardPlan {
  readonly shard: Shard
  /** How many jobs fall to it. */
  readonly jobs: number
  readonly plan: PlanRecord
  readonly saved?: SavedPlan
}

type ShardPlans =
  | Refused
  | Damaged
  | {
      readonly got: 'plans'
      readonly plans: readonly ShardPlan[]
      /** What a run of a shard would refuse to begin with. */
      readonly obstacles: readonly Diagnostic[]
      readonly warnings: readonly Diagnostic[]
    }

interface ShardsRequest extends Omit<WorkspaceRequest, 'shard' | 'savedTo'> {
  /** How many shards there are. */
  readonly of: number
  /** The file of the saved plan of a shard; none is saved when absent. */
  readonly saveTo?: (shard: Shard) => string
}

/** What each shard would do, as the plan of the whole manifest has it. No write, no request. */
export function planShards({ of, saveTo, ...request }: ShardsRequest): ShardPlans {
  const plans: ShardPlan[] = []
  const problems = new Map<string, Diagnostic>()
  let warnings: readonly Diagnostic[] = []
  for (let nth = 1; nth <= of; nth++) {
    const shard = { nth, of }
    const result = planManifest({ ...request, shard, ...(saveTo && { savedTo: saveTo(shard) }) })
    if (result.got !== 'plan') return result
    const { plan, saved, obstacles } = result
    plans.push({ shard, jobs: jobsIn(plan), plan, ...(saved && { saved }) })
    for (const each of obstacles) problems.set(`${each.code} ${each.message} ${each.at.start}`, each)
    warnings = result.warnings
  }
  return { got: 'plans', plans, obstacles: [...problems.values()], warnings }
}

function jobsIn({ steps }: PlanRecord): number {
  return steps.filter(({ do: what }) => what !== 'drop' && what !== 'aside').length
}

/** The matrix of a workflow: a shard each that has jobs. GitHub Actions takes it by `fromJSON`. */
interface ShardMatrix {
  readonly include: readonly {
    /** For `--shard`. */
    readonly shard: string
    /** For names of jobs and artifacts, which take no slash. */
    readonly name: string
    readonly jobs: number
    /** Orders that it would make now. */
    readonly orders: number
  }[]
}

type MatrixResult =
  | Refused
  | Damaged
  | { readonly got: 'matrix'; readonly matrix: ShardMatrix; readonly warnings: readonly Diagnostic[] }

/** Shards without jobs are left out: a machine for each of them would do nothing. */
export function shardMatrix({ of, ...request }: Omit<ShardsRequest, 'saveTo'>): MatrixResult {
  const seen = seeManifest(request)
  if (seen.got !== 'seen') return seen
  const { workspace, planned, warnings } = seen
  const division = divideJobs(workspace.manifest.jobs, of)
  const orders = new Array<number>(of).fill(0)
  for (const step of planned.plan.steps) {
    const nth = step.do === 'buy' ? division.shardOf(step.job.address) - 1 : undefined
    if (nth !== undefined) orders[nth] = (orders[nth] ?? 0) + 1
  }
  const include = division.jobs.flatMap(({ length }, at) => {
    const shard = { nth: at + 1, of }
    const its = { shard: shardText(shard), name: shardMark(shard), jobs: length, orders: orders[at] ?? 0 }
    return length > 0 ? [its] : []
  })
  return { got: 'matrix', matrix: { include }, warnings }
}
