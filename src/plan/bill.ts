import { type Cost, costOf, type Prices, roundAmount } from '../forms/cost.ts'
import type { Job } from '../manifest/job.ts'
import type { Plan } from './step.ts'

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
  const bought = plan.steps.flatMap(step => (step.do === 'buy' ? [step.job] : []))
  const priced = bought.map(job => ({ job, cost: jobCost(job, prices) }))
  const models = [...new Set(bought.map(job => job.model.id))]
  const tags = [...new Set(bought.flatMap(job => job.tags))]
  const sumWhere = (isMeant: (job: Job) => boolean) =>
    sumOf(priced.filter(({ job }) => isMeant(job)).map(({ cost }) => cost))
  return {
    ...(prices && { currency: prices.currency }),
    total: sumOf(priced.map(({ cost }) => cost)),
    byModel: models.map(model => ({ model, ...sumWhere(job => job.model.id === model) })),
    byTag: tags.map(tag => ({ tag, ...sumWhere(job => job.tags.includes(tag)) })),
    unknown: [...new Set(priced.flatMap(({ cost }) => (cost.is === 'unknown' ? [cost.why] : [])))],
  }
}

/** What one run of a job costs. */
export function jobCost(job: Job, prices: Prices | undefined): Cost {
  return costOf(job.model, job.params, prices)
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
