import type { JobAddress, PurchaseId } from '../../src/base/names.ts'
import type { Asked } from './asked.ts'
import { type Charge, hasFiles } from './service.ts'

/** One paid request of which at least one byte left. */
export interface Attempt extends Asked {
  readonly job: JobAddress
  readonly key: string
  /** So many files were ordered. */
  readonly count: number
  /** So many files its job asked for. */
  readonly of: number
  readonly at: number
  /** It definitely came to nothing, or the user declared it over, or threw away all that told of it. */
  isOver: boolean
  /** In doubt, it was given up for something else: whoever pays again for what has failed pays for this as well. */
  isGivenUp?: boolean
  /** The service refused it, and the process knows. */
  isRefused?: true
  /** It was ordered at another machine, of which nothing here tells. */
  isElsewhere?: boolean
  /** A lock was put there that does not know of it: what came to its end belongs to the one that was there before. */
  isOfOtherLock?: boolean
  /** An order of before, which a person took for what the job asks for then. */
  readonly isTaken?: true
  charge?: Charge
}

/** An order of a take beyond those of the manifest that a person wants anew. */
export interface Wish extends Asked {
  /** The job that it is a take of. */
  readonly family: JobAddress
  /** Of the record that says so, where it was seen to be written. */
  id?: PurchaseId
  /** Nobody threw away what says so. */
  isCertain: boolean
  /** The order that it was for; another one is waited for where that was refused. */
  attempt?: Attempt
}

/** Whether it is still to be ordered. */
export function isWaited({ attempt }: Wish): boolean {
  return !attempt || attempt.isRefused === true
}

/** What an order says about itself. */
export type Ordering = Pick<Attempt, 'job' | 'what' | 'sort' | 'key' | 'count'>

/** What the present process may do. */
interface Permit {
  /** The user orders again what failed. */
  readonly failedToo: boolean
  /** How often a job's own run may be ordered again after a failure, without asking. */
  readonly retriesOf: (job: JobAddress) => number
  /** How many files a job asks for now. */
  readonly numberOf: (job: JobAddress) => number
  /** Whether a job that asks for the same asks for so many; where several may. */
  readonly isAskedIn?: (order: Ordering, number: number) => boolean
  /** How many jobs ask for that sort now. */
  readonly asking: (order: Ordering) => number
  /** How many files they ask for, where several orders may bring those of one job. */
  readonly filesAsked?: (order: Ordering) => number
  /** How many jobs ask for what the order is about by words alone, and what that is; where names alone change. */
  readonly words?: (order: Asked) => { readonly words: string; readonly asking: number }
  /** Whether an order is for a take that the manifest does not ask for. */
  readonly isFurther: (order: Ordering) => boolean
  /** Whether the user asks by name for another take of the order's job, whatever other jobs left of the kind. */
  readonly redoes: (job: JobAddress) => boolean
  /** Whether an order is another take, while one that `redo` ordered of the same job is in doubt. */
  readonly isPastDoubt: (order: Ordering) => boolean
  /** What was in doubt when the process began, and is ordered anew by the user's word; whether or not it is given up as well. */
  readonly resubmits: ReadonlySet<string>
  /** Another checkout had all that is asked for, and this one has heard of it. */
  readonly hasAll?: boolean
  /** The user pays again for what is gone and cannot be fetched from this service. */
  readonly rebuysAt?: string
}

/** What is known of one process. */
export interface Doing {
  readonly permit: Permit
  /** The service asked it to be left alone until then. */
  waitUntil: number
  /** When a write or sync of the journal failed. The process is told of it at that time, but not at once. */
  journalBrokeAt: number | undefined
  stoppedAt: number | undefined
  /** Paid requests of which a byte left. */
  paid: number
  /** Told when the journal was broken. */
  readonly unkept: RunName[]
}

/** What a run is called: the same id at another service is another run. */
type RunName = Pick<Charge, 'origin' | 'id'>

/** Sees everything that leaves the process and everything that it is told, and knows what it must not do. */
export interface Witness {
  /** A new process goes on from here, until another begins or goes on. */
  begins(permit: Permit): Doing
  /** One that was paused. */
  goesOn(doing: Doing): void
  /** A request to the service begins. */
  asks(what: string): void
  polls(run: RunName): void
  /** The process lets a paid request go; nothing of it has left yet. */
  letsGo(order: Ordering): void
  /** The first byte of a paid request leaves. */
  leaves(order: Ordering): Attempt
  /** The service asked to be left alone until that date, and the process has heard it. */
  isAskedToWait(until: number): void
  /** The wall clock is set: what no record shows, nobody can know. */
  clockIsSet(): void
  /** An order is written down, and about to leave. */
  tries(order: Ordering): void
  /** What an order that was written down is about. */
  tried(key: string): Asked | undefined
  journalFails(doing: Doing): void
  stops(doing: Doing): void
  /** `isKept`: it is in the journal that the next process reads. */
  tellsId(run: RunName, isKept?: boolean): void
  /** All that a process has told stands somewhere at its end. */
  keeps(doing: Doing): void
  /** Whether a run's id was told by a process whose journal could be written: it is known for good. */
  isSafe(run: RunName): boolean
  /** No record names the run any more, by the user's doing. */
  forgets(run: RunName): void
  /** The user declares an order over. */
  settles(key: string): void
  /** The user orders one more of it by name. */
  wishes(wish: Wish): void
  /** Takes that back. */
  unwishes(wish: Wish): void
  readonly wished: readonly Wish[]
  /** The user takes what an order brought for something else. */
  takesFor(key: string, asked: Asked): readonly Attempt[]
  accuse(what: string): void
  readonly attempts: readonly Attempt[]
  /** What came of an attempt, or of another with its key where the service honours these. */
  chargeOf(attempt: Attempt): Charge | undefined
  readonly accusations: readonly string[]
  readonly paid: () => number
  /** By the present process. */
  readonly paidNow: () => number
  readonly stoppedAt: () => number | undefined
}

export function openWitness(now: () => number, keysLiveMs: number): Witness {
  const attempts: Attempt[] = []
  const wished: Wish[] = []
  const accusations: string[] = []
  const told = new Set<string>()
  const safe = new Set<string>()
  let present = doingOf({
    failedToo: false,
    resubmits: new Set(),
    retriesOf: () => 0,
    numberOf: () => 1,
    asking: () => 0,
    redoes: () => false,
    isPastDoubt: () => false,
    isFurther: () => false,
  })
  // When an order was first written down: whoever dies then does not know whether it left, and sends it again under its key.
  // With each order what had failed by then, where a person had it ordered anew.
  const keys = new Map<string, Asked & { readonly at: number; readonly insteadOf: readonly Attempt[] }>()
  // Half the life of a key is kept free for clocks that are set in between unseen: then only all of it counts.
  let youngMs = keysLiveMs / 2
  let isClockSet = false
  const accuse = (what: string) => void accusations.push(what)
  const nameOf = ({ origin, id }: RunName) => `${origin} ${id}`

  function add(order: Ordering): Attempt {
    const { job, what, sort, key, count } = order
    const of = present.permit.numberOf(job)
    const attempt = { job, what, sort, key, count, of, at: now(), isOver: false }
    attempts.push(attempt)
    const waited = wished.filter(each => each.what === what && isWaited(each))
    // Of one whose word died with its process nobody knows whether it was written.
    const wish = present.permit.isFurther(order) && (waited.find(each => each.isCertain) ?? waited[0])
    if (wish) wish.attempt = attempt
    present.paid++
    return attempt
  }

  /** A service that honours keys knows all attempts with one key as one order. */
  function chargeOf(attempt: Attempt): Charge | undefined {
    if (attempt.charge || keysLiveMs === 0) return attempt.charge
    return attempts.find(each => each.key === attempt.key && each.charge)?.charge
  }

  /**
   * Whoever asks for another number of what failed has changed the job, as by any edit, and that is ordered without a word more; changed
   * back it is what failed.
   */
  function isRecounted(each: Attempt, order: Ordering): boolean {
    const { numberOf, isAskedIn } = present.permit
    const charge = chargeOf(each)
    if (!charge || each.of === numberOf(order.job) || isAskedIn?.(order, each.of)) return false
    // Nobody knows by a clock that was set how young a run is that cannot be seen yet: it counts as gone.
    const isToldGone = isClockSet && charge.visibleAt > charge.at && !charge.isDelivered
    return isToldGone || hasFailed(charge)
  }

  /** So many files orders bring, or may bring. */
  function filesOf(open: readonly Attempt[]): number {
    const byKey = new Map(open.map(each => [each.key, chargeOf(each)?.count ?? each.count]))
    return [...byKey.values()].reduce((sum, count) => sum + count, 0)
  }

  /** What is there, of the same words through all that it was made from, is not ordered again, though another file would be used. */
  function judgeWords(order: Ordering): void {
    const its = present.permit.words?.(order)
    if (!its) return
    const there = attempts.filter(each => {
      const charge = chargeOf(each)
      const isThere = charge?.ends === 'well' && !charge.isThrownAway && !each.isOver && !each.isElsewhere
      return isThere && each.what !== order.what && present.permit.words?.(each).words === its.words
    })
    if (new Set(there.map(({ key }) => key)).size >= its.asking)
      accuse(`P5: ${order.job} ordered ${order.what} again, and it is there, made from another that is alike`)
  }

  /**
   * Results of other jobs that a `redo` does not take for its own: it orders anew by name. Those that other jobs ask for now
   * count as ever.
   */
  function unwanted({ job }: Ordering, open: readonly Attempt[], asking: number): number {
    const { redoes } = present.permit
    if (!redoes(job)) return 0
    const isOfOthers = (each: Attempt) => !redoes(each.job) && chargeOf(each)?.isDelivered === true
    const left = new Set(open.filter(isOfOthers).map(({ key }) => key))
    return Math.max(0, left.size - (asking - 1))
  }

  return {
    begins(permit) {
      present = doingOf(permit)
      return present
    },
    goesOn(doing) {
      present = doing
      // It hears of it only now.
      if (doing.stoppedAt !== undefined) doing.stoppedAt = now()
    },
    asks(what) {
      const early = present.waitUntil - now()
      if (early > 0) accuse(`P21: ${what} ${early} ms before the service wants to hear from us`)
    },
    polls(run) {
      if (!told.has(nameOf(run))) accuse(`P4: ${run.id} was polled before anybody was told of it`)
    },
    clockIsSet() {
      isClockSet = true
      youngMs = keysLiveMs
    },
    tries({ key, what, sort, job }) {
      if (keys.has(key)) return
      const mayGo = (each: Attempt) => mayFollow(job, each, chargeOf(each), present.permit)
      const insteadOf = attempts.filter(each => each.what === what && mayGo(each))
      keys.set(key, { what, sort, at: now(), insteadOf })
    },
    tried: key => keys.get(key),
    letsGo(order) {
      const { job } = order
      for (const earlier of attempts) {
        if (earlier.what !== order.what) continue
        if (mayFollow(job, earlier, chargeOf(earlier), present.permit)) earlier.isOver = true
      }
      if (present.journalBrokeAt !== undefined && now() > present.journalBrokeAt)
        accuse(`P16: ${job} was bought although the journal could not be written`)
      if (present.stoppedAt !== undefined) accuse(`P38: ${job} was bought after the stop`)
    },
    leaves(order) {
      const { job } = order
      const { resubmits } = present.permit
      // What is ordered anew was to follow these, by a word that was said when it was written down.
      const settled = [...resubmits].flatMap(key => keys.get(key)?.insteadOf ?? [])
      // Whoever has a doubt ordered anew knows what else came of the same, and is none.
      const isByWord = [...resubmits].some(key => keys.get(key)?.what === order.what)
      const isNone = (each: Attempt) => isByWord && cameAsNone(chargeOf(each))
      const isOpen = (each: Attempt) =>
        !each.isOver &&
        !each.isElsewhere &&
        !resubmits.has(each.key) &&
        !settled.includes(each) &&
        !isNone(each) &&
        !isRecounted(each, order)
      if (present.permit.isPastDoubt(order)) accuse(`P1: ${job} ordered past a take that is in doubt`)
      if (present.permit.hasAll)
        accuse(`P5: ${job} ordered ${order.what}, and another checkout has all of it`)
      const open = attempts.filter(attempt => attempt.what === order.what && isOpen(attempt))
      const same = open.find(attempt => attempt.key === order.key)
      // Where keys are honoured it is one order, also when a refusal of it was forgotten in a power cut.
      const before = keysLiveMs > 0 ? attempts.find(attempt => attempt.key === order.key) : same
      if (before && now() <= before.at + youngMs) return add(order)
      const filesAsked = present.permit.filesAsked?.(order)
      if (filesAsked !== undefined) {
        const paid = filesOf(open)
        if (same || paid + order.count > filesAsked)
          accuse(
            `${twiceText(order, open, chargeOf)}: ${paid} of ${filesAsked} files are paid for, and ${order.count} ordered`,
          )
        return add(order)
      }
      judgeWords(order)
      const { at: sentAt = now(), insteadOf = [] } = keys.get(order.key) ?? {}
      const isAgain = keysLiveMs > 0 && sentAt < now() && now() <= sentAt + youngMs
      const over = isAgain ? insteadOf : []
      const others = new Set(open.flatMap(each => (over.includes(each) ? [] : each.key)))
      // Somebody asked for it when it was written down.
      const asking = Math.max(present.permit.asking(order), isAgain ? 1 : 0)
      if (same || others.size - unwanted(order, open, asking) >= asking)
        accuse(twiceText(order, open, chargeOf))
      if (asking === 0) accuse(`P1: ${job} ordered ${order.what}, for which nobody asks`)
      return add(order)
    },
    isAskedToWait: until => {
      present.waitUntil = Math.max(present.waitUntil, until)
    },
    journalFails: doing => {
      doing.journalBrokeAt ??= now()
    },
    stops: doing => {
      doing.stoppedAt ??= now()
    },
    tellsId(run, isKept = true) {
      told.add(nameOf(run))
      if (!isKept) return
      if (present.journalBrokeAt === undefined) safe.add(nameOf(run))
      else present.unkept.push(run)
    },
    keeps: ({ unkept }) => {
      for (const run of unkept) safe.add(nameOf(run))
    },
    isSafe: run => safe.has(nameOf(run)),
    forgets: run => void safe.delete(nameOf(run)),
    settles(key) {
      for (const attempt of attempts) if (attempt.key === key) attempt.isOver = true
    },
    wishes: wish => void wished.push(wish),
    unwishes: wish => void wished.splice(wished.indexOf(wish), 1),
    wished,
    takesFor(key, asked) {
      const all = attempts.filter(each => each.key === key)
      // Whoever took it for something else before may have died when that was written.
      const its = all.find(each => !each.isOver) ?? all.at(-1)
      if (!its) return []
      const taken: Attempt = { ...its, ...asked, isOver: false, isTaken: true }
      attempts.push(taken)
      its.isOver = true
      return [taken]
    },
    accuse,
    attempts,
    chargeOf,
    accusations,
    paid: () => attempts.length,
    paidNow: () => present.paid,
    stoppedAt: () => present.stoppedAt,
  }
}

/** A run counts as failed when the service has said so twice. */
export function hasFailed({ ends, failuresTold }: Charge): boolean {
  return !hasFiles(ends) && failuresTold >= 2
}

/** What came is no result, and lies where the user was told, or did. */
function cameAsNone(charge: Charge | undefined): boolean {
  return charge?.ends === 'odd' && (charge.isDelivered || charge.isThrownAway)
}

function doingOf(permit: Permit): Doing {
  return { permit, waitUntil: 0, journalBrokeAt: undefined, stoppedAt: undefined, paid: 0, unkept: [] }
}

function twiceText(
  { job, what }: Ordering,
  earlier: readonly Attempt[],
  chargeOf: (attempt: Attempt) => Charge | undefined,
): string {
  const open = earlier.find(each => !chargeOf(each)?.isDelivered)
  if (open)
    return `P1: ${job} ordered ${what}, and nothing is known of the order of ${open.job} from ${open.at}`
  return `P5: ${job} ordered ${what} again, and it is there`
}

/** P1: whether an order may be followed by another of the same, for this job: whose it was then does not count. */
function mayFollow(
  job: JobAddress,
  { isOver, isGivenUp }: Attempt,
  charge: Charge | undefined,
  permit: Permit,
): boolean {
  if (isOver || (isGivenUp && permit.failedToo)) return true
  if (!charge) return false
  // Asked for by name, where it is told to be gone.
  if (permit.rebuysAt !== undefined) return true
  // What nobody ordered is no result, and lies where the user was told.
  if (cameAsNone(charge)) return permit.failedToo
  return hasFailed(charge) && (permit.failedToo || permit.retriesOf(job) > 0)
}
