import type { JobAddress } from '../base/names.ts'
import type { DonePurchase } from '../base/purchase.ts'
import type { Recipe } from '../base/state.ts'
import type { Task } from '../engine/world.ts'
import type { Fleet } from '../fleet/fleet.ts'
import type { FleetWork } from '../fleet/works.ts'
import type { FileRef, Job } from '../manifest/shapes/job.ts'
import { jobCost } from '../plan/bill.ts'
import { draftRecipe, linkIdentity } from '../plan/shapes/recipe.ts'
import { recipeKey } from '../store/cache/cache-text.ts'
import { digestOf } from '../store/files/digest.ts'
import { fleetTask } from './planner/fleet-job.ts'
import { queueOf } from './planner/fleet-records.ts'
import type { Run } from './run.ts'

/** Of those that the tasks need, the ones that no worker makes. */
export function resultsBefore(
  tasks: readonly Task[],
  { ledger }: Run,
): ReadonlyMap<JobAddress, DonePurchase> {
  const theirs = new Set(tasks.map(({ job }) => job.address))
  const needs = tasks.flatMap(({ job }) => job.needs.filter(need => !theirs.has(need)))
  return new Map(
    [...new Set(needs)].flatMap(need => {
      const made = ledger.made(need)
      return made ? [[need, made] as const] : []
    }),
  )
}

/**
 * The jobs for the store. What identifies an order is what decides its result, with files that are not made yet by what makes them;
 * and a number, as the same may be wanted twice, or have been bought before and be wanted again.
 */
export async function fleetWorks(
  tasks: readonly Task[],
  batch: string,
  run: Run,
  store: Fleet['store'],
): Promise<readonly FleetWork[]> {
  const { setting, ledger, planned } = run
  const theirs = new Set(tasks.map(({ job }) => job.address))
  const identities = new Map<JobAddress, string>()
  const many = new Map<string, number>()
  const identify = (ref: FileRef): string | undefined => {
    if (ref.from === 'url') return linkIdentity(ref.url)
    if (ref.from === 'path') return planned.inputs?.digests.get(ref.path)
    return typeof ref.nth === 'number' ? ledger.made(ref.address)?.files[ref.nth]?.digest : undefined
  }
  const named = tasks.map(({ job }) => {
    const draft = draftRecipe(job, ref =>
      ref.from === 'job' && theirs.has(ref.address) ? undefined : identify(ref),
    )
    const open = draft.open.map(address => identities.get(address) ?? address)
    const content = digestOf([recipeKey(draft.recipe), open])
    identities.set(job.address, content)
    return { job, content, recipe: draft.recipe }
  })
  const taken = new Set<string>()
  // Of each, as many as this plan may come to: those that are known are counted past.
  for (let isDone = false; !isDone; ) {
    many.clear()
    const wanted = named.map(({ content }) => numbered(content, many, taken))
    const known = await store.known(batch, wanted)
    isDone = known.size === 0
    for (const each of known) taken.add(each)
    if (isDone) return named.map((each, nth) => workOf(each, wanted[nth] ?? '', theirs, run))
  }
  return []

  function workOf(
    { job, recipe }: { readonly job: Job; readonly recipe: Recipe },
    identity: string,
    away: ReadonlySet<JobAddress>,
    { setting: { prices } }: Run,
  ): FleetWork {
    const cost = jobCost(job, prices)
    const made = Object.fromEntries(
      job.needs.flatMap(need => {
        const entry = away.has(need) ? undefined : ledger.made(need)
        return entry ? [[need, entry] as const] : []
      }),
    )
    const price = cost.is === 'known' ? cost.amount : 0
    return {
      address: job.address,
      identity,
      queue: queueOf(setting),
      needs: [...new Set(job.needs.filter(need => away.has(need)))],
      task: fleetTask(job, { recipe, price, made }),
    }
  }
}

function numbered(content: string, many: Map<string, number>, taken: ReadonlySet<string>): string {
  let nth = many.get(content) ?? 0
  do nth++
  while (taken.has(`${content}#${nth}`))
  many.set(content, nth)
  return `${content}#${nth}`
}
