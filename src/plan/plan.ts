import { defined } from '../base/defined.ts'
import type { JobAddress, Json } from '../base/names.ts'
import { type Purchase } from '../base/purchase.ts'
import type { Job } from '../manifest/shapes/job.ts'
import { orderByNeeds } from '../manifest/shapes/order.ts'
import { isWaiting } from './buy.ts'
import { decideJob } from './decide-job.ts'
import { identify, wasChanged } from './differences.ts'
import { elsewhere, type Facts } from './facts.ts'
import { firstTake } from './picks.ts'
import { type Register, recipesOf, registerOf } from './register.ts'
import { draftRecipe } from './shapes/recipe.ts'
import { restBase } from './shapes/share.ts'
import { type Choices, isJobStep, type Plan, type Step } from './shapes/step.ts'
import type { Lessons, Table } from './table.ts'
import { type Twins, twinsAmong } from './twins.ts'

/** The difference between what is wanted, what is recorded and what is there. Pure: no write, no request. */
export function planJobs(jobs: readonly Job[], facts: Facts, choices: Choices = {}): Plan {
  const told = needsFirst(jobs)
  const wanted = new Map(jobs.map(job => [job.address, job]))
  const moved = new Map(jobs.flatMap(job => (job.share?.was ? [[job.share.was, job]] : [])))
  const takesOf = takesIn(jobs)
  const ordered = askedForFirst(told, choices, { wanted, takesOf })
  let lessons: Lessons = { freed: new Set(), blocking: new Set() }
  let others: Register | undefined
  const elsewhere = () => (others ??= registerOf(facts.elsewhere?.() ?? []))
  let used: ReadonlySet<string> | undefined
  const inputs = () => (used ??= inputsOf(facts.purchases))
  let alike: Twins | undefined
  const twins = () => (alike ??= twinsAmong(wanted, facts))
  for (;;) {
    const table: Table = {
      facts,
      choices,
      wanted,
      moved,
      takesOf,
      lessons,
      decided: new Map(),
      register: registerOf(facts.purchases),
      elsewhere,
      inputs,
      twins,
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

function takesIn(jobs: readonly Job[]): Table['takesOf'] {
  let byFirst: Map<JobAddress, JobAddress[]> | undefined
  return first => {
    if (!byFirst) {
      byFirst = new Map()
      for (const { address } of jobs) {
        const takes = byFirst.get(firstTake(address))
        if (takes) takes.push(address)
        else byFirst.set(firstTake(address), [address])
      }
    }
    return byFirst.get(first) ?? []
  }
}

function inputsOf(purchases: readonly Purchase[]): Set<string> {
  const made = purchases.filter(({ is }) => is === 'done')
  return new Set(made.flatMap(({ recipe }) => Object.values(recipe.inputs).flat()))
}

/** As given, but nothing before what it needs. */
function needsFirst(
  jobs: readonly Job[],
  awaits: (need: JobAddress, job: Job) => readonly JobAddress[] = need => [need],
): readonly Job[] {
  if (jobs.every(job => job.needs.length === 0)) return jobs
  const byAddress = new Map(jobs.map(job => [job.address, job]))
  const awaited = (job: Job) => job.needs.flatMap(need => awaits(need, job))
  return orderByNeeds(jobs, job => awaited(job).flatMap(need => byAddress.get(need) ?? [])).order
}

/**
 * What the manifest asks for chooses before takes that nobody asks for, where need allows it: of a job that says how often it is ordered
 * anew all takes are looked at before what needs it. What is made from a take that a person has to pick comes after all that the manifest
 * asks for: any of them may be the one.
 */
function askedForFirst(
  jobs: readonly Job[],
  { further }: Choices,
  { wanted, takesOf }: Pick<Table, 'wanted' | 'takesOf'>,
): readonly Job[] {
  const isMore = (address: JobAddress) => further?.has(address) === true
  if (!further?.size && !jobs.some(job => picksOf(job).length > 0)) return jobs
  const [asked, more] = [false, true].map(is => jobs.filter(({ address }) => isMore(address) === is))
  const awaits = (need: JobAddress, job: Job) => {
    if (further?.size && wanted.get(need)?.retakes !== undefined) return [need, ...takesOf(firstTake(need))]
    return picksOf(job).includes(need) ? [need, ...takesOf(need).filter(take => !isMore(take))] : [need]
  }
  return needsFirst([...(asked ?? []), ...(more ?? [])], awaits)
}

/** The jobs of which a person has to pick a take first. */
function picksOf({ files }: Job): readonly JobAddress[] {
  return Object.values(files)
    .flat()
    .flatMap(ref => (ref.from === 'job' && ref.nth === 'pick' ? [ref.address] : []))
}

/** Undefined when nothing was learnt. */
function lessonsOf({ facts, decided, wanted, moved, lessons, register }: Table): Lessons | undefined {
  const buyers = [...decided.values()].flatMap(step => (step.do === 'buy' ? [step.job] : []))
  if (buyers.length === 0 || facts.purchases.length === 0) return undefined
  const isOfSome = (address: JobAddress) => wanted.has(address) || moved.has(address)
  const left = register.left().filter(({ is, address }) => is !== 'open' && isOfSome(address))
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

function planOf(inOrder: readonly Job[], table: Table): Plan {
  const { decided, choices, register, facts } = table
  const isSelection = choices.only !== undefined && !choices.isLimitOnly
  const others = register
    .left()
    .flatMap(purchase => leftover(purchase, table) ?? [])
    // Of a job that is selected what is in doubt is told, whatever else it has.
    .filter(step => !isSelection || (step.do === 'drop' && step.isBeside && choices.only?.has(step.address)))
  // Whoever needs it is held by that, or is made already.
  const needed = new Set(inOrder.flatMap(({ needs }) => needs.map(firstTake)))
  const steps = inOrder
    .flatMap(({ address }) => decided.get(address) ?? [])
    .filter(step => !isLeft(step, choices))
    .map(step => {
      if (step.do === 'resume' && hasSpare(step, register)) return { ...step, hasSpare: true as const }
      if (step.do !== 'keep' || needed.has(firstTake(step.job.address))) return step
      const waits = isWaiting(step.job, table)
      return waits ? { ...step, waits } : step
    })
  const last = others.toSorted((a, b) => Number(a.do === 'drop') - Number(b.do === 'drop') || byAddress(a, b))
  return {
    steps: [...steps, ...last],
    buys: steps.filter(step => step.do === 'buy').length,
    ...defined({ unselected: isSelection ? unselectedBy([...steps, ...others], facts) : undefined }),
  }
}

/** Whoever looks at some jobs only must not believe that nothing else is owed. */
function unselectedBy(steps: readonly Step[], { purchases }: Facts): Plan['unselected'] {
  const told = new Set(steps.flatMap(purchasesTold).map(({ id }) => id))
  const owed = purchases.filter(({ id }) => !told.has(id))
  const doubts = owed.filter(({ is }) => is === 'doubt').length
  const running = owed.filter(each => each.is === 'under-way' && !each.atWork).length
  return doubts + running > 0 ? { doubts, running } : undefined
}

/** Those that a step is about, or that are over with it. */
function purchasesTold(step: Step): readonly Purchase[] {
  if ('purchase' in step) return [step.purchase]
  return step.do === 'buy'
    ? [...(step.insteadOf ?? []).map(({ doubt }) => doubt), ...(step.renews ? [step.renews] : [])]
    : []
}

function hasSpare({ purchase }: Step & { do: 'resume' }, register: Register): boolean {
  return recipesOf(purchase)
    .flatMap(recipe => register.like(recipe))
    .some(({ id, is }) => (is === 'done' || is === 'under-way' || is === 'doubt') && !register.isClaimed(id))
}

/** As the lock has them, whatever the journal still knows of the order in which they were bought. */
function byAddress({ address: a }: Leftover, { address: b }: Leftover): number {
  return a === b ? 0 : a < b ? -1 : 1
}

type Leftover = Extract<Step, { do: 'aside' | 'drop' }>

/** What is done about a purchase that no job asks for; nothing about what only stands beside another of its job. */
function leftover(purchase: Purchase, table: Table): Leftover | undefined {
  const { decided, facts } = table
  const { address, is } = purchase
  if (is === 'under-way') {
    if (purchase.atWork) return undefined
    const at = purchase.files ? undefined : elsewhere(purchase.run, facts, purchase.recipe.service)?.at
    return { do: 'aside', address, purchase, ...defined({ elsewhere: at }) }
  }
  const isOfNobody = !decided.has(address)
  const isPlaced = is === 'done' && !purchase.aside
  const isTold = is === 'doubt' || (isOfNobody && (isPlaced || (is === 'failed' && purchase.billed !== 'no')))
  if (!isTold || isLeftOut(decided.get(address))) return undefined
  const isFormer = isPlaced && decided.has(firstTake(restBase(address)))
  const isBeside = is === 'doubt' && isAskedBy(decided.get(address), purchase, table)
  return { do: 'drop', address, purchase, ...(isFormer && { isFormer }), ...(isBeside && { isBeside }) }
}

function isAskedBy(step: Step | undefined, purchase: Purchase, table: Table): boolean {
  if (!step || !isJobStep(step)) return false
  const draft = draftRecipe(step.job, ref => identify(ref, table))
  return recipesOf(purchase).some(was => !wasChanged(step.job, was, draft, table))
}

/** Its job is left for another run, which tells what there is of it. */
function isLeftOut(step: Step | undefined): boolean {
  return step?.do === 'hold' && step.because.why === 'not-selected'
}

/** A take beyond those of the manifest that is not what the job asks for any more. */
function isSuperseded(step: Step, { further, redo }: Choices): boolean {
  if (!isJobStep(step) || !further?.has(step.job.address) || redo?.has(step.job.address)) return false
  if ('renews' in step) return false
  // One that failed leaves its number free, whatever else was bought under it: only another `redo` orders it.
  if (step.do === 'hold') {
    const { because } = step
    if (because.why === 'files-gone') return because.isNobodys === true
    return ['needs', 'unpicked', 'unapproved', 'failed-before'].includes(because.why)
  }
  // One that is gone is bought again by the user's word, as any other.
  return step.do === 'buy' && !step.because.some(each => each.why === 'asked' && each.word !== '--failed')
}

/** What is not selected is not carried out: others can count on it only when it is there already. */
function decideSelected(job: Job, table: Table): Step {
  const step = decideJob(job, table)
  if (isSelected(job.address, table.choices) || step.do === 'keep') return step
  return { do: 'hold', job, because: { why: 'not-selected' } }
}

function isLeft(step: Step, choices: Choices): boolean {
  return isJobStep(step) && !isSelected(step.job.address, choices)
}

function isSelected(address: JobAddress, { only }: Choices): boolean {
  return only === undefined || only.has(address)
}
