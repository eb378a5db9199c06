import type { Digest, JobAddress } from '../base/names.ts'
import type { Billed, LockEntry, Recipe, RemoteFile, RunRef, SavedFile } from '../base/state.ts'
import type { FileRef, Job } from '../manifest/job.ts'
import { orderByNeeds } from '../manifest/order.ts'
import type { Reason } from './reasons.ts'
import {
  type Change,
  compareRecipes,
  type DraftRecipe,
  draftRecipe,
  linkIdentity,
  sameRecipe,
} from './recipe.ts'

/** What is known of an address before a run: the lock, corrected by the journal. */
export type Memory =
  /** `other` is what the journal says was made when the lock says something else: a lock that was rolled back. */
  | { readonly is: 'done'; readonly entry: LockEntry; readonly other?: LockEntry }
  /** Paid for and not on disk yet. With `files` they wait behind links or in the spool, else the run is asked. */
  | {
      readonly is: 'under-way'
      readonly recipe: Recipe
      readonly key: string
      readonly run?: RunRef
      readonly files?: readonly RemoteFile[]
    }
  /** `sent` is what went, when every doubt is about one order. */
  | { readonly is: 'doubt'; readonly recipe: Recipe; readonly detail: string; readonly sent?: SentOrder }
  | {
      readonly is: 'failed'
      readonly recipe: Recipe
      readonly message: string
      readonly billed: Billed
      readonly run?: RunRef
    }

/** An order that may be at the service: sent once more under its key, it is the same one where keys are honoured. */
export interface SentOrder {
  readonly key: string
  /** Of workflow, mode and parameters as they were sent. */
  readonly request: Digest
  readonly origin: string
  /** When the key was first used, in milliseconds since 1970. */
  readonly at: number
}

/** How a locked result stands on disk. */
export type Standing =
  | { readonly is: 'whole' }
  | { readonly is: 'missing'; readonly paths: readonly string[] }
  | { readonly is: 'altered'; readonly paths: readonly string[] }
  /** Whole, but under other names than the manifest now asks for. */
  | { readonly is: 'elsewhere' }

/** The world at the moment of planning. */
export interface Facts {
  readonly memories: ReadonlyMap<JobAddress, Memory>
  /** Digests of local input files, by path as written. */
  readonly inputs: ReadonlyMap<string, Digest>
  standing(entry: LockEntry, job: Job): Standing
  /** A result of this very recipe that somebody made before, from a cache. Its addresses and paths mean nothing here. */
  cached?(recipe: Recipe): CachedResult | undefined
}

export interface CachedResult {
  readonly files: readonly SavedFile[]
  readonly run?: RunRef
}

/** What the user asked for beyond the manifest. */
export interface Wish {
  /** Order again what failed at the service. */
  readonly failed?: boolean
  /** Buy again what is locked, gone from disk and cannot be fetched. */
  readonly rebuy?: boolean
  /** Ordered again although nothing changed. */
  readonly redo?: ReadonlySet<JobAddress>
  /** What was made is kept although the recipe changed, and counts as made from the new one. */
  readonly accept?: ReadonlySet<JobAddress>
  /** What is carried out; the rest is left as it is. Everything, when absent. */
  readonly only?: ReadonlySet<JobAddress>
}

/** What is done about one job, or about an entry that has no job any more. */
export type Step =
  | {
      readonly do: 'buy'
      readonly job: Job
      readonly because: readonly Reason[]
      /** There is a paid result already, and it is bought anew. */
      readonly again?: true
    }
  | {
      readonly do: 'resume'
      readonly job: Job
      readonly memory: Memory & { is: 'under-way' }
      readonly from?: JobAddress
    }
  | {
      readonly do: 'fetch'
      readonly job: Job
      readonly entry: LockEntry
      readonly run: RunRef
      readonly missing: readonly string[]
    }
  | {
      readonly do: 'keep'
      readonly job: Job
      readonly entry: LockEntry
      readonly altered?: readonly string[]
      /** Defaults that the catalog changed since: told, never a reason to buy. */
      readonly outdated?: readonly Change[]
    }
  /**
   * A result that is there already is what the job asks for: under another address or other file names (it is moved), or
   * because the user accepts it for a changed recipe. `entry` has the recipe it is to have.
   */
  | {
      readonly do: 'adopt'
      readonly job: Job
      readonly entry: LockEntry
      readonly from: JobAddress
      readonly accepted?: readonly Reason[]
    }
  /** The cache has it. `entry` names the files as the cache does; they get their places when they are brought. */
  | { readonly do: 'restore'; readonly job: Job; readonly entry: LockEntry }
  | { readonly do: 'hold'; readonly job: Job; readonly because: Hold }
  | { readonly do: 'doubt'; readonly job: Job; readonly detail: string; readonly sent?: SentOrder }
  | { readonly do: 'drop'; readonly address: JobAddress; readonly memory: Memory }

/** Why a job is not carried out although it is not done. */
export type Hold =
  | { readonly why: 'failed-before'; readonly message: string }
  | { readonly why: 'files-gone'; readonly paths: readonly string[] }
  | { readonly why: 'needs'; readonly address: JobAddress }
  /** It is made from a take that somebody has to pick first. */
  | { readonly why: 'unpicked'; readonly address: JobAddress }
  /** Never in a plan: stands for what the user did not select while the rest is decided. */
  | { readonly why: 'not-selected' }

/** Steps in an order where needs come first; `drop` last. `buys` is the number of paid requests of a clean run. */
export interface Plan {
  readonly steps: readonly Step[]
  readonly buys: number
}

/** The difference between what is wanted, what is recorded and what is there. Pure: no write, no request. */
export function planJobs(jobs: readonly Job[], facts: Facts, wish: Wish = {}): Plan {
  const wanted = new Set(jobs.map(job => job.address))
  const orphans = new Map([...facts.memories].filter(([address]) => !wanted.has(address)))
  const decided = new Map<JobAddress, Step>()
  const table = { facts, wish, decided, orphans }
  for (const job of needsFirst(jobs)) decided.set(job.address, decideSelected(job, table))
  const drops = wish.only
    ? []
    : [...orphans].map(([address, memory]): Step => ({ do: 'drop', address, memory }))
  const steps = [...decided.values(), ...drops].filter(step => !isLeft(step, wish))
  return { steps, buys: steps.filter(step => step.do === 'buy').length }
}

/** As given, but nothing before what it needs. */
function needsFirst(jobs: readonly Job[]): readonly Job[] {
  const byAddress = new Map(jobs.map(job => [job.address, job]))
  return orderByNeeds(jobs, job => job.needs.flatMap(need => byAddress.get(need) ?? [])).order
}

interface Table {
  readonly facts: Facts
  readonly wish: Wish
  readonly decided: ReadonlyMap<JobAddress, Step>
  /** What no job claims; an adopted one is taken out. */
  readonly orphans: Map<JobAddress, Memory>
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
  if (!memory) return adoptOrBuy(job, draft, table)
  switch (memory.is) {
    case 'doubt':
      return { do: 'doubt', job, detail: memory.detail, ...(memory.sent && { sent: memory.sent }) }
    case 'under-way':
      return { do: 'resume', job, memory }
    case 'failed':
      return afterFailure(job, draft, memory, table)
    case 'done':
      return afterDone(job, draft, wantedEntry(memory, draft), table)
  }
}

function adoptOrBuy(job: Job, draft: DraftRecipe, table: Table): Step {
  for (const [from, memory] of draft.open.length > 0 ? [] : table.orphans) {
    if (memory.is === 'done' && sameRecipe(memory.entry.recipe, draft.recipe)) {
      if (table.facts.standing(memory.entry, job).is === 'missing') continue
      table.orphans.delete(from)
      return { do: 'adopt', job, entry: memory.entry, from }
    }
    if (memory.is === 'under-way' && sameRecipe(memory.recipe, draft.recipe)) {
      table.orphans.delete(from)
      return { do: 'resume', job, memory, from }
    }
  }
  return buy(job, draft, [{ why: 'new' }], table)
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
  return (isAskedFor ? undefined : restore(job, draft, table)) ?? { do: 'buy', job, because }
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

/** Everything that makes the wanted recipe another one than `was`; empty when it is the same. */
function reasonsOf(job: Job, was: Recipe, draft: DraftRecipe, table: Table): Reason[] {
  const openFields = new Set<string>()
  const reasons: Reason[] = []
  for (const [at, refs] of Object.entries(job.files)) {
    for (const ref of refs) {
      if (ref.from !== 'job' || !draft.open.includes(ref.address)) continue
      openFields.add(at.slice(1))
      // A producer that is held yields nothing new: what was made from it before stays as it is.
      const producer = table.decided.get(ref.address)
      if (producer?.do === 'buy') reasons.push({ why: 'made-anew', field: at.slice(1), from: ref.address })
    }
  }
  for (const change of compareRecipes(was, draft.recipe)) {
    if (change.byCatalog || openFields.has(change.field)) continue
    const at = job.locate(change.field === 'model' ? ['model'] : change.field.split('/'))
    reasons.push({ why: 'changed', change, at })
  }
  return reasons
}

function identify(ref: FileRef, table: Table): string | undefined {
  switch (ref.from) {
    case 'url':
      return linkIdentity(ref.url)
    case 'path':
      return table.facts.inputs.get(ref.path)
    case 'job': {
      const step = table.decided.get(ref.address)
      const isThere = step !== undefined && 'entry' in step
      return isThere && ref.nth !== 'pick' ? step.entry.files[ref.nth]?.digest : undefined
    }
  }
}
