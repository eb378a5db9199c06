import { defined } from '../base/defined.ts'
import { failureMessage, unusableDetail } from '../base/failure.ts'
import { type JobAddress, type Json, purchaseId } from '../base/names.ts'
import {
  type DonePurchase,
  type DoubtfulPurchase,
  type FailedPurchase,
  isTaken,
  orderOf,
  type Purchase,
  type RunningPurchase,
} from '../base/purchase.ts'
import type { RunRef } from '../base/state.ts'
import type { Job } from '../manifest/shapes/job.ts'
import { orderByNeeds } from '../manifest/shapes/order.ts'
import { digestOf } from '../store/files/digest.ts'
import { isUnread } from '../store/lock/lock-salvage.ts'
import { identify, reasonsOf, wasChanged } from './differences.ts'
import type { Facts, Standing } from './facts.ts'
import { type Offer, offersFor } from './offers.ts'
import type { Reason } from './reasons.ts'
import { compareRecipes, type DraftRecipe, draftRecipe } from './recipe.ts'
import { type Register, recipesOf, registerOf } from './register.ts'
import { type ShortBy, shortBy } from './rests.ts'
import { type Choices, type Hold, isJobStep, type Plan, type Step } from './step.ts'
import type { Lessons, Table } from './table.ts'

/** The difference between what is wanted, what is recorded and what is there. Pure: no write, no request. */
export function planJobs(jobs: readonly Job[], facts: Facts, choices: Choices = {}): Plan {
  const told = needsFirst(jobs)
  const ordered = askedForFirst(told, choices)
  const wanted = new Map(jobs.map(job => [job.address, job]))
  let lessons: Lessons = { freed: new Set(), blocking: new Set() }
  let others: Register | undefined
  const elsewhere = () => (others ??= registerOf(facts.elsewhere?.() ?? []))
  for (;;) {
    const table: Table = {
      facts,
      choices,
      wanted,
      lessons,
      decided: new Map(),
      register: registerOf(facts.purchases),
      elsewhere,
    }
    for (const job of ordered) {
      const step = decideSelected(job, table)
      if (!isSuperseded(step, choices)) table.decided.set(job.address, step)
    }
    const learnt = lessonsOf(table)
    if (!learnt) return planOf(told, table)
    lessons = learnt
  }
}

/** As given, but nothing before what it needs. */
function needsFirst(jobs: readonly Job[]): readonly Job[] {
  if (jobs.every(job => job.needs.length === 0)) return jobs
  const byAddress = new Map(jobs.map(job => [job.address, job]))
  return orderByNeeds(jobs, job => job.needs.flatMap(need => byAddress.get(need) ?? [])).order
}

/** What the manifest asks for chooses before takes that nobody asks for, where need allows it. */
function askedForFirst(jobs: readonly Job[], { further }: Choices): readonly Job[] {
  if (!further || further.size === 0) return jobs
  const [asked, more] = [false, true].map(is => jobs.filter(({ address }) => further.has(address) === is))
  return needsFirst([...(asked ?? []), ...(more ?? [])])
}

/** Undefined when nothing was learnt. */
function lessonsOf({ facts, decided, wanted, lessons, register }: Table): Lessons | undefined {
  const buyers = [...decided.values()].flatMap(step => (step.do === 'buy' ? [step.job] : []))
  if (buyers.length === 0 || facts.purchases.length === 0) return undefined
  const left = register.left().filter(({ is, address }) => is !== 'open' && wanted.has(address))
  const sought = new Set(buyers.map(({ model, take, params }) => roughly(model.id, take, params.prompt)))
  const mayBeSought = (purchase: Purchase) =>
    recipesOf(purchase).some(
      ({ model, take, params, defaults }) =>
        'prompt' in defaults || sought.has(roughly(model, take, params.prompt)),
    )
  const freed = left.filter(each => !lessons.freed.has(each.id) && mayBeSought(each))
  if (freed.length > 0)
    return { ...lessons, freed: new Set([...lessons.freed, ...freed.map(({ id }) => id)]) }
  // By now another job would have taken the doubt: it is about what nobody asks for, and its own job must not buy past it.
  const buying = new Set(buyers.map(({ address }) => address))
  const blocking = left.filter(({ is, address }) => is === 'doubt' && buying.has(address))
  if (blocking.every(({ id }) => lessons.blocking.has(id))) return undefined
  return { ...lessons, blocking: new Set([...lessons.blocking, ...blocking.map(({ id }) => id)]) }
}

/** What sets most jobs of a manifest apart: only what is alike in it is worth another round. */
function roughly(...parts: readonly (Json | undefined)[]): string {
  return JSON.stringify(parts)
}

function planOf(told: readonly Job[], { decided, choices, register, facts }: Table): Plan {
  const others = choices.only
    ? []
    : register.left().flatMap(purchase => leftover(purchase, decided, facts) ?? [])
  const steps = told
    .flatMap(({ address }) => decided.get(address) ?? [])
    .filter(step => !isLeft(step, choices))
    .map(step =>
      step.do === 'resume' && hasSpare(step, register) ? { ...step, hasSpare: true as const } : step,
    )
  const last = others.toSorted((a, b) => Number(a.do === 'drop') - Number(b.do === 'drop') || byAddress(a, b))
  return { steps: [...steps, ...last], buys: steps.filter(step => step.do === 'buy').length }
}

function hasSpare({ purchase }: Step & { do: 'resume' }, register: Register): boolean {
  return recipesOf(purchase)
    .flatMap(recipe => register.like(recipe))
    .some(({ id, is }) => (is === 'done' || is === 'under-way') && !register.isClaimed(id))
}

/** As the lock has them, whatever the journal still knows of the order in which they were bought. */
function byAddress({ address: a }: Leftover, { address: b }: Leftover): number {
  return a === b ? 0 : a < b ? -1 : 1
}

type Leftover = Extract<Step, { do: 'aside' | 'drop' }>

/** What is done about a purchase that no job asks for; nothing about what only stands beside another of its job. */
function leftover(purchase: Purchase, decided: Table['decided'], facts: Facts): Leftover | undefined {
  const { address, is } = purchase
  if (is === 'under-way') {
    if (purchase.atWork) return undefined
    const at = purchase.files ? undefined : elsewhere(purchase.run, facts, purchase.recipe.service)?.at
    return { do: 'aside', address, purchase, ...defined({ elsewhere: at }) }
  }
  const isOfNobody = !decided.has(address)
  const isPlaced = is === 'done' && !purchase.aside
  const isTold = is === 'doubt' || (isOfNobody && (isPlaced || (is === 'failed' && purchase.billed !== 'no')))
  return isTold ? { do: 'drop', address, purchase } : undefined
}

/** A take beyond those of the manifest that is not what the job asks for any more. */
function isSuperseded(step: Step, { further, redo }: Choices): boolean {
  if (!isJobStep(step) || !further?.has(step.job.address) || redo?.has(step.job.address)) return false
  // One that failed leaves its number free, whatever else was bought under it: only another `redo` orders it.
  if (step.do === 'hold') return ['needs', 'unpicked', 'failed-before'].includes(step.because.why)
  // One that is gone is bought again by the user's word, as any other.
  return step.do === 'buy' && !step.because.some(each => each.why === 'asked' && each.word !== '--failed')
}

/** What is not selected is not carried out: others can count on it only when it is there already. */
function decideSelected(job: Job, table: Table): Step {
  const step = decide(job, table)
  if (isSelected(job.address, table.choices) || step.do === 'keep') return step
  return { do: 'hold', job, because: { why: 'not-selected' } }
}

function isLeft(step: Step, choices: Choices): boolean {
  return isJobStep(step) && !isSelected(step.job.address, choices)
}

function isSelected(address: JobAddress, { only }: Choices): boolean {
  return only === undefined || only.has(address)
}

function decide(job: Job, table: Table): Step {
  const draft = draftRecipe(job, ref => identify(ref, table))
  const offers = offersFor(job, draft, table)
  const [best] = offers
  const step = best ? take(job, draft, best, table) : withoutOffer(job, draft, table)
  const doubt = step.do === 'buy' ? doubtBefore(job, offers, table) : undefined
  if (!doubt) return toldElsewhere(step, draft, table)
  table.register.claim(doubt.id)
  return { do: 'doubt', job, purchase: doubt }
}

/**
 * Nobody buys past an order in doubt, by whatever word: one of what the job asks for now, or one that was for it and that
 * nobody else asks for.
 */
function doubtBefore(
  { address }: Job,
  offers: readonly Offer[],
  { register, lessons }: Table,
): DoubtfulPurchase | undefined {
  const own = register.at(address).filter(({ id }) => lessons.blocking.has(id))
  return [...offers.map(({ purchase }) => purchase), ...own].find(
    (each): each is DoubtfulPurchase => each.is === 'doubt' && !register.isClaimed(each.id),
  )
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
      return buy(job, draft, [{ why: 'new' }], table)
  }
}

function resume(job: Job, purchase: RunningPurchase, { facts }: Table): Step {
  const { run, files = [], atWork } = purchase
  if (atWork) return { do: 'hold', job, because: { why: 'at-work' } }
  const far = files.length === 0 ? elsewhere(run, facts, purchase.recipe.service) : undefined
  if (far) return { do: 'hold', job, because: far.because }
  return { do: 'resume', job, purchase, ...(purchase.address !== job.address && { from: purchase.address }) }
}

/** A run is asked for at the service that accepted it: somebody else's run may have the same id. */
function elsewhere(run: RunRef | undefined, { origin, origins }: Facts, service: string | undefined) {
  if (!run) return undefined
  const asked = service === undefined ? origin : ownOf(origins, service)
  // Where services can be named, all of them are known that are asked.
  if (asked === undefined && origins === undefined) return undefined
  if (asked !== undefined && (run.origin ?? asked) === asked) return undefined
  const shown = asked ?? (service === undefined ? 'no usual service' : `no service called ${service}`)
  return {
    at: run.origin ?? service ?? shown,
    because: { why: 'other-service', run, origin: shown } as const,
  }
}

function ownOf(origins: Facts['origins'] = {}, service: string): string | undefined {
  return Object.hasOwn(origins, service) ? origins[service] : undefined
}

/** Nothing that was bought is what the job asks for. */
function withoutOffer(job: Job, draft: DraftRecipe, table: Table): Step {
  const { register, choices } = table
  const own = register.at(job.address)
  if (choices.redo?.has(job.address)) return buy(job, draft, [{ why: 'asked', word: 'redo' }], table)
  const last = lastOf(own)
  if (!last) return buy(job, draft, [anew(job)], table)
  const because = reasonsOf(job, last.acceptedAs ?? last.recipe, draft, table)
  const accepted = last.is === 'done' && accept(job, draft, { last, because }, table)
  if (accepted) return accepted
  const reasons: readonly Reason[] = because.length > 0 ? because : [anew(job)]
  const isPaid = last.is === 'done' || last.is === 'under-way'
  if (!isPaid) return buy(job, draft, reasons, table)
  const step = buyAgain(job, draft, reasons, table)
  return step.do === 'buy' && mayStand(job, last, reasons, table) ? { ...step, standing: last } : step
}

function anew({ share }: Job): Reason {
  return share && share.from > 0 ? { why: 'rest', from: share.from, of: share.of } : { why: 'new' }
}

/** Only what is made anew before it speaks against it, and that may come out byte for byte as it was. */
function mayStand(
  job: Job,
  last: Purchase,
  reasons: readonly Reason[],
  { facts }: Table,
): last is DonePurchase {
  const isSound = last.is === 'done' && !last.aside && !last.flaw
  if (!isSound || !reasons.every(({ why }) => why === 'made-anew')) return false
  return facts.standing(last, job).is === 'whole'
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

function afterFailure(job: Job, draft: DraftRecipe, purchase: FailedPurchase, table: Table): Step {
  const { id, flaw, billed, files } = purchase
  const { choices, facts } = table
  if (billed === 'no') return buy(job, draft, [{ why: 'refused-before', detail: flaw.message }], table)
  const taken = takenAsItIs(job, purchase, table)
  if (taken) return taken
  const again = choices.rebuy && flaw.why === 'gone' ? '--rebuy' : undefined
  const word = choices.redo?.has(job.address) ? 'redo' : choices.failed ? '--failed' : again
  if (!word) {
    const isGone = flaw.why === 'gone' && { isGone: true as const }
    const came = asResult(purchase)
    const lost = came ? lostOf(facts.standing(came, job)) : []
    return {
      do: 'hold',
      job,
      because: {
        why: 'failed-before',
        purchase: id,
        message: flaw.message,
        ...isGone,
        ...defined({ files }),
        ...(lost.length > 0 && { lost }),
      },
    }
  }
  return asking(buy(job, draft, [{ why: 'asked', word }], table), purchase, facts)
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
  if (choices.redo?.has(job.address)) return buyAgain(job, draft, [{ why: 'asked', word: 'redo' }], table)
  const outdated = compareRecipes(entry.acceptedAs ?? entry.recipe, draft.recipe).filter(
    each => each.byCatalog,
  )
  const accepted = acceptedOf(job, draft, entry, table)
  const short = entry.acceptedAs ? undefined : shortBy(job, entry.files.length)
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
      return isOwn ? { ...kept, altered: standing.paths } : moved
    case 'elsewhere':
      return moved
    case 'missing': {
      const restored = restore(job, { ...draft, recipe: entry.recipe }, table)
      if (restored) return restored
      const far = elsewhere(entry.run, facts, entry.recipe.service)
      if (choices.rebuy) {
        return asking(buy(job, draft, [{ why: 'asked', word: '--rebuy' }], table), entry, facts)
      }
      if (far) return { do: 'hold', job, because: far.because }
      if (entry.run) return { do: 'fetch', job, entry, run: entry.run, missing: standing.paths }
      return { do: 'hold', job, because: { why: 'files-gone', paths: standing.paths } }
    }
  }
}

/** A job whose inputs cannot come now is held; what needs them would be bought in vain. */
function buy(job: Job, draft: DraftRecipe, because: readonly Reason[], table: Table): Step {
  const unpicked = Object.values(job.files)
    .flat()
    .find(ref => ref.from === 'job' && ref.nth === 'pick')
  if (unpicked?.from === 'job') {
    return { do: 'hold', job, because: { why: 'unpicked', address: unpicked.address } }
  }
  const missing = missingInput(job, table)
  if (missing) return { do: 'hold', job, because: missing }
  const blocked = [...draft.open, ...job.needs].find(address => !willBeDone(table.decided.get(address)))
  if (blocked) return { do: 'hold', job, because: { why: 'needs', address: blocked } }
  const isAskedFor = because.some(reason => reason.why === 'asked')
  if (isAskedFor) return { do: 'buy', job, because }
  return restore(job, draft, table) ?? { do: 'buy', job, because }
}

/** An order that was delivered short lacks the file, and only another order can bring it. */
function missingInput(job: Job, { decided }: Table): (Hold & { why: 'no-file' }) | undefined {
  for (const ref of Object.values(job.files).flat()) {
    if (ref.from !== 'job' || ref.nth === 'pick') continue
    const step = decided.get(ref.address)
    if (step?.do !== 'keep' && step?.do !== 'adopt') continue
    const files = step.entry.files.length
    if (ref.nth >= files) return { why: 'no-file', address: ref.address, nth: ref.nth, files }
  }
  return undefined
}

function restore(job: Job, { recipe, open }: DraftRecipe, { facts }: Table): Step | undefined {
  const found = open.length === 0 ? facts.cached?.(recipe) : undefined
  if (!found) return undefined
  const { address } = job
  // The same each time: what is taken from the cache twice is one purchase.
  const id = purchaseId(
    digestOf(['cached', address, { ...recipe, inputs: { ...recipe.inputs } }]).slice(7, 39),
  )
  return id && { do: 'restore', job, entry: { id, address, is: 'done', recipe, ...found } }
}

function lostOf(standing: Standing): readonly string[] {
  return standing.is === 'missing' || standing.is === 'altered' ? standing.paths : []
}

function isThere({ is }: Standing): boolean {
  return is === 'whole' || is === 'elsewhere'
}

function buyAgain(job: Job, draft: DraftRecipe, because: readonly Reason[], table: Table): Step {
  const step = buy(job, draft, because, table)
  return step.do === 'buy' ? { ...step, again: true } : step
}

function willBeDone(step: Step | undefined): boolean {
  return step !== undefined && step.do !== 'hold' && step.do !== 'doubt'
}
