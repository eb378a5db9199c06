import { defined } from '../base/defined.ts'
import { failureMessage } from '../base/failure.ts'
import type { DonePurchase } from '../base/purchase.ts'
import type { Job } from '../manifest/shapes/job.ts'
import { takenOf } from './after-failure.ts'
import { afterLoss, isUnwantedTake } from './after-loss.ts'
import { asking, redoWord } from './asking.ts'
import { buy, buyAgain } from './buy.ts'
import { reasonsOf } from './differences.ts'
import { isAtHand } from './facts.ts'
import type { Offer } from './offers.ts'
import type { Reason } from './shapes/reasons.ts'
import { compareRecipes, type DraftRecipe } from './shapes/recipe.ts'
import { type ShortBy, shortBy } from './shapes/share.ts'
import type { Step } from './shapes/step.ts'
import type { Table } from './table.ts'

/** What is done about a result that is what its job asks for: it stays, moves, or its files are seen to. */
export function afterDone(
  job: Job,
  draft: DraftRecipe,
  { purchase: entry, standing = { is: 'whole' } }: Offer & { readonly purchase: DonePurchase },
  table: Table,
): Step {
  const { facts, choices } = table
  if (choices.redo?.has(job.address)) {
    const asked: readonly Reason[] = [{ why: 'asked', word: redoWord(choices) }]
    const isLost = standing.is === 'missing' && entry.isGone
    return isLost ? asking(buy(job, draft, asked, table), entry, facts) : buyAgain(job, draft, asked, table)
  }
  const outdated = compareRecipes(entry.acceptedAs ?? entry.recipe, draft.recipe).filter(
    each => each.byCatalog,
  )
  const accepted = acceptedOf(job, draft, entry, table)
  const isFull = entry.acceptedAs !== undefined || isUnwantedTake(job, entry, choices)
  const short = isFull ? undefined : shortBy(job, entry.files.length)
  const kept = {
    do: 'keep',
    job,
    entry,
    ...(outdated.length > 0 && { outdated }),
    ...(accepted.length > 0 && { accepted }),
    ...defined({ short }),
  } as const
  const moved = { do: 'adopt', job, entry, from: entry.address } as const
  const isOwn = entry.address === job.address
  if (short && choices.accept?.has(job.address) && isAtHand(standing))
    return { ...moved, entry: { ...entry, acceptedAs: draft.recipe }, accepted: [shortTaken(short)] }
  switch (standing.is) {
    case 'whole':
      return isOwn && !entry.aside ? kept : moved
    case 'altered':
      return { ...(isOwn ? kept : moved), altered: standing.paths }
    case 'elsewhere':
      return moved
    case 'missing':
      return afterLoss(job, draft, { entry, standing, kept: isOwn && !entry.aside ? kept : undefined }, table)
  }
}

/** How a result differs from what is asked for, where a person took it for that. */
function acceptedOf(job: Job, draft: DraftRecipe, entry: DonePurchase, table: Table): readonly Reason[] {
  const changed = entry.acceptedAs ? reasonsOf(job, entry.recipe, draft, table) : []
  const short = entry.acceptedAs && shortBy(job, entry.files.length)
  return [...takenOf(entry), ...(short ? [shortTaken(short)] : []), ...changed]
}

/** A person took it although files are missing. */
function shortTaken({ got, asked }: ShortBy): Reason {
  return { why: 'taken', detail: failureMessage({ why: 'short-delivery', asked, got }) }
}
