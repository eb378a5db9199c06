import { defined } from '../../base/defined.ts'
import type { Digest, JobAddress, Json } from '../../base/names.ts'
import type { Shard } from '../../base/shard.ts'
import type { Prices } from '../../forms/cost.ts'
import type { Job } from '../../manifest/shapes/job.ts'
import { digestOf } from '../../store/files/digest.ts'
import { jobCost } from '../bill.ts'
import type { Caps } from '../budget.ts'
import { firstTake } from '../picks.ts'
import type { PlannedJobs } from '../request/planned.ts'
import { isJobStep, type Step } from '../shapes/step.ts'
import { componentsOf } from './components.ts'
import { apportion, divide } from './divide.ts'

/** The jobs of a manifest, divided among shards. */
interface Division {
  readonly of: number
  /** The shard of a job, of a further take of it or of what it lacks. */
  shardOf(address: JobAddress): number
  /** Those of the manifest, shard by shard. */
  readonly jobs: readonly (readonly Job[])[]
  /** Of all that decides who buys what: two that have the same one never buy for one job, nor each other's. */
  readonly work: Digest
}

/** One shard of it. */
export interface ShardWork extends Shard {
  readonly division: Division
}

/** Pure. */
export function divideJobs(jobs: readonly Job[], of: number): Division {
  const components = componentsOf(jobs)
  const shards = divide(components, of)
  const byJob = new Map<JobAddress, number>()
  for (const [nth, component] of components.entries())
    for (const { address } of component.jobs) byJob.set(address, shards[nth] ?? 1)
  const shardOf = (address: JobAddress) => byJob.get(address) ?? byJob.get(firstTake(address)) ?? 1
  const byShard: Job[][] = Array.from({ length: of }, () => [])
  for (const job of jobs) byShard[shardOf(job.address) - 1]?.push(job)
  return { of, shardOf, jobs: byShard, work: workOf(jobs, of) }
}

/** Who divides the same jobs into as many parts divides them alike. */
function workOf(jobs: readonly Job[], of: number): Digest {
  const all = jobs.map(({ address, model, params, files, needs, output, take, count, workflow, service }) => {
    const refs = Object.fromEntries(
      Object.entries(files).map(([at, each]) => [at, each.map(ref => ({ ...ref }))]),
    )
    const at = { workflow: workflow ?? null, service: service ?? null }
    return { address, model: model.id, params, files: refs, needs, output, take, count, ...at }
  })
  return digestOf({ of, all: all.toSorted((a, b) => (a.address < b.address ? -1 : 1)) } as Json) // as a manifest has it
}

/**
 * What of a plan of the whole manifest is one shard's: its jobs, and what of its own records nobody asks for. `isForeign`: whether
 * it stands in the records of others only, who will do about it what has to be done.
 */
export function planOfShard(
  planned: PlannedJobs,
  { nth, division }: ShardWork,
  isForeign: (step: Step) => boolean,
): PlannedJobs {
  const isMine = (address: JobAddress) => division.shardOf(address) === nth
  const steps = planned.plan.steps.filter(step =>
    isJobStep(step) ? isMine(step.job.address) : !isForeign(step),
  )
  const ofMine = (jobs: readonly Job[]) => jobs.filter(({ address }) => isMine(address))
  return {
    ...planned,
    plan: { steps, buys: steps.filter(step => step.do === 'buy').length },
    jobs: ofMine(planned.jobs),
    afterPicks: ofMine(planned.afterPicks),
    redone: new Set([...planned.redone].filter(isMine)),
    ...(planned.redoing && { redoing: new Set([...planned.redoing].filter(isMine)) }),
    unpicked: planned.unpicked.filter(isMine),
  }
}

/**
 * The part of the caps that is one shard's; those of all shards together are the caps. Orders are divided by how many jobs each
 * has, costs by what its jobs cost, whatever of them is there already: every machine divides them alike. Pure.
 */
export function shareOf(caps: Caps, { nth, division }: ShardWork, prices: Prices | undefined): Caps {
  const { tags, services } = caps
  const share = (cap: Pick<Caps, 'maxPaid' | 'maxCost'>, isMeant: (job: Job) => boolean) => {
    const jobs = division.jobs.map(each => each.filter(isMeant))
    const paid =
      cap.maxPaid === undefined
        ? []
        : apportion(
            cap.maxPaid,
            jobs.map(({ length }) => length),
          )
    const cost =
      cap.maxCost === undefined
        ? []
        : apportionAmount(
            cap.maxCost,
            jobs.map(each => costOf(each, prices)),
          )
    return defined({ maxPaid: paid[nth - 1], maxCost: cost[nth - 1] })
  }
  return {
    ...share(caps, () => true),
    ...(tags && {
      tags: mapped(tags, (tag, cap) => share({ maxCost: cap }, job => job.tags.includes(tag)).maxCost ?? 0),
    }),
    ...(services && {
      services: mapped(services, (name, cap) => share(cap, job => job.service === name)),
    }),
  }
}

function mapped<Is, Becomes>(
  all: { readonly [name: string]: Is },
  become: (name: string, each: Is) => Becomes,
): { [name: string]: Becomes } {
  return Object.fromEntries(Object.entries(all).map(([name, each]) => [name, become(name, each)]))
}

/** As `apportion`, for what is counted in thousandths of millionths, which is what amounts are rounded to. */
function apportionAmount(total: number, weights: readonly number[]): number[] {
  const unit = total < 9e6 ? 1e9 : 1e6
  const whole = weights.map(weight => Math.round(weight * unit))
  return apportion(Math.round(total * unit), whole).map(part => part / unit)
}

function costOf(jobs: readonly Job[], prices: Prices | undefined): number {
  return jobs.reduce((sum, job) => {
    const cost = jobCost(job, prices)
    return sum + (cost.is === 'known' ? cost.amount : 0)
  }, 0)
}
