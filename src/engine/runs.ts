import type { JobAddress, PurchaseId } from '../base/names.ts'
import type { RunRef } from '../base/state.ts'

/** The runs of this process, by whose they are: a service that gives one id to two orders is noticed. */
export interface Runs {
  add(run: RunRef, owner: RunOwner): void
  /** Whose the run is, when that is another purchase than this one. */
  ownerOf(run: RunRef, purchase: PurchaseId): JobAddress | undefined
  /** Another order was given the run as well: whoever has it can no longer believe what comes. */
  distrust(run: RunRef, other: JobAddress): void
  /** The other order of a run that is not to be believed. */
  whyDistrusted(run: RunRef): JobAddress | undefined
}

interface RunOwner {
  readonly purchase: PurchaseId
  readonly label: JobAddress
}

export function openRuns(): Runs {
  const owners = new Map<string, RunOwner>()
  const shared = new Map<string, JobAddress>()
  return {
    add: (run, owner) => void owners.set(nameOf(run), owner),
    ownerOf(run, purchase) {
      const owner = owners.get(nameOf(run))
      return owner && owner.purchase !== purchase ? owner.label : undefined
    },
    distrust: (run, other) => void shared.set(nameOf(run), other),
    whyDistrusted: run => shared.get(nameOf(run)),
  }
}

/** Why an order is in doubt that was given the run of another. */
export function sharedText({ id }: RunRef, other: string): string {
  return `the service gave it the run ${id}, and gave the same run to ${other}`
}

function nameOf({ origin = '', id }: RunRef): string {
  return `${origin} ${id}`
}
