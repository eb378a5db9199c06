import type { JobAddress, RunId } from '../../src/base/names.ts'
import type { Charge } from './service.ts'

/** One paid request of which at least one byte left. */
export interface Attempt {
  readonly job: JobAddress
  readonly at: number
  /** The client was given an answer that definitely refuses it, or its owner declared it over. */
  isOver: boolean
  charge?: Charge
}

/** What the present process may do. */
export interface Permit {
  /** The user orders again what failed. */
  readonly failedToo: boolean
  /** How often a job's own run may be ordered again after a failure, without asking. */
  readonly retriesOf: (job: JobAddress) => number
}

/** Sees everything that leaves the process and everything that it is told, and knows what it must not do. */
export interface Witness {
  /** A new process. */
  begins(permit: Permit): void
  /** A request to the service begins. */
  asks(what: string): void
  polls(id: RunId): void
  /** The first byte of a paid request leaves. */
  leaves(job: JobAddress): Attempt
  /** The service asked to be left alone until that date, and the process has heard it. */
  isAskedToWait(until: number): void
  journalFails(): void
  stops(): void
  tellsId(id: RunId): void
  /** The user declares all earlier orders of the job over. */
  settles(job: JobAddress): void
  accuse(what: string): void
  attemptsOf(job: JobAddress): readonly Attempt[]
  /** Jobs that a paid request was sent for. */
  jobs(): ReadonlySet<JobAddress>
  readonly accusations: readonly string[]
  readonly paid: () => number
  readonly stoppedAt: () => number | undefined
}

export function openWitness(now: () => number): Witness {
  const attempts: Attempt[] = []
  const accusations: string[] = []
  const told = new Set<RunId>()
  let permit: Permit = { failedToo: false, retriesOf: () => 0 }
  let waitUntil = 0
  let isJournalBroken = false
  let stoppedAt: number | undefined
  const accuse = (what: string) => void accusations.push(what)

  return {
    begins(its) {
      permit = its
      waitUntil = 0
      isJournalBroken = false
      stoppedAt = undefined
    },
    asks(what) {
      if (now() < waitUntil)
        accuse(`P21: ${what} ${waitUntil - now()} ms before the service wants to hear from us`)
    },
    polls(id) {
      if (!told.has(id)) accuse(`P4: ${id} was polled before anybody was told of it`)
    },
    leaves(job) {
      for (const earlier of attempts) {
        if (earlier.job === job && !mayFollow(earlier, permit))
          accuse(`P1: ${job} was sent again, and nothing is known of the order from ${earlier.at}`)
      }
      if (isJournalBroken) accuse(`P16: ${job} was bought although the journal could not be written`)
      if (stoppedAt !== undefined) accuse(`P38: ${job} was bought after the stop`)
      const attempt = { job, at: now(), isOver: false }
      attempts.push(attempt)
      return attempt
    },
    isAskedToWait: until => {
      waitUntil = Math.max(waitUntil, until)
    },
    journalFails: () => {
      isJournalBroken = true
    },
    stops: () => {
      stoppedAt ??= now()
    },
    tellsId: id => void told.add(id),
    settles(job) {
      for (const attempt of attempts) if (attempt.job === job) attempt.isOver = true
    },
    accuse,
    attemptsOf: job => attempts.filter(attempt => attempt.job === job),
    jobs: () => new Set(attempts.map(attempt => attempt.job)),
    accusations,
    paid: () => attempts.length,
    stoppedAt: () => stoppedAt,
  }
}

/** P1: whether an order may be followed by another of the same job. */
function mayFollow({ job, isOver, charge }: Attempt, permit: Permit): boolean {
  if (isOver) return true
  // A run counts as failed when the service has said so twice.
  const hasFailed = charge !== undefined && charge.ends !== 'well' && charge.failuresTold >= 2
  return hasFailed && (permit.failedToo || permit.retriesOf(job) > 0)
}
