import type { JobAddress, RunId } from '../../src/base/names.ts'
import type { Charge } from './service.ts'

/** One paid request of which at least one byte left. */
export interface Attempt {
  readonly job: JobAddress
  readonly what: string
  readonly key: string
  readonly at: number
  /** The client was given an answer that definitely refuses it, or its owner declared it over. */
  isOver: boolean
  charge?: Charge
}

/** What an order says about itself. */
export type Ordering = Pick<Attempt, 'job' | 'what' | 'key'>

/** What the present process may do. */
export interface Permit {
  /** The user orders again what failed. */
  readonly failedToo: boolean
  /** How often a job's own run may be ordered again after a failure, without asking. */
  readonly retriesOf: (job: JobAddress) => number
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
}

/** Sees everything that leaves the process and everything that it is told, and knows what it must not do. */
export interface Witness {
  /** A new process goes on from here, until another begins or goes on. */
  begins(permit: Permit): Doing
  /** One that was paused. */
  goesOn(doing: Doing): void
  /** A request to the service begins. */
  asks(what: string): void
  polls(id: RunId): void
  /** The process lets a paid request go; nothing of it has left yet. */
  letsGo(order: Ordering): void
  /** The first byte of a paid request leaves. */
  leaves(order: Ordering): Attempt
  /** The service asked to be left alone until that date, and the process has heard it. */
  isAskedToWait(until: number): void
  journalFails(doing: Doing): void
  stops(doing: Doing): void
  /** `isKept`: it is in the journal that the next process reads. */
  tellsId(id: RunId, isKept?: boolean): void
  /** The process says that the job's files are there. */
  delivers(job: JobAddress): void
  /** Whether a run's id was told by a process whose journal could be written: it is known for good. */
  isSafe(id: RunId): boolean
  /** The user declares all earlier orders of the job over. */
  settles(job: JobAddress): void
  accuse(what: string): void
  attemptsOf(job: JobAddress): readonly Attempt[]
  /** Jobs that a paid request was sent for. */
  jobs(): ReadonlySet<JobAddress>
  readonly accusations: readonly string[]
  readonly paid: () => number
  /** By the present process. */
  readonly paidNow: () => number
  readonly stoppedAt: () => number | undefined
}

export function openWitness(now: () => number, keysLiveMs: number): Witness {
  const attempts: Attempt[] = []
  const accusations: string[] = []
  const told = new Set<RunId>()
  const safe = new Set<RunId>()
  let present = doingOf({ failedToo: false, retriesOf: () => 0 })
  const accuse = (what: string) => void accusations.push(what)

  function add(order: Ordering): Attempt {
    const { job, what, key } = order
    const attempt = { job, what, key, at: now(), isOver: false }
    attempts.push(attempt)
    present.paid++
    return attempt
  }

  /** A service that honours keys knows all attempts with one key as one order. */
  function chargeOf(attempt: Attempt): Charge | undefined {
    if (attempt.charge || keysLiveMs === 0) return attempt.charge
    return attempts.find(each => each.key === attempt.key && each.charge)?.charge
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
    polls(id) {
      if (!told.has(id)) accuse(`P4: ${id} was polled before anybody was told of it`)
    },
    letsGo(order) {
      const { job } = order
      for (const earlier of attempts) {
        const isSettled =
          earlier.job === job && mayFollow({ ...earlier, charge: chargeOf(earlier) }, order, present.permit)
        if (isSettled) earlier.isOver = true
      }
      if (present.journalBrokeAt !== undefined && now() > present.journalBrokeAt)
        accuse(`P16: ${job} was bought although the journal could not be written`)
      if (present.stoppedAt !== undefined) accuse(`P38: ${job} was bought after the stop`)
    },
    leaves(order) {
      const { job } = order
      const earlier = attempts.filter(attempt => attempt.job === job)
      const first = earlier.find(attempt => attempt.key === order.key)
      if (first && now() <= first.at + keysLiveMs / 2) return add(order)
      const open = earlier.find(attempt => !attempt.isOver)
      if (open) accuse(`P1: ${job} was sent again, and nothing is known of the order from ${open.at}`)
      const last = earlier.findLast(attempt => attempt.charge)
      if (last?.charge?.isDelivered && last.what === order.what)
        accuse(`P5: ${job} was bought again, and nothing had changed`)
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
    tellsId(id, isKept = true) {
      told.add(id)
      if (isKept && present.journalBrokeAt === undefined) safe.add(id)
    },
    isSafe: id => safe.has(id),
    delivers(job) {
      for (const attempt of attempts) if (attempt.job === job && attempt.charge) deliver(attempt.charge)
    },
    settles(job) {
      for (const attempt of attempts)
        if (attempt.job === job && !attempt.charge?.isDelivered) attempt.isOver = true
    },
    accuse,
    attemptsOf: job =>
      attempts
        .filter(attempt => attempt.job === job)
        .map(attempt => ({ ...attempt, charge: chargeOf(attempt) })),
    jobs: () => new Set(attempts.map(attempt => attempt.job)),
    accusations,
    paid: () => attempts.length,
    paidNow: () => present.paid,
    stoppedAt: () => present.stoppedAt,
  }
}

function doingOf(permit: Permit): Doing {
  return { permit, waitUntil: 0, journalBrokeAt: undefined, stoppedAt: undefined, paid: 0 }
}

/** A process that says "done" has the run that did not fail. */
function deliver(charge: Charge): void {
  if (charge.ends === 'well') charge.isDelivered = true
}

/** P1: whether an order may be followed by another of the same job. */
function mayFollow(earlier: Attempt, order: Pick<Attempt, 'what'>, permit: Permit): boolean {
  const { job, isOver, charge, what } = earlier
  if (isOver || charge?.isDelivered) return true
  // A run counts as failed when the service has said so twice.
  const hasFailed = charge !== undefined && charge.ends !== 'well' && charge.failuresTold >= 2
  return hasFailed && (permit.failedToo || permit.retriesOf(job) > 0 || what !== order.what)
}
