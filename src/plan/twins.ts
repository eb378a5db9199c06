import type { JobAddress, Pointer } from '../base/names.ts'
import type { DonePurchase, Purchase } from '../base/purchase.ts'
import type { FileRef, Job } from '../manifest/shapes/job.ts'
import { identify } from './differences.ts'
import type { Facts } from './facts.ts'
import { isMadeAs } from './recipe.ts'
import { groupedBy, recipesOf } from './register.ts'

// Several jobs may ask for the same, and lose their names: each gets the result that what uses its files was made from.

/** What tells results apart that are alike to the word. */
export interface Twins {
  /**
   * How much that is paid for was made from this result as the job's: the orders of all that uses its files, and of what is made from
   * these; less what speaks for another job that asks for the same, so that 0 is the most that is nobody else's.
   */
  useOf(job: Job, made: Purchase): Use
  /** Whether another job asks for the same. */
  isContested(job: Job): boolean
}

interface Use {
  readonly own: number
  /** At most 0. */
  readonly beforeOthers: number
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

  return {
    useOf(job, made) {
      const sort = sortOf(job)
      if (!used.has(sort)) return { own: 0, beforeOthers: 0 }
      const own = usesOf(job, made)
      return { own, beforeOthers: own - mostOf(sort, made) }
    },
    isContested: job => (alike.get(sortOf(job)) ?? []).length > 1,
  }
}

function placesIn(jobs: readonly Job[]): ReadonlyMap<JobAddress, readonly Place[]> {
  const all = jobs.flatMap(user =>
    Object.entries(user.files).flatMap(([at, refs]) =>
      refs.flatMap((ref, nth) => (ref.from === 'job' ? [{ user, at: at as Pointer, nth, ref }] : [])),
    ),
  )
  return groupedBy(all, ({ ref }) => [ref.address])
}

/** What sets most jobs apart. */
function sortOf({ model, take, params }: Job): string {
  return JSON.stringify([model.id, take, params.prompt])
}
