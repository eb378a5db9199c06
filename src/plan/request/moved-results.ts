import type { JobAddress } from '../../base/names.ts'
import type { DonePurchase } from '../../base/purchase.ts'
import { firstTake } from '../picks.ts'
import { formerAddress, isJobStep, type JobStep, type Plan, type Step } from '../shapes/step.ts'

/** Where a plan brings results to that have another name, or that an edit had put aside. */

/**
 * An edit that was taken back: what was picked when it was put aside is picked again, unless another take is by now. `over`: what came
 * back, and is made anew all the same.
 */
export function picksThatCameBack(
  { steps }: Plan,
  picked: ReadonlySet<JobAddress>,
  over: ReadonlySet<JobAddress>,
): JobAddress[] {
  return steps.flatMap(step => {
    if (!isFromAside(step) || !step.entry.picked) return []
    const { address } = step.job
    return picked.has(firstTake(address)) || over.has(address) ? [] : [address]
  })
}

/**
 * Whether there are any that were not known. An address whose job keeps what it has was given to nobody. What lies aside under a name goes
 * after what has it, which may go elsewhere while the other comes back.
 */
export function noteRenames({ steps }: Plan, renamed: Map<JobAddress, JobAddress>): boolean {
  const kept = new Set(steps.flatMap(step => (isJobStep(step) && keepsOwn(step) ? [step.job.address] : [])))
  let isNew = false
  const [present, aside] = [false, true].map(is => steps.filter(step => isFromAside(step) === is))
  for (const step of [...(present ?? []), ...(aside ?? [])]) {
    const from = formerAddress(step)
    if (!isJobStep(step) || from === undefined || from === step.job.address) continue
    if (renamed.has(from) || kept.has(from)) continue
    renamed.set(from, step.job.address)
    isNew = true
  }
  return isNew
}

/** Whether there are any that were not known, of results that were put aside under a name which another job has by now. */
export function noteRestored({ steps }: Plan, restored: Map<JobAddress, Set<JobAddress>>): boolean {
  let isNew = false
  for (const step of steps) {
    if (!isFromAside(step)) continue
    const { address: from } = recordOf(step)
    const { address } = step.job
    if (firstTake(from) === firstTake(address)) continue
    const heirs = restored.get(firstTake(from)) ?? new Set()
    if (heirs.has(firstTake(address))) continue
    restored.set(firstTake(from), heirs.add(firstTake(address)))
    isNew = true
  }
  return isNew
}

/** Whether there are any that were not known, of picked results that go to another name. */
export function notePicked(
  { steps }: Plan,
  held: readonly JobAddress[],
  taken: Map<JobAddress, JobAddress>,
): boolean {
  const before = taken.size
  for (const step of steps) {
    if (!isBrought(step) || !step.entry.picked || recordOf(step).aside) continue
    const { address: from } = recordOf(step)
    if (from !== step.job.address && held.includes(from) && !taken.has(from))
      taken.set(from, step.job.address)
  }
  return taken.size > before
}

/** A result that was put aside gets a name again. */
function isFromAside(step: Step): step is Brought {
  return isBrought(step) && recordOf(step).aside === true
}

type Brought = Extract<Step, { do: 'keep' | 'adopt' | 'fetch' | 'restore' }>

function isBrought(step: Step): step is Brought {
  return isJobStep(step) && 'entry' in step
}

/** A result as it is recorded, which a cache may bring in its place. */
function recordOf(step: Brought): DonePurchase {
  return (step.do === 'restore' && step.lost) || step.entry
}

function keepsOwn(step: JobStep): boolean {
  switch (step.do) {
    case 'keep':
    case 'fetch':
    case 'adopt':
      return step.entry.address === step.job.address && !isFromAside(step)
    case 'restore':
      return step.lost?.address === step.job.address && !isFromAside(step)
    case 'resume':
    case 'doubt':
      return step.purchase.address === step.job.address
    default:
      return false
  }
}
