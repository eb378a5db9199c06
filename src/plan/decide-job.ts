import type { DonePurchase, DoubtfulPurchase, Purchase, RunningPurchase } from '../base/purchase.ts'
import type { Job } from '../manifest/shapes/job.ts'
import { isUnread } from '../store/lock/lock-salvage.ts'
import { afterDone } from './after-done.ts'
import { afterFailure, failedBefore } from './after-failure.ts'
import { asking, redoWord } from './asking.ts'
import { buy, buyAgain } from './buy.ts'
import { identify, reasonsOf, wasChanged } from './differences.ts'
import { elsewhere, isAtHand } from './facts.ts'
import { failedInNumber } from './failed-number.ts'
import { type Offer, offersFor } from './offers.ts'
import { recipesOf } from './register.ts'
import type { Reason } from './shapes/reasons.ts'
import { type DraftRecipe, draftRecipe } from './shapes/recipe.ts'
import type { GivenUp, Step } from './shapes/step.ts'
import type { Table } from './table.ts'
import { isWished } from './takes.ts'

/** What is done about a job: about the best of what was bought for it, or about nothing when nothing is as it asks for. */
export function decideJob(job: Job, table: Table): Step {
  const draft = draftRecipe(job, ref => identify(ref, table))
  const offers = offersFor(job, draft, table)
  const [best] = offers
  const step = best ? take(job, draft, best, table) : withoutOffer(job, draft, table)
  const doubts = step.do === 'buy' ? doubtsBefore(job, offers, table) : []
  const [doubt] = step.do === 'doubt' ? [step.purchase] : doubts
  if (!doubt) return toldElsewhere(unlessFailed(step, table), draft, table)
  const claimed = (each: DoubtfulPurchase, ordered: Job): GivenUp => {
    table.register.claim(each.id)
    const asked = ordered === job ? draft : draftRecipe(ordered, ref => identify(ref, table))
    const isSame = recipesOf(each).some(was => !wasChanged(ordered, was, asked, table))
    return isSame ? { doubt: each } : { doubt: each, isOther: true }
  }
  const { isOther } = claimed(doubt, job)
  const stays: Step = { do: 'doubt', job, purchase: doubt, ...(isOther && { isOther }) }
  if (!table.choices.resubmit) return stays
  const anew = step.do === 'buy' ? step : buy(job, draft, [{ why: 'asked', word: '--resubmit' }], table)
  // What failed in the number of now takes a word of its own.
  if (anew.do !== 'buy' || (!table.choices.failed && failedInNumber(anew.job, table))) return stays
  const all = step.do === 'buy' ? doubts : [doubt, ...doubtsBefore(job, offers, table)]
  // In fewer files than the one in doubt was to bring it is another order.
  const insteadOf = all.map(each => claimed(each, anew.job))
  // Of a take that only a person asks for nothing else would tell, should its order be refused.
  const isFurther = table.choices.further?.has(job.address) && { renews: doubt }
  return toldElsewhere({ ...anew, ...isFurther, insteadOf }, draft, table)
}

/**
 * Nobody buys past an order in doubt, by whatever word but `--resubmit`: one of what the job asks for now, or one that was
 * for it and that nobody else asks for.
 */
function doubtsBefore(
  { address }: Job,
  offers: readonly Offer[],
  { register, lessons, choices }: Table,
): DoubtfulPurchase[] {
  const own = register.at(address).filter(({ id }) => lessons.blocking.has(id))
  const counted = choices.instead?.get(address) ?? []
  const doubts = [...offers.map(({ purchase }) => purchase), ...own, ...counted].filter(
    (each): each is DoubtfulPurchase => each.is === 'doubt' && !register.isClaimed(each.id),
  )
  return [...new Set(doubts)]
}

/** What of a job's files failed in the very number that it asks for is not ordered in parts either, unless somebody says so. */
function unlessFailed(step: Step, table: Table): Step {
  if (step.do !== 'buy' || step.because.some(({ why }) => why === 'asked')) return step
  const failed = failedInNumber(step.job, table)
  if (!failed) return step
  table.register.claim(failed.id)
  if (table.choices.failed) return { ...step, because: [{ why: 'asked', word: '--failed' }] }
  return { do: 'hold', job: step.job, because: failedBefore(failed) }
}

/** What is about to be bought, and is paid for by other records of the same manifest. */
function toldElsewhere(step: Step, draft: DraftRecipe, table: Table): Step {
  if (step.do !== 'buy') return step
  const { job } = step
  const others = table.elsewhere()
  const own = others
    .at(job.address)
    .filter(purchase => recipesOf(purchase).some(was => isUnread(was) || !wasChanged(job, was, draft, table)))
  const alike = draft.open.length === 0 ? others.like(draft.recipe) : []
  const elsewhere = [...own, ...alike].toSorted((a, b) => costOf(a) - costOf(b))[0]
  return elsewhere ? { ...step, elsewhere } : step
}

/** What there is for nothing goes before what somebody has to settle. */
function costOf({ is }: Purchase): number {
  return is === 'done' ? 0 : is === 'under-way' ? 1 : 2
}

function take(job: Job, draft: DraftRecipe, offer: Offer, table: Table): Step {
  const { purchase } = offer
  table.register.claim(purchase.id)
  const step = goOn(job, draft, offer, table)
  const isAnew = isWished(purchase, table.choices) && (step.do === 'buy' || step.do === 'hold')
  return isAnew ? { ...step, renews: purchase } : step
}

function goOn(job: Job, draft: DraftRecipe, offer: Offer, table: Table): Step {
  const { purchase } = offer
  switch (purchase.is) {
    case 'under-way':
      return resume(job, purchase, table)
    case 'doubt':
      return { do: 'doubt', job, purchase }
    case 'failed':
      return afterFailure(job, draft, purchase, table)
    case 'done':
      return afterDone(job, draft, { ...offer, purchase }, table)
    case 'open':
      return buy(job, draft, [{ why: 'asked', word: '`resolve --resubmit`' }], table)
  }
}

function resume(job: Job, purchase: RunningPurchase, { facts }: Table): Step {
  const { run, files = [], atWork } = purchase
  if (atWork) return { do: 'hold', job, because: { why: 'at-work' } }
  const far = files.length === 0 ? elsewhere(run, facts, purchase.recipe.service) : undefined
  if (far) return { do: 'hold', job, because: far.because }
  return { do: 'resume', job, purchase, ...(purchase.address !== job.address && { from: purchase.address }) }
}

/** Nothing that was bought is what the job asks for. */
function withoutOffer(job: Job, draft: DraftRecipe, table: Table): Step {
  const { register, choices } = table
  const own = register.at(job.address)
  if (choices.redo?.has(job.address)) {
    const asked: readonly Reason[] = [{ why: 'asked', word: redoWord(choices) }]
    return choices.isRetake ? buyAgain(job, draft, asked, table) : buy(job, draft, asked, table)
  }
  const last = lastOf(own)
  if (!last) return buy(job, draft, anew(job), table)
  const because = reasonsOf(job, last.acceptedAs ?? last.recipe, draft, table)
  const accepted = last.is === 'done' && accept(job, draft, { last, because }, table)
  if (accepted) return accepted
  const coming = last.is === 'under-way' && acceptComing(job, draft, { last, because }, table)
  if (coming) return coming
  const reasons: readonly Reason[] = because.length > 0 ? because : anew(job)
  const isPaid = last.is === 'done' || last.is === 'under-way'
  if (!isPaid) return buy(job, draft, reasons, table)
  const step = buyAgain(job, draft, reasons, table)
  return step.do === 'buy' && mayBeSame(last, reasons) ? orAsBefore(step, last, table) : step
}

/** What the job has stays, or is fetched where its files are gone, if what is made anew before it comes out as it was. */
function orAsBefore(step: Step & { do: 'buy' }, last: DonePurchase, { facts }: Table): Step {
  const { is } = facts.standing(last, step.job)
  if (is === 'whole') return { ...step, standing: last }
  const asked = is === 'missing' && !last.acceptedAs ? asking(step, last, facts) : step
  return asked.do === 'buy' && asked.ask ? { ...asked, ask: { ...asked.ask, isIfSame: true } } : asked
}

function anew({ share }: Job): readonly Reason[] {
  return share && share.from > 0 ? [{ why: 'rest', from: share.from, of: share.of }] : isNew
}

// One for all jobs: there may be a hundred thousand of them.
const isNew: readonly Reason[] = [{ why: 'new' }]

/** Only what is made anew before it speaks against it, and that may come out byte for byte as it was. */
function mayBeSame(last: Purchase, reasons: readonly Reason[]): last is DonePurchase {
  const isSound = last.is === 'done' && !last.aside && !last.flaw
  return isSound && reasons.every(({ why }) => why === 'made-anew')
}

/** What the job had last, by which the plan says what has changed. */
function lastOf(own: readonly Purchase[]): Exclude<Purchase, { is: 'open' }> | undefined {
  const told = own.flatMap(each => (each.is === 'open' ? [] : [each]))
  return (
    told.findLast(each => each.is === 'done' && !each.aside) ??
    told.findLast(each => each.is !== 'doubt') ??
    told.at(-1)
  )
}

function accept(
  job: Job,
  { recipe, open }: DraftRecipe,
  { last, because }: { readonly last: DonePurchase; readonly because: readonly Reason[] },
  { choices, facts, register }: Table,
): Step | undefined {
  const isMeant = choices.accept?.has(job.address) && open.length === 0 && !register.isClaimed(last.id)
  if (!isMeant || !isAtHand(facts.standing(last, job))) return undefined
  register.claim(last.id)
  return { do: 'adopt', job, entry: { ...last, acceptedAs: recipe }, from: last.address, accepted: because }
}

/** What `redo` ordered and is on its way goes with the takes that are there: the same `redo` would order one more beside it. */
function acceptComing(
  job: Job,
  { recipe, open }: DraftRecipe,
  { last, because }: { readonly last: RunningPurchase; readonly because: readonly Reason[] },
  table: Table,
): Step | undefined {
  const { choices, register } = table
  const isMeant = last.redo && choices.accept?.has(job.address) && open.length === 0
  if (!isMeant || register.isClaimed(last.id)) return undefined
  const step = resume(job, { ...last, acceptedAs: recipe }, table)
  if (step.do !== 'resume') return undefined
  register.claim(last.id)
  return { ...step, accepted: because }
}
