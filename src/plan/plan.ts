import type { JobAddress } from '../base/names.ts'
import type { LockEntry } from '../base/state.ts'
import type { Job } from '../manifest/job.ts'
import { orderByNeeds } from '../manifest/order.ts'
import { type Decided, identify, reasonsOf } from './differences.ts'
import type { Facts, Memory, Standing } from './facts.ts'
import { type Orphans, orphansAmong } from './orphans.ts'
import type { Reason } from './reasons.ts'
import { compareRecipes, type DraftRecipe, draftRecipe, sameRecipe } from './recipe.ts'
import type { Plan, Step, Wish } from './step.ts'

/** The difference between what is wanted, what is recorded and what is there. Pure: no write, no request. */
export function planJobs(jobs: readonly Job[], facts: Facts, wish: Wish = {}): Plan {
  const wanted = new Set(jobs.map(job => job.address))
  const orphans = orphansAmong([...facts.memories].filter(([address]) => !wanted.has(address)))
  const decided = new Map<JobAddress, Step>()
  const table = { facts, wish, decided, orphans }
  for (const job of needsFirst(jobs)) {
    const step = decideSelected(job, table)
    if (!isSuperseded(step, wish)) decided.set(job.address, step)
    else takeOff(job.address, table)
  }
  const drops = wish.only
    ? []
    : [...orphans.left()].map(([address, memory]): Step => ({ do: 'drop', address, memory }))
  const steps = [...decided.values(), ...drops].filter(step => !isLeft(step, wish))
  return { steps, buys: steps.filter(step => step.do === 'buy').length }
}

/** As given, but nothing before what it needs. */
function needsFirst(jobs: readonly Job[]): readonly Job[] {
  if (jobs.every(job => job.needs.length === 0)) return jobs
  const byAddress = new Map(jobs.map(job => [job.address, job]))
  return orderByNeeds(jobs, job => job.needs.flatMap(need => byAddress.get(need) ?? [])).order
}

interface Table extends Decided {
  readonly wish: Wish
  /** What no job claims; an adopted one is taken out. */
  readonly orphans: Orphans
}

/** A take beyond those of the manifest that is not what the job asks for any more. */
function isSuperseded(step: Step, { further, redo }: Wish): boolean {
  if (step.do === 'drop' || !further?.has(step.job.address) || redo?.has(step.job.address)) return false
  if (step.do === 'hold') return ['needs', 'unpicked'].includes(step.because.why)
  return step.do === 'buy'
}

function takeOff(address: JobAddress, { facts, orphans }: Table): void {
  const memory = facts.memories.get(address)
  if (memory) orphans.add(address, memory)
}

/** What is not selected is not carried out: others can count on it only when it is there already. */
function decideSelected(job: Job, table: Table): Step {
  const step = decide(job, table)
  if (isSelected(job.address, table.wish) || step.do === 'keep') return step
  return { do: 'hold', job, because: { why: 'not-selected' } }
}

function isLeft(step: Step, wish: Wish): boolean {
  return step.do !== 'drop' && !isSelected(step.job.address, wish)
}

function isSelected(address: JobAddress, { only }: Wish): boolean {
  return only === undefined || only.has(address)
}

function decide(job: Job, table: Table): Step {
  const draft = draftRecipe(job, ref => identify(ref, table))
  const memory = table.facts.memories.get(job.address)
  if (!memory && table.wish.redo?.has(job.address))
    return buy(job, draft, [{ why: 'asked', word: 'redo' }], table)
  if (!memory) return adoptOrBuy(job, draft, table)
  switch (memory.is) {
    case 'doubt':
      return { do: 'doubt', job, detail: memory.detail, ...(memory.sent && { sent: memory.sent }) }
    case 'under-way':
      return { do: 'resume', job, memory }
    case 'failed':
      return isAskedAgain(memory, draft)
        ? afterDone(job, draft, memory.made, table)
        : afterFailure(job, draft, memory, table)
    case 'done':
      return afterDone(job, draft, wantedEntry(memory, draft), table)
  }
}

function adoptOrBuy(job: Job, draft: DraftRecipe, table: Table): Step {
  for (const [from, memory] of draft.open.length > 0 ? [] : table.orphans.like(draft.recipe)) {
    if (memory.is === 'done' && sameRecipe(memory.entry.recipe, draft.recipe)) {
      if (table.facts.standing(memory.entry, job).is === 'missing') continue
      table.orphans.take(from)
      return { do: 'adopt', job, entry: memory.entry, from }
    }
    if (memory.is === 'under-way' && sameRecipe(memory.recipe, draft.recipe)) {
      table.orphans.take(from)
      return { do: 'resume', job, memory, from }
    }
  }
  return buy(job, draft, [{ why: 'new' }], table)
}

/** An edit was taken back after its order failed: what was made before is what is wanted. */
function isAskedAgain<Failed extends Memory & { is: 'failed' }>(
  memory: Failed,
  { recipe }: DraftRecipe,
): memory is Failed & { readonly made: LockEntry } {
  return (
    memory.made !== undefined && sameRecipe(memory.made.recipe, recipe) && !sameRecipe(memory.recipe, recipe)
  )
}

function afterFailure(job: Job, draft: DraftRecipe, memory: Memory & { is: 'failed' }, table: Table): Step {
  const changed = reasonsOf(job, memory.recipe, draft, table)
  if (changed.length > 0) return buy(job, draft, changed, table)
  if (memory.billed === 'no')
    return buy(job, draft, [{ why: 'refused-before', detail: memory.message }], table)
  if (table.wish.redo?.has(job.address)) return buy(job, draft, [{ why: 'asked', word: 'redo' }], table)
  if (table.wish.failed) return buy(job, draft, [{ why: 'asked', word: '--failed' }], table)
  return { do: 'hold', job, because: { why: 'failed-before', message: memory.message } }
}

function wantedEntry({ entry, other }: Memory & { is: 'done' }, draft: DraftRecipe): LockEntry {
  return other && !sameRecipe(entry.recipe, draft.recipe) && sameRecipe(other.recipe, draft.recipe)
    ? other
    : entry
}

function afterDone(job: Job, draft: DraftRecipe, entry: LockEntry, table: Table): Step {
  const because = reasonsOf(job, entry.recipe, draft, table)
  const standing = table.facts.standing(entry, job)
  if (because.length > 0) {
    const isAccepted = table.wish.accept?.has(job.address) && draft.open.length === 0
    if (!isAccepted || !isWhole(standing)) return buyAgain(job, draft, because, table)
    return {
      do: 'adopt',
      job,
      entry: { ...entry, recipe: draft.recipe },
      from: job.address,
      accepted: because,
    }
  }
  if (table.wish.redo?.has(job.address)) return buyAgain(job, draft, [{ why: 'asked', word: 'redo' }], table)
  const outdated = compareRecipes(entry.recipe, draft.recipe).filter(change => change.byCatalog)
  const kept = { do: 'keep', job, entry, ...(outdated.length > 0 && { outdated }) } as const
  switch (standing.is) {
    case 'whole':
      return kept
    case 'altered':
      return { ...kept, altered: standing.paths }
    case 'elsewhere':
      return { do: 'adopt', job, entry, from: job.address }
    case 'missing': {
      const restored = restore(job, { ...draft, recipe: entry.recipe }, table)
      if (restored) return restored
      if (table.wish.rebuy) return buyAgain(job, draft, [{ why: 'asked', word: '--rebuy' }], table)
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
  const blocked = [...draft.open, ...job.needs].find(address => !willBeDone(table.decided.get(address)))
  if (blocked) return { do: 'hold', job, because: { why: 'needs', address: blocked } }
  const isAskedFor = because.some(reason => reason.why === 'asked')
  if (isAskedFor) return { do: 'buy', job, because }
  return restore(job, draft, table) ?? { do: 'buy', job, because }
}

function restore(job: Job, { recipe, open }: DraftRecipe, { facts }: Table): Step | undefined {
  const found = open.length === 0 ? facts.cached?.(recipe) : undefined
  if (!found) return undefined
  return { do: 'restore', job, entry: { address: job.address, state: 'done', recipe, ...found } }
}

function isWhole({ is }: Standing): boolean {
  return is === 'whole' || is === 'elsewhere'
}

function buyAgain(job: Job, draft: DraftRecipe, because: readonly Reason[], table: Table): Step {
  const step = buy(job, draft, because, table)
  return step.do === 'buy' ? { ...step, again: true } : step
}

function willBeDone(step: Step | undefined): boolean {
  return step !== undefined && step.do !== 'hold' && step.do !== 'doubt'
}
