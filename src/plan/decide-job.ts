import { isDeepStrictEqual } from 'node:util'
import { defined } from '../base/defined.ts'
import { failureMessage, unusableDetail } from '../base/failure.ts'
import type { JobAddress } from '../base/names.ts'
import {
  type DonePurchase,
  type DoubtfulPurchase,
  type FailedPurchase,
  isTaken,
  orderOf,
  type Purchase,
  type RunningPurchase,
} from '../base/purchase.ts'
import type { Job } from '../manifest/shapes/job.ts'
import { isUnread } from '../store/lock/lock-salvage.ts'
import { buy, buyAgain, restore } from './buy.ts'
import { identify, reasonsOf, wasChanged } from './differences.ts'
import { elsewhere, type Facts, type Standing } from './facts.ts'
import { failedInNumber } from './failed-number.ts'
import { type Offer, offersFor } from './offers.ts'
import { firstTake } from './picks.ts'
import type { Reason } from './reasons.ts'
import { compareRecipes, type DraftRecipe, draftRecipe } from './recipe.ts'
import { recipesOf } from './register.ts'
import { type ShortBy, shortBy } from './share.ts'
import type { GivenUp, Hold, Step } from './step.ts'
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
  if (!isMeant || !isThere(facts.standing(last, job))) return undefined
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

function afterFailure(job: Job, draft: DraftRecipe, purchase: FailedPurchase, table: Table): Step {
  const { flaw, billed, files } = purchase
  const { choices, facts } = table
  if (billed === 'no') return buy(job, draft, [{ why: 'refused-before', detail: flaw.message }], table)
  const taken = takenAsItIs(job, purchase, table)
  if (taken) return taken
  // Free before paid: another checkout has made it.
  const restored = choices.redo?.has(job.address) ? undefined : restore(job, draft, table)
  if (restored) return restored
  const again = choices.rebuy && flaw.why === 'gone' ? '--rebuy' : undefined
  const word = choices.redo?.has(job.address) ? redoWord(choices) : choices.failed ? '--failed' : again
  if (!word) {
    const isGone = flaw.why === 'gone' && { isGone: true as const }
    const came = asResult(purchase)
    const lost = came ? lostOf(facts.standing(came, job)) : []
    const more = { ...isGone, ...defined({ files }), ...(lost.length > 0 && { lost }) }
    return { do: 'hold', job, because: { ...failedBefore(purchase), ...more } }
  }
  const far = word === '--failed' && !choices.rebuy && unasked(purchase, facts)
  if (far) return { do: 'hold', job, because: far.because }
  // Of a retake that failed the job has what failed its looks: whoever is asked before much is bought again is asked about it, too.
  const order = word === retakesWord ? buyAgain : buy
  return asking(order(job, draft, [{ why: 'asked', word }], table), purchase, facts)
}

function failedBefore({ id, flaw }: FailedPurchase): Hold & { why: 'failed-before' } {
  return { why: 'failed-before', purchase: id, message: flaw.message }
}

const retakesWord = '`retakes`'

/** By whose word what is there, or failed, is ordered again. */
function redoWord({ isRetake }: Table['choices']): typeof retakesWord | 'redo' {
  return isRetake ? retakesWord : 'redo'
}

/**
 * Where the run has to be asked for before another is paid for, and is not by this address: that it is gone was seen in a few
 * looks only, and it may bring its result yet.
 */
function unasked({ run, flaw, recipe }: FailedPurchase, facts: Facts) {
  return flaw.why === 'gone' ? elsewhere(run, facts, recipe.service) : undefined
}

/** What came and is no result becomes one by a person's word. */
function takenAsItIs(job: Job, purchase: FailedPurchase, { choices, facts }: Table): Step | undefined {
  const entry = asResult(purchase)
  if (!entry || !choices.accept?.has(job.address)) return undefined
  if (!isThere(facts.standing(entry, job))) return undefined
  return { do: 'adopt', job, entry, from: purchase.address, accepted: takenOf(entry) }
}

function asResult(purchase: FailedPurchase): DonePurchase | undefined {
  const { files, flaw, run } = purchase
  return files && { ...orderOf(purchase), is: 'done', files, flaw, ...defined({ run }) }
}

/** How a result differs from what is asked for, where a person took it for that. */
function acceptedOf(job: Job, draft: DraftRecipe, entry: DonePurchase, table: Table): readonly Reason[] {
  const changed = entry.acceptedAs ? reasonsOf(job, entry.recipe, draft, table) : []
  const short = entry.acceptedAs && shortBy(job, entry.files.length)
  return [...takenOf(entry), ...(short ? [shortTaken(short)] : []), ...changed]
}

function takenOf({ flaw }: DonePurchase): readonly Reason[] {
  return flaw && isTaken(flaw) ? [{ why: 'taken', detail: unusableDetail(flaw) }] : []
}

/** A person took it although files are missing. */
function shortTaken({ got, asked }: ShortBy): Reason {
  return { why: 'taken', detail: failureMessage({ why: 'short-delivery', asked, got }) }
}

/**
 * Free before paid: the run that was paid for is asked once more, where it can be. Of one whose files are at hand it is known
 * what would come.
 */
function asking(step: Step, was: FailedPurchase | DonePurchase, facts: Facts): Step {
  const { id, recipe, run } = was
  // What a person took for a result of another service was made there.
  if (step.do !== 'buy' || !run || recipe.service !== step.job.service) return step
  if (elsewhere(run, facts, recipe.service)) return step
  if (was.is === 'failed' && was.files) return step
  const hasFailed = was.is === 'failed' && was.flaw.why === 'remote'
  return { ...step, ask: { purchase: id, recipe, run, ...(hasFailed && { hasFailed }) } }
}

function afterDone(
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
  if (short && choices.accept?.has(job.address) && isThere(standing))
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

/** A result of which files are gone. `kept`: what is done where nobody misses them; absent for what has no name of its own here. */
interface Loss {
  readonly entry: DonePurchase
  readonly standing: Standing & { is: 'missing' }
  readonly kept: (Step & { do: 'keep' }) | undefined
}

function afterLoss(job: Job, draft: DraftRecipe, { entry, standing, kept }: Loss, table: Table): Step {
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

/** Of a take that nobody asks for, and nobody chose, nothing more is ordered. */
function isUnwantedTake({ address }: Job, { picked }: DonePurchase, { further }: Table['choices']): boolean {
  return further?.has(address) === true && !picked
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

function lostOf(standing: Standing): readonly string[] {
  return standing.is === 'missing' || standing.is === 'altered' ? standing.paths : []
}

function isThere({ is }: Standing): boolean {
  return is === 'whole' || is === 'elsewhere'
}
