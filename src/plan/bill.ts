import { type Cost, costOf, type Prices, roundAmount } from '../forms/cost.ts'
import type { Job } from '../manifest/shapes/job.ts'
import type { Plan } from './shapes/step.ts'

/** What several jobs cost: the sum of what is known, and how many have no known cost. Those never count as 0. */
export interface Sum {
  readonly jobs: number
  readonly amount: number
  readonly unknown: number
}

/** What a plan costs, as far as the user's prices tell. */
export interface Bill {
  /** Absent when no prices are given. */
  readonly currency?: string
  readonly total: Sum
  /** By model id, in the order of the steps. */
  readonly byModel: readonly (Sum & { readonly model: string })[]
  /** By tag; a job with several tags counts for each, one without for none. */
  readonly byTag: readonly (Sum & { readonly tag: string })[]
  /** Why something is not known, each reason once. */
  readonly unknown: readonly string[]
}

/** Pure. Only what is bought costs anything. */
export function billOf(plan: Plan, prices: Prices | undefined): Bill {
  const all: Cost[] = []
  const byModel = new Map<string, Cost[]>()
  const byTag = new Map<string, Cost[]>()
  const unknown = new Set<string>()
  for (const step of plan.steps) {
    if (step.do !== 'buy') continue
    const { job } = step
    const cost = jobCost(job, prices)
    all.push(cost)
    addTo(byModel, job.model.id, cost)
    for (const tag of job.tags) addTo(byTag, tag, cost)
    if (cost.is === 'unknown') unknown.add(cost.why)
  }
  return {
    ...(prices && { currency: prices.currency }),
    total: sumOf(all),
    byModel: [...byModel].map(([model, costs]) => ({ model, ...sumOf(costs) })),
    byTag: [...byTag].map(([tag, costs]) => ({ tag, ...sumOf(costs) })),
    unknown: [...unknown],
  }
}

function addTo(groups: Map<string, Cost[]>, name: string, cost: Cost): void {
  const group = groups.get(name)
  if (group) group.push(cost)
  else groups.set(name, [cost])
}

/** What one run of a job costs. */
export function jobCost(job: Job, prices: Prices | undefined): Cost {
  return costOf(job.model, job.params, prices, job.workflow)
}

export function sumOf(costs: readonly Cost[]): Sum {
  let amount = 0
  let unknown = 0
  for (const cost of costs) {
    if (cost.is === 'known') amount += cost.amount
    else unknown++
  }
  return { jobs: costs.length, amount: roundAmount(amount), unknown }
}
