import type { JobAddress, Pointer } from '../base/names.ts'
import type { DonePurchase, Purchase } from '../base/purchase.ts'
import type { FileRef, Job } from '../manifest/shapes/job.ts'
import { identify } from './differences.ts'
import type { Facts } from './facts.ts'
import { groupedBy, recipesOf } from './register.ts'
import { isMadeAs } from './shapes/recipe.ts'

// Several jobs may ask for the same, and lose their names: each gets the result that what uses its files was made from.

/** What tells results apart that are alike to the word. */
export interface Twins {
  /** So many orders, one made from the other, are made from a result as this job's. */
  uses(job: Job, made: Purchase): number
  /**
   * Negative where the job takes the first of two results: the one that what is paid for was made from as this job's, and from which
   * nothing was made as another's; of what is there then the one of the same cell of a matrix. 0 where nothing tells.
   */
  compare(job: Job, a: Purchase, b: Purchase): number
  /** Whether another job asks for the same: then each takes what is as good as another in its order. */
  isContested(job: Job): boolean
  /** Whether so many results are all wanted by jobs that have none of their own: then each takes its own in its order, be it still to come. */
  areAllWanted(job: Job, results: number): boolean
}

/** One of a job's files, where another job takes it. */
interface Place {
  readonly user: Job
  readonly at: Pointer
  /** Among the files of that parameter. */
  readonly nth: number
  readonly ref: FileRef & { readonly from: 'job' }
}

export function twinsAmong(wanted: ReadonlyMap<JobAddress, Job>, facts: Facts): Twins {
  const decided = { facts, decided: new Map() }
  const jobs = [...wanted.values()]
  const places = placesIn(jobs)
  const alike = groupedBy(jobs, job => [sortOf(job)])
  const used = new Set(jobs.flatMap(job => (places.has(job.address) ? [sortOf(job)] : [])))
  const byInput = groupedBy(facts.purchases, each =>
    recipesOf(each).flatMap(({ inputs }) => Object.values(inputs).flat()),
  )
  const known = new Map<string, number>()
  const most = new Map<string, number>()
  let named: ReadonlySet<JobAddress> | undefined

  function usesOf(job: Job, made: Purchase): number {
    if (made.is !== 'done') return 0
    const name = `${made.id} ${job.address}`
    const before = known.get(name)
    if (before !== undefined) return before
    const sum = (places.get(job.address) ?? []).reduce((all, place) => all + usesAt(place, made), 0)
    known.set(name, sum)
    return sum
  }

  function usesAt({ user, at, nth, ref }: Place, { files }: DonePurchase): number {
    const digest = files[ref.nth === 'pick' ? 0 : ref.nth]?.digest
    const orders = (digest && byInput.get(digest)) || []
    const isIts = (each: Purchase) =>
      recipesOf(each).some(
        was => was.inputs[at]?.[nth] === digest && isMadeAs(was, user, each => identify(each, decided)),
      )
    return orders.reduce(
      (sum, each) => (each.is !== 'open' && isIts(each) ? Math.max(sum, 1 + usesOf(user, each)) : sum),
      0,
    )
  }

  /** By whichever of the jobs that ask for the same it is most. */
  function mostOf(sort: string, made: Purchase): number {
    const name = `${made.id} ${sort}`
    const before = most.get(name)
    if (before !== undefined) return before
    const all = (alike.get(sort) ?? []).reduce((sum, each) => Math.max(sum, usesOf(each, made)), 0)
    most.set(name, all)
    return all
  }

  /** How many more of them speak for another job than for this one. */
  function othersUse(job: Job, made: Purchase): number {
    return mostOf(sortOf(job), made) - usesOf(job, made)
  }

  return {
    uses: usesOf,
    compare(job, a, b) {
      const uses = used.has(sortOf(job))
        ? othersUse(job, a) - othersUse(job, b) || usesOf(job, b) - usesOf(job, a)
        : 0
      const isMade = a.is === 'done' && b.is === 'done'
      return uses || (isMade ? Number(isOfCell(job, b)) - Number(isOfCell(job, a)) : 0)
    },
    isContested: job => (alike.get(sortOf(job)) ?? []).length > 1,
    areAllWanted(job, results) {
      named ??= new Set(facts.purchases.map(({ address }) => address))
      const bare = (alike.get(sortOf(job)) ?? []).filter(
        ({ address, count }) => count === job.count && !named?.has(address),
      )
      return bare.length > 1 && bare.length >= results
    },
  }
}

/** The keys of a job of a matrix: those of a job that was renamed are the same. */
function isOfCell(job: Job, { address }: Purchase): boolean {
  const cell = cellOf(job.address)
  return cell !== undefined && cellOf(address) === cell
}

function cellOf(address: JobAddress): string | undefined {
  return /\[.*\]/.exec(address)?.[0]
}

function placesIn(jobs: readonly Job[]): ReadonlyMap<JobAddress, readonly Place[]> {
  const all = jobs.flatMap(user =>
    Object.entries(user.files).flatMap(([at, refs]) =>
      refs.flatMap((ref, nth) => (ref.from === 'job' ? [{ user, at: at as Pointer, nth, ref }] : [])),
    ),
  )
  return groupedBy(all, ({ ref }) => [ref.address])
}

/** In whatever number. */
export function sortOf({ model, take, params }: Job): string {
  return JSON.stringify([model.id, take, { ...params, count: undefined }])
}
