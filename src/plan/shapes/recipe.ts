import { defined } from '../../base/defined.ts'
import type { JobAddress, Json, JsonObject, Pointer } from '../../base/names.ts'
import { bareLink } from '../../base/redact.ts'
import type { Recipe } from '../../base/state.ts'
import { defaultsOf } from '../../forms/defaults.ts'
import type { FileRef, Job } from '../../manifest/shapes/job.ts'
import { digestBytes } from '../../store/files/digest.ts'

/** Gives the digest of an input (a URL counts by its text), or undefined while its producer is not done. */
type Identify = (ref: FileRef) => string | undefined

/** A job's recipe as far as it is known: `open` names the producers whose outputs are still to be made. */
export interface DraftRecipe {
  readonly recipe: Recipe
  readonly open: readonly JobAddress[]
}

/**
 * Stands for the digest of a file that does not exist yet. Stored only for a run that was adopted before what it is made
 * from: `completed` puts the digest there.
 */
const unmade = 'unmade'

/** Everything that decides what the job yields. Order, spelling, output path, tags and limits are not part of it. */
export function draftRecipe(job: Job, identify: Identify): DraftRecipe {
  const open: JobAddress[] = []
  const files = Object.entries(job.files)
  const inputs: Record<Pointer, string[]> = files.length === 0 ? noInputs : {}
  for (const [at, refs] of files) {
    inputs[at as Pointer] = refs.map(ref => {
      const known = identify(ref)
      if (known === undefined && ref.from === 'job') open.push(ref.address)
      return known ?? unmade
    })
  }
  return {
    recipe: {
      version: 1,
      model: job.model.id,
      ...defined({ service: job.service }),
      params: job.params,
      defaults: appliedDefaults(job),
      inputs,
      take: job.take,
    },
    open,
  }
}

// One for all recipes: each that is bought by stays, and there may be a hundred thousand.
const noInputs: Record<Pointer, string[]> = {}

function appliedDefaults({ model, params, files }: Job): JsonObject {
  const all = defaultsOf(model)
  const filed = Object.keys(files).map(at => at.split('/')[1])
  const isApplied = (name: string) => !Object.hasOwn(params, name) && !filed.includes(name)
  const names = Object.keys(all)
  if (names.every(isApplied)) return all
  const applied: { [name: string]: Json } = {}
  for (const name of names) if (isApplied(name)) applied[name] = all[name] as Json // a name of it
  return applied
}

/** A link counts by its text; a query may hold a signature, so that only its digest is stored. */
export function linkIdentity(url: string): string {
  const bare = bareLink(url)
  if (bare === url) return `url:${url}`
  return `url:${bare}?${digestBytes(url).slice(-16)}`
}

/** One difference between two recipes that changes what is made. `field` is a path into the parameters. */
export interface Change {
  readonly field: string
  readonly was: Json | undefined
  readonly is: Json | undefined
  /** A default of the catalog that changed while the user wrote nothing: told, never a reason to buy. */
  readonly byCatalog?: true
}

/** Compares by meaning: a spelled-out default equals the default, the order of keys counts for nothing. */
export function compareRecipes(was: Recipe, is: Recipe): Change[] {
  // Of most purchases, several times in each plan: nothing is composed for them.
  if (isSameOrder(was, is)) return []
  const changes: Change[] = []
  const isMoved = was.service !== is.service
  if (isMoved) changes.push({ field: 'service', was: was.service, is: is.service })
  if (was.model !== is.model) return [...changes, { field: 'model', was: was.model, is: is.model }]
  const [all, now] = [effective(was), effective(is)]
  for (const name of union(all, now)) {
    const [before, after] = [ownValue(all, name), ownValue(now, name)]
    if (sameJson(before, after)) continue
    const unwritten = !Object.hasOwn(was.params, name) && !Object.hasOwn(is.params, name)
    changes.push({ field: name, was: before, is: after, ...(unwritten && { byCatalog: true }) })
  }
  for (const at of union(was.inputs, is.inputs) as Pointer[]) {
    const [before, after] = [ownValue(was.inputs, at), ownValue(is.inputs, at)]
    if (!mayBeSame(before, after)) changes.push({ field: at.slice(1), was: before, is: after })
  }
  if (was.take !== is.take) changes.push({ field: 'take', was: was.take, is: is.take })
  return changes
}

/** File by file; one that was not made when the recipe was noted may have been any, a file more or less is a change. */
function mayBeSame(was: readonly string[] | undefined, is: readonly string[] | undefined): boolean {
  if (!was || !is) return was === is
  return was.length === is.length && was.every((digest, nth) => digest === unmade || digest === is[nth])
}

/** Whether files that are still to be made can undo a change: what else differs of it is one whatever comes. */
export function isOpenChange({ was, is }: Change): boolean {
  if (!Array.isArray(was) || !Array.isArray(is)) return false
  return mayBeSame(
    was.map((digest, nth) => (is[nth] === unmade ? unmade : String(digest))),
    is.map(String),
  )
}

/** The recipe with digests that were missing when it was noted; undefined when there is nothing to put in. */
export function completed(recipe: Recipe, job: Job, identify: Identify): Recipe | undefined {
  let isFuller = false
  const inputs = Object.entries(recipe.inputs).map(([at, digests]) => {
    const refs = job.files[at as Pointer] ?? []
    const filled = digests.map((digest, nth) => {
      const ref = refs[nth]
      const found = digest === unmade && ref ? identify(ref) : undefined
      isFuller ||= found !== undefined
      return found ?? digest
    })
    return [at, filled] as const
  })
  return isFuller ? { ...recipe, inputs: Object.fromEntries(inputs) } : undefined
}

/**
 * What was ordered, by a journal that wrote it down before the order left and by a lock, which lies in the checkout. An order's recipe never
 * changes: only files that were not made when it was noted are put in later. What the lock says where it tells the same.
 */
export function recipeAsOrdered(known: Recipe, told: Recipe): Recipe {
  if (isSameOrder(known, told)) return told
  const inputs = Object.entries(known.inputs).map(([at, digests]) => {
    const others = ownValue(told.inputs, at as Pointer) ?? []
    return [at, digests.map((digest, nth) => (digest === unmade ? (others[nth] ?? unmade) : digest))] as const
  })
  const filled = { ...known, inputs: Object.fromEntries(inputs) }
  return isSameOrder(filled, told) ? told : filled
}

/** Whether a job asks for it, from whatever files of other jobs. */
export function isMadeAs(was: Recipe, job: Job, identify: Identify): boolean {
  const { recipe } = draftRecipe(job, ref => (ref.from === 'job' ? undefined : identify(ref)))
  const isOfJob = (at: Pointer, nth: number) => job.files[at]?.[nth]?.from === 'job'
  const inputs = Object.entries(was.inputs).map(([at, digests]) => [
    at,
    digests.map((digest, nth) => (isOfJob(at as Pointer, nth) ? unmade : digest)),
  ])
  const bare = { ...was, take: recipe.take, inputs: Object.fromEntries(inputs) }
  return compareRecipes(bare, recipe).every(({ byCatalog }) => byCatalog)
}

/** To the letter, but for the order of keys. */
function isSameOrder(one: Recipe, other: Recipe): boolean {
  return (
    one.model === other.model &&
    one.service === other.service &&
    one.take === other.take &&
    sameJson(one.params, other.params) &&
    sameJson(one.defaults, other.defaults) &&
    sameJson(one.inputs, other.inputs)
  )
}

/** Whether every file that it is made from is known. */
export function hasAllInputs({ inputs }: Recipe): boolean {
  return !Object.values(inputs).some(digests => digests.includes(unmade))
}

/** Whether it is known from which files it was made, at this place. */
export function isMadeFrom({ inputs }: Recipe, at: Pointer): boolean {
  const digests = inputs[at]
  return digests !== undefined && !digests.includes(unmade)
}

/** Whether what was made by one recipe is what the other asks for. */
export function sameRecipe(was: Recipe, is: Recipe): boolean {
  return compareRecipes(was, is).every(change => change.byCatalog)
}

function effective(recipe: Recipe): JsonObject {
  return { ...recipe.defaults, ...recipe.params }
}

/** A lock may name what every object has: `toString`. */
function ownValue<T>(of: { readonly [name: string]: T }, name: string): T | undefined {
  return Object.hasOwn(of, name) ? of[name] : undefined
}

function union(a: object, b: object): string[] {
  return [...Object.keys(a), ...Object.keys(b).filter(key => !Object.hasOwn(a, key))]
}

function sameJson(a: Json | undefined, b: Json | undefined): boolean {
  if (a === b) return true
  if (typeof a !== 'object' || typeof b !== 'object' || a === null || b === null) return false
  if (Array.isArray(a) !== Array.isArray(b)) return false
  const [left, right] = [a as JsonObject, b as JsonObject]
  // Of every purchase of a lock at each reading: no list is made of what both have.
  let more = Object.keys(right).length
  for (const key of Object.keys(left)) {
    more--
    if (!Object.hasOwn(right, key) || !sameJson(left[key], right[key])) return false
  }
  return more === 0
}
