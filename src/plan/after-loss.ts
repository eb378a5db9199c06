import { isDeepStrictEqual } from 'node:util'
import type { JobAddress } from '../base/names.ts'
import type { DonePurchase } from '../base/purchase.ts'
import type { Job } from '../manifest/shapes/job.ts'
import { asking } from './asking.ts'
import { buy, restore } from './buy.ts'
import { elsewhere, type Standing } from './facts.ts'
import { firstTake } from './picks.ts'
import type { DraftRecipe } from './shapes/recipe.ts'
import type { Step } from './shapes/step.ts'
import type { Table } from './table.ts'

/** A result of which files are gone. `kept`: what is done where nobody misses them; absent for what has no name of its own here. */
interface Loss {
  readonly entry: DonePurchase
  readonly standing: Standing & { is: 'missing' }
  readonly kept: (Step & { do: 'keep' }) | undefined
}

/** What is lost is put back, fetched or missed, and ordered anew by a person’s word alone. */
export function afterLoss(job: Job, draft: DraftRecipe, { entry, standing, kept }: Loss, table: Table): Step {
  const { facts, choices } = table
  const { paths: missing, asked } = standing
  const restored = restore(job, { ...draft, recipe: entry.recipe }, table)
  const far = elsewhere(entry.run, facts, entry.recipe.service)
  const canFetch = entry.run !== undefined && !entry.isGone && !far
  if (restored && mayReplace(entry, restored, { canFetch, table })) return inPlaceOf(entry, restored)
  const isLeft = isUnwantedTake(job, entry, choices) && !entry.redo
  // All that the job asks for is there, in its places or altered by a hand.
  const whole = asked && kept && asked.is !== 'elsewhere' ? { ...kept, ...alteredIn(asked) } : undefined
  if (!canFetch && !far && isLeft)
    return { do: 'hold', job, because: { why: 'files-gone', paths: missing, isNobodys: true } }
  if (!canFetch && whole) return whole
  // What nobody has said to be gone is fetched, by whatever word: an order would count, and all that is made from it would be made anew.
  if (choices.rebuy && !canFetch)
    return asking(buy(job, draft, [{ why: 'asked', word: '--rebuy' }], table), entry, facts)
  if (far) return { do: 'hold', job, because: far.because }
  const { run } = entry
  if (!run) return { do: 'hold', job, because: { why: 'files-gone', paths: missing } }
  if (isLeft || whole) return { do: 'fetch', job, entry, run, missing, isNobodys: true }
  const isOther = (address: JobAddress) => table.wanted.get(address)?.take !== job.take
  const isAmongTakes = table.takesOf(firstTake(job.address)).some(isOther) && { isAmongTakes: true as const }
  return { do: 'fetch', job, entry, run, missing, ...isAmongTakes }
}

function alteredIn(standing: Standing): { readonly altered?: readonly string[] } {
  return standing.is === 'altered' ? { altered: standing.paths } : {}
}

/**
 * The cache may have another result of the same words, which somebody else bought. It serves where the lost one cannot be had any more, and
 * nothing was made from that: what was would be bought once more, and only a person says so.
 */
function mayReplace(
  lost: DonePurchase,
  { entry }: Step & { do: 'restore' },
  { canFetch, table }: { readonly canFetch: boolean; readonly table: Table },
): boolean {
  if (isTheSame(entry, lost)) return true
  const isUsed = lost.files.some(({ digest }) => table.inputs().has(digest))
  return !canFetch && (table.choices.rebuy === true || !isUsed)
}

/** What comes from the cache is the lost result itself where it is the very same, and what somebody picked in any case. */
function inPlaceOf(lost: DonePurchase, restored: Step & { do: 'restore' }): Step {
  const { aside: _, ...own } = lost
  const { job, entry } = restored
  if (isTheSame(entry, lost)) return { ...restored, entry: { ...own, address: job.address }, lost }
  return lost.picked ? { ...restored, entry: { ...entry, picked: true } } : restored
}

function isTheSame(one: DonePurchase, other: DonePurchase): boolean {
  return isDeepStrictEqual(digestsOf(one), digestsOf(other))
}

function digestsOf({ files }: DonePurchase): readonly string[] {
  return files.map(({ digest }) => digest)
}

/** Of a take that nobody asks for, and nobody chose, nothing more is ordered. */
export function isUnwantedTake(
  { address }: Job,
  { picked }: DonePurchase,
  { further }: Table['choices'],
): boolean {
  return further?.has(address) === true && !picked
}
