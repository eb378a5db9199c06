import { error } from '../base/diagnostic.ts'
import { type JobAddress, jobAddress } from '../base/names.ts'
import { firstTake } from '../plan/picks.ts'
import { isJobStep, type Step } from '../plan/step.ts'
import { adoptAll, moversOf } from './carry/adopt.ts'
import type { Busy } from './carry/busy.ts'
import type { Ledger } from './carry/ledger.ts'
import { type Desk, underClaim } from './carry/settle.ts'
import { type Drawn, drawPlan, type Refused } from './draw/draw.ts'
import type { GroundRequest } from './ground/ground.ts'
import type { Damaged } from './ground/recorded.ts'
import type { Wanted } from './ground/setting.ts'
import { unknownAddress } from './why.ts'

export type PickResult =
  | Refused
  | Damaged
  | Busy
  | {
      readonly got: 'picked'
      readonly address: JobAddress
      /** The files of the picked take, which have the job's bare name now. */
      readonly files: readonly string[]
      /** Jobs that were made from another take, and are bought by the next run. */
      readonly stale: readonly JobAddress[]
    }

/** Chooses a take (`hero#2`; `hero` or `hero#1` is the first): it gets the bare name, and others are made from it. */
export function pickTake(request: GroundRequest & { readonly address: string }): Promise<PickResult> {
  return underClaim(request, async ({ ground, recorded, drawn, ledger }): Promise<PickResult> => {
    const address = jobAddress(request.address.replace(/#1$/, ''))
    const job = drawn.jobs.find(each => each.address === address)
    if (!job) return { got: 'refused', problems: [unknownAddress(request.address, drawn.jobs)] }
    const step = drawn.plan.steps.find(each => isJobStep(each) && each.job.address === address)
    const isThere =
      step?.do === 'keep' || (step?.do === 'adopt' && step.from === address && !step.entry.aside)
    if (!isThere) {
      const hint = 'run the manifest first; only a take that is there can be picked'
      return { got: 'refused', problems: [error('not-made', job.at, `${address} is not made yet`, hint)] }
    }
    const again = await settlePick([address], { ground, wanted: request, recorded, ledger })
    if (again.got === 'refused') return again
    return {
      got: 'picked',
      address,
      files: ledger.made(address)?.files.map(file => file.path) ?? [],
      stale: again.plan.steps.flatMap(each => (each.do === 'buy' && each.again ? [each.job.address] : [])),
    }
  })
}

/** What is needed to give takes other names. */
interface PickDesk extends Pick<Desk, 'ground' | 'recorded' | 'ledger'> {
  readonly wanted: Wanted
}

/** Marks takes that are there, and gives all takes of their jobs the names that follow from it. */
export async function settlePick(
  addresses: Iterable<JobAddress>,
  { ground, wanted, recorded, ledger }: PickDesk,
): Promise<Drawn | Refused> {
  const families = new Set<JobAddress>()
  for (const address of addresses) {
    await markPick(address, ledger)
    families.add(firstTake(address))
  }
  const drawn = drawPlan(ground, wanted, { ...recorded, purchases: [...ledger.purchases.values()] })
  if (drawn.got === 'refused') return drawn
  const takes = drawn.plan.steps.filter(
    (each): each is Step & { do: 'adopt' } =>
      each.do === 'adopt' && each.from === each.job.address && families.has(firstTake(each.job.address)),
  )
  await adoptAll(takes, moversOf(ground, ledger))
  return drawn
}

/** One take of a job is marked, be it the first: `.pick` waits for a mark. */
async function markPick(address: JobAddress, ledger: Ledger): Promise<void> {
  for (const entry of ledger.purchases.values()) {
    if (entry.is !== 'done' || entry.aside || firstTake(entry.address) !== firstTake(address)) continue
    const isMeant = entry.address === address
    if (isMeant === (entry.picked === true)) continue
    const { picked: _, ...bare } = entry
    await ledger.stands(isMeant ? { ...bare, picked: true } : bare)
  }
}
