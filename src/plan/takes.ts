import type { JobAddress } from '../base/names.ts'
import { outputOfTake } from '../base/output-name.ts'
import { isResubmitted, type Purchase } from '../base/purchase.ts'
import { takeAddress } from '../manifest/expand/select-cells.ts'
import type { Job } from '../manifest/shapes/job.ts'
import type { Redoing } from '../store/journal/journal.ts'
import type { Facts } from './facts.ts'
import { firstTake } from './picks.ts'
import { type Choices, formerAddress, isJobStep, type JobStep, type Plan } from './shapes/step.ts'

/**
 * A job keeps every take: one that was ordered beyond what the manifest asks for (`redo`) is wanted for as long as it is
 * made from what the job asks for now. `renamed` leads from an address to the job that took its result over. Its takes
 * may have come along, or stayed with a job that has the name now: both may ask for them, and the plan gives each to
 * the one whose recipe it has. What a take of the manifest took over is in use, and nobody's further take. `restored` leads from an
 * address to the jobs that get what was put aside there, while another job has the name: takes that lie aside come along.
 */
export function furtherTakes(
  jobs: readonly Job[],
  purchases: readonly Purchase[],
  { renamed, restored = new Map(), ...wish }: Wish & TakenOver,
): Job[] {
  const wishes = new Set(purchases.flatMap(each => (isWished(each, wish) ? [each.address] : [])))
  const others = [...boughtAt(purchases), ...wishes].filter(address => takeOf(address) > 1)
  if (others.length === 0) return []
  const byAddress = new Map(jobs.map(job => [job.address, job]))
  const further = new Map<JobAddress, Job>()
  const unsure = inDoubtOnly(purchases)
  const aside = restored.size === 0 ? new Set<JobAddress>() : asideAt(purchases)
  for (const address of others) {
    const heir = renamed.get(address)
    // What has gone to another job leaves the name to what a person waits for there.
    if (heir !== undefined && byAddress.has(heir) && !wishes.has(address)) continue
    const first = firstTake(address)
    // What is in doubt of a take that the manifest asks for is that job's to settle: for another, nobody asked for a take.
    const isOwn = byAddress.has(address) && unsure.has(address)
    const heirs = aside.has(address) ? (restored.get(first) ?? []) : []
    for (const name of new Set([first, (!isOwn && renamed.get(first)) || first, ...heirs])) {
      const base = byAddress.get(name)
      const wanted = base && takeAddress(base.address, takeOf(address))
      if (wanted && !byAddress.has(wanted)) further.set(wanted, anotherTake(base, takeOf(address)))
    }
  }
  return [...further.values()]
}

/** Where results go whose jobs have other names by now, by the addresses that the records have. */
interface TakenOver {
  readonly renamed: ReadonlyMap<JobAddress, JobAddress>
  readonly restored?: ReadonlyMap<JobAddress, ReadonlySet<JobAddress>>
}

/** What failed is ordered again. */
type Wish = Pick<Choices, 'failed' | 'rebuy'>

/** Nothing is there of it, and a person wants it all the same: it was ordered anew, or `redo` ordered it, and it failed. */
export function isWished(purchase: Purchase, { failed, rebuy }: Wish): boolean {
  if (isResubmitted(purchase)) return true
  if (purchase.is !== 'failed' || !purchase.redo) return false
  return failed === true || (rebuy === true && purchase.flaw.why === 'gone')
}

/** Addresses that stand for something: an order that failed, or was never sent, leaves its number free. */
function boughtAt(purchases: readonly Purchase[]): Set<JobAddress> {
  return new Set(purchases.flatMap(({ is, address }) => (is === 'failed' || is === 'open' ? [] : [address])))
}

/** Addresses at which results were put aside. */
function asideAt(purchases: readonly Purchase[]): Set<JobAddress> {
  return new Set(purchases.flatMap(each => (each.is === 'done' && each.aside ? [each.address] : [])))
}

/** Addresses that stand for orders in doubt alone, of which none was ordered by `redo`. */
function inDoubtOnly(purchases: readonly Purchase[]): Set<JobAddress> {
  const bought = purchases.filter(({ is }) => is !== 'failed' && is !== 'open')
  const sure = new Set(bought.flatMap(({ is, redo, address }) => (is !== 'doubt' || redo ? [address] : [])))
  return new Set(bought.flatMap(({ address }) => (sure.has(address) ? [] : [address])))
}

/** The jobs with more takes, each behind those of its own job. */
export function withTakes(jobs: readonly Job[], further: readonly Job[]): readonly Job[] {
  if (further.length === 0) return jobs
  const byFirst = new Map<JobAddress, Job[]>()
  for (const job of further.toSorted((a, b) => a.take - b.take)) {
    const first = firstTake(job.address)
    byFirst.set(first, [...(byFirst.get(first) ?? []), job])
  }
  return jobs.flatMap((job, nth) => {
    const first = firstTake(job.address)
    const next = jobs[nth + 1]
    return next && firstTake(next.address) === first ? [job] : [job, ...(byFirst.get(first) ?? [])]
  })
}

function anotherTake(base: Job, take: number): Job {
  const output = outputOfTake(base.outputPattern ?? base.output, take)
  return { ...base, address: takeAddress(base.address, take), take, output }
}

/** The number of a take, by its name; 1 where it has none. */
export function takeOf(address: JobAddress): number {
  return Number(/#(\d+)$/.exec(address)?.[1] ?? 1)
}

/**
 * Takes that `redo` ordered and that nobody has picked yet, of what a plan has or brings: whichever run sees them come picks them. Of one
 * job the newest.
 */
export function arrivals({ steps }: Plan): Set<JobAddress> {
  const newest = new Map<JobAddress, Job>()
  for (const step of steps) {
    if (!isJobStep(step) || !isToPick(step)) continue
    const first = firstTake(step.job.address)
    if (step.job.take > (newest.get(first)?.take ?? 0)) newest.set(first, step.job)
  }
  return new Set([...newest.values()].map(({ address }) => address))
}

function isToPick(step: JobStep): boolean {
  if ('entry' in step) return step.entry.redo === true && !step.entry.picked
  if (step.do === 'resume') return step.purchase.redo === true
  return step.do === 'buy' && step.renews?.redo === true
}

/** What ordering jobs again comes to. */
interface Redo {
  /** Takes that nobody has asked for before. What is made from the job is made from them. */
  readonly added: readonly Job[]
  /** What there is no result of to keep: ordered again as it is. */
  readonly again: ReadonlySet<JobAddress>
  /**
   * Of an earlier `redo` that is not at its end, paid for or in doubt, ordered anew, or made and not picked: gone on with, so that
   * the same words do not pay twice.
   */
  readonly open: ReadonlySet<JobAddress>
  /** There since an earlier `redo` that the same words go on with: it is not ordered once more. */
  readonly had: ReadonlySet<JobAddress>
}

/**
 * A job whose result is there gets another take, so that nothing is lost; what failed, or is gone for good, is ordered
 * again; what the plan buys anyway is bought once. `asked` are addresses of `jobs`, `plan` is what is done without it.
 */
export function redoOf(
  asked: ReadonlySet<JobAddress>,
  jobs: readonly Job[],
  plan: Plan,
  { purchases, redoing = [] }: Pick<Facts, 'purchases' | 'redoing'>,
): Redo {
  const steps = new Map(plan.steps.filter(isJobStep).map(step => [step.job.address, step]))
  const taken = boughtAt(purchases)
  const families = new Map<JobAddress, Job[]>()
  for (const job of jobs) {
    const first = firstTake(job.address)
    families.set(first, [...(families.get(first) ?? []), job])
  }
  const added: Job[] = []
  const again = new Set<JobAddress>()
  const open = new Set<JobAddress>()
  const had = hadBefore(redoing, new Set([...asked].map(firstTake)), steps)
  for (const family of families.values()) {
    const meant = family.filter(job => asked.has(job.address)).flatMap(job => steps.get(job.address) ?? [])
    if (meant.length === 0) continue
    for (const step of meant) if (isLost(step)) again.add(step.job.address)
    const unfinished = family.filter(job => isNotAtItsEnd(steps.get(job.address)))
    for (const job of unfinished) open.add(job.address)
    const isHad = family.some(job => had.has(job.address))
    if (unfinished.length === 0 && !isHad && meant.every(isThere)) added.push(newTake(family, taken))
  }
  return { added, again, open, had }
}

/**
 * What was brought of these jobs by each `redo`, as long as something that it was to bring of them is missing, or nobody was told what
 * came of it. What is complete is at its end: the same words mean one more. Another take that a later `redo` brought is in the place of
 * the one that this was to bring, or had brought.
 */
function hadBefore(
  redoing: readonly Redoing[],
  firsts: ReadonlySet<JobAddress>,
  steps: ReadonlyMap<JobAddress, JobStep>,
): Set<JobAddress> {
  const had = new Set<JobAddress>()
  const nameNow = namesNow(steps.values())
  const later = new Map<JobAddress, JobAddress>()
  for (const { takes, isCut } of redoing.toReversed()) {
    const mine = [...takes].map(nameNow).filter(address => firsts.has(firstTake(address)))
    const there = mine.filter(address => {
      const step = steps.get(address)
      return step !== undefined && isThere(step)
    })
    const isReplaced = (address: JobAddress) => (later.get(firstTake(address)) ?? address) !== address
    const came = new Set(there)
    const isOpen = isCut || mine.some(address => !came.has(address) && !isReplaced(address))
    if (isOpen) for (const address of there) if (!isReplaced(address)) had.add(address)
    for (const address of there) if (!later.has(firstTake(address))) later.set(firstTake(address), address)
  }
  return had
}

/** What each take is called by now, whatever it was called before. */
function namesNow(steps: Iterable<JobStep>): (address: JobAddress) => JobAddress {
  const renamed = new Map<JobAddress, JobAddress>()
  for (const step of steps) {
    const from = formerAddress(step)
    if (from !== undefined && from !== step.job.address) renamed.set(from, step.job.address)
  }
  return address => renamed.get(address) ?? address
}

function isLost(step: JobStep): boolean {
  if (step.do === 'fetch') return step.entry.isGone === true
  if (step.do !== 'hold') return false
  return step.because.why === 'failed-before' || step.because.why === 'files-gone'
}

/** What an earlier `redo` ordered and may be paid for counts, too: whichever take is ordered again, no other is bought past it. */
function isNotAtItsEnd(step: JobStep | undefined): boolean {
  return isUnfinished(step) || (step?.do === 'doubt' && step.purchase.redo === true)
}

/** On its way, to be ordered anew, or there and waiting to be picked. */
export function isUnfinished(step: JobStep | undefined): boolean {
  if (step?.do === 'resume' || (step?.do === 'buy' && step.renews)) return true
  return step !== undefined && 'entry' in step && step.entry.redo === true
}

function isThere({ do: what }: JobStep): boolean {
  return what === 'keep' || what === 'adopt' || what === 'fetch' || what === 'restore'
}

/** A number that stands for nothing yet, or for an order that failed. */
function newTake(family: readonly Job[], taken: ReadonlySet<JobAddress>): Job {
  const base = family.find(job => job.take === 1) ?? family[0]
  if (!base) throw new Error('a family without a job')
  let take = Math.max(...family.map(job => job.take)) + 1
  while (taken.has(takeAddress(firstTake(base.address), take))) take++
  // The bare name is the first take's as the manifest has it; where a pick has it now is nothing to go by.
  return anotherTake(base, take)
}
