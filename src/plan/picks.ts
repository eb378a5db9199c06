import { type JobAddress, jobAddress, type PurchaseId } from '../base/names.ts'
import { type DonePurchase, type Purchase, withoutPick } from '../base/purchase.ts'
import type { FileRef, Job } from '../manifest/shapes/job.ts'
import type { WaitingPick } from '../store/verdicts/waiting-picks.ts'
import type { Plan } from './shapes/step.ts'

/** The address of the first take, whatever order brings its files: of `hero#2` and `hero#2+4` it is `hero`. */
export function firstTake(address: JobAddress): JobAddress {
  return jobAddress(address.replace(/(#\d+)?(\+\d+)?$/, ''))
}

/**
 * The jobs as they are when picks count: the picked take has the bare name, the first one lies among the takes, and
 * whoever uses the job's file uses that of the picked take. Picks of takes that are no longer wanted count for nothing.
 * `coming` takes are to be picked when they are there: they are used already, and have no other names yet. So are those that `arrive`
 * since an earlier order, by jobs that are made `anew` as it is: what is made from another take is left.
 */
export function withPicks(
  jobs: readonly Job[],
  picked: readonly JobAddress[],
  coming: ReadonlySet<JobAddress> = new Set(),
  { arrive, anew }: Arriving = noneArriving,
): readonly Job[] {
  if (picked.length + coming.size + arrive.size === 0) return jobs
  const byAddress = new Map(jobs.map(job => [job.address, job]))
  const chosen = choose(picked, byAddress)
  const ordered = choose(coming, byAddress)
  const used = new Map([...chosen, ...ordered])
  const last = new Map([...chosen, ...choose(arrive, byAddress), ...ordered])
  if (last.size === 0) return jobs
  return jobs.map(job => {
    const judged = passedOver(renamed(job, chosen, byAddress), last)
    return retarget(judged, anew.has(job.address) ? last : used)
  })
}

/** Takes of an earlier order that are to be picked when they are there, and jobs that are bought whichever take counts. */
export interface Arriving {
  readonly arrive: ReadonlySet<JobAddress>
  readonly anew: ReadonlySet<JobAddress>
}

export const noneArriving: Arriving = { arrive: new Set(), anew: new Set() }

/** A take as a word of its own: `hero` alone means a job to whoever types it. */
export function takeWord(address: string): string {
  return /#\d+$/.test(address) ? address : `${address}#1`
}

function choose(picked: Iterable<JobAddress>, byAddress: ReadonlyMap<JobAddress, Job>): Map<JobAddress, Job> {
  const chosen = new Map<JobAddress, Job>()
  for (const address of picked) {
    const job = byAddress.get(address)
    const first = firstTake(address)
    // Merged locks can hold two; the first in the lock's order counts.
    if (job && byAddress.has(first) && !chosen.has(first)) chosen.set(first, job)
  }
  return chosen
}

type Chosen = ReadonlyMap<JobAddress, Job>

function renamed(job: Job, chosen: Chosen, byAddress: ReadonlyMap<JobAddress, Job>): Job {
  const first = firstTake(job.address)
  const choice = chosen.get(first)
  const bare = byAddress.get(first)?.output ?? job.output
  if (!choice || choice.take === 1 || job.outputPattern !== undefined) return job
  if (choice.address === job.address) return { ...job, output: bare }
  if (job.take === 1) return { ...job, output: `takes/${bare}.take1` }
  return job
}

/** A take that nobody chose, or that another is picked over, is nobody's concern when it came short. */
function passedOver(job: Job, chosen: Chosen): Job {
  const choice = chosen.get(firstTake(job.address))
  return choice && choice.address !== job.address ? { ...job, shortDelivery: 'accept' } : job
}

function retarget(job: Job, chosen: Chosen): Job {
  const refs = Object.values(job.files).flat()
  const isUser = refs.some(ref => ref.from === 'job' && chosen.has(firstTake(ref.address)))
  // Whoever only waits for a job waits for the take that is to come out better.
  const isWaiting = job.needs.some(need => chosen.get(need)?.retakes !== undefined)
  if (!isUser && !isWaiting) return job
  const files = Object.fromEntries(
    Object.entries(job.files).map(([at, each]) => [at, each.map(ref => toChosen(ref, chosen))] as const),
  )
  const needs = job.needs.map(need => chosen.get(need)?.address ?? need)
  return { ...job, files, needs: [...new Set(needs)] }
}

function toChosen(ref: FileRef, chosen: Chosen): FileRef {
  if (ref.from !== 'job') return ref
  // `.pick` waits until somebody has picked, a plain reference takes what there is.
  const choice = chosen.get(ref.nth === 'pick' ? firstTake(ref.address) : ref.address)
  if (!choice) return ref
  return { ...ref, address: choice.address, nth: ref.nth === 'pick' ? 0 : ref.nth }
}

/** The jobs, by their first takes, that use files of these or of one that does: what another take makes stale. */
export function madeFrom(firsts: ReadonlySet<JobAddress>, jobs: readonly Job[]): JobAddress[] {
  if (firsts.size === 0) return []
  const users = new Map<JobAddress, Set<JobAddress>>()
  for (const job of jobs) {
    for (const ref of Object.values(job.files).flat()) {
      if (ref.from !== 'job') continue
      const made = firstTake(ref.address)
      users.set(made, (users.get(made) ?? new Set()).add(firstTake(job.address)))
    }
  }
  const found = new Set<JobAddress>()
  const open = [...firsts]
  for (let made = open.pop(); made !== undefined; made = open.pop()) {
    for (const user of users.get(made) ?? []) {
      if (found.has(user) || firsts.has(user)) continue
      found.add(user)
      open.push(user)
    }
  }
  return jobs.flatMap(({ address }) => (found.has(address) ? [address] : []))
}

/** A pick that waits, of a result that is there. */
export interface HeededPick {
  readonly pick: WaitingPick
  /** The purchase that is meant, by which it is found whatever that is called by then. */
  readonly of: PurchaseId
  /** As its take is called now; of its job's first take where none is to be picked. */
  readonly address: JobAddress
  /** Given before about the same job, under whatever name: it is over with this one. */
  readonly insteadOf: readonly WaitingPick[]
}

/** All that is over once these are carried out. */
export function picksOver(picks: readonly HeededPick[]): readonly WaitingPick[] {
  return picks.flatMap(({ pick, insteadOf }) => [...insteadOf, pick])
}

/**
 * Those whose takes are there, as they are called now: the same purchase with the very files that were seen; of each job the last. A
 * purchase that is not known here was bought by another checkout, whose records are not here: then the very files under the very name
 * are what was seen. Pure.
 */
export function heededPicks(
  waiting: readonly WaitingPick[],
  purchases: readonly Purchase[],
  isForeign: (id: PurchaseId) => boolean = () => false,
): readonly HeededPick[] {
  if (waiting.length === 0) return []
  const made = purchases.filter((each): each is DonePurchase => each.is === 'done' && !each.aside)
  const known = new Set(purchases.map(({ id }) => id))
  const byJob = new Map<JobAddress, HeededPick>()
  for (const pick of waiting) {
    const { of } = pick
    const isKnown = of !== undefined && known.has(of)
    const isMeant = (each: DonePurchase) =>
      isKnown ? each.id === of : isNamed(pick, each) && (of === undefined || isSeenIn(pick, each))
    const found = made.find(isMeant)
    // Of which none is to be picked is meant as a whole, whatever its first take is by now.
    if (!found || isForeign(found.id) || !(isSeenIn(pick, found) || pick.pick === 'none')) continue
    const address = pick.pick === 'none' ? firstTake(found.address) : found.address
    byJob.set(
      firstTake(address),
      laterOf({ pick, of: found.id, address, insteadOf: [] }, byJob.get(firstTake(address))),
    )
  }
  return [...byJob.values()]
}

function laterOf(pick: HeededPick, other: HeededPick | undefined): HeededPick {
  if (!other) return pick
  // Dates are to the second; of one second it is the same of them each time.
  const [first, last] = other.pick.when > pick.pick.when ? [pick, other] : [other, pick]
  return { ...last, insteadOf: picksOver([{ ...first, insteadOf: other.insteadOf }]) }
}

/** Those that none of these carries out, and no other in their place. */
export function unheededPicks(
  waiting: readonly WaitingPick[],
  heeded: readonly HeededPick[],
): readonly WaitingPick[] {
  const over = new Set(picksOver(heeded))
  return waiting.filter(pick => !over.has(pick))
}

/** Results as they are recorded once a plan has taken them from the cache. Pure. */
export function purchasesRestored({ steps }: Plan): readonly DonePurchase[] {
  return steps.flatMap(step => (step.do === 'restore' ? [step.entry] : []))
}

/** The same picks by the names that their takes have by now. What is there no more, or has no name, is left out. Pure. */
export function picksAsNamedNow(
  picks: readonly HeededPick[],
  purchases: ReadonlyMap<PurchaseId, Purchase>,
): readonly HeededPick[] {
  return picks.flatMap(each => {
    const made = purchases.get(each.of)
    if (made?.is !== 'done' || made.aside) return []
    return [{ ...each, address: each.pick.pick === 'none' ? firstTake(made.address) : made.address }]
  })
}

function isSeenIn({ seen }: WaitingPick, { files }: DonePurchase): boolean {
  return files.map(({ digest }) => digest).join() === seen.join()
}

function isNamed({ address, pick }: WaitingPick, made: DonePurchase): boolean {
  return made.address === address || (pick === 'none' && firstTake(made.address) === firstTake(address))
}

/** What is recorded, as it is once these are carried out. Pure. */
export function purchasesOncePicked(
  purchases: readonly Purchase[],
  picks: readonly HeededPick[],
): readonly Purchase[] {
  if (picks.length === 0) return purchases
  const byJob = new Map(picks.map(each => [firstTake(each.address), each]))
  return purchases.map(each => asPicked(each, byJob))
}

function asPicked(purchase: Purchase, byJob: ReadonlyMap<JobAddress, HeededPick>): Purchase {
  const wish = byJob.get(firstTake(purchase.address))
  if (!wish) return purchase
  // What a `redo` was to pick is one take among the others.
  if (purchase.is === 'under-way') return withoutRedo(purchase)
  if (purchase.is !== 'done' || purchase.aside) return purchase
  const bare = withoutRedo(withoutPick(purchase))
  if (wish.pick.pick === 'none' || purchase.id !== wish.of) return bare
  return { ...bare, picked: true, ...(wish.pick.pick === 'take' && { byHand: true }) }
}

function withoutRedo<Record extends Purchase>(purchase: Record): Omit<Record, 'redo'> {
  const { redo: _, ...rest } = purchase
  return rest
}
