import { basename } from 'node:path'
import type { Digest } from '../base/names.ts'
import { readShard } from '../base/shard.ts'
import type { Plan } from '../plan/shapes/step.ts'
import { boughtBy, keptDigest, type SavedPlan } from '../planning/saved-plan.ts'

/** Reads what `plan -o` wrote; a text when it is no such thing. */
export function readSavedPlan(text: string): SavedPlan | string {
  let value: unknown
  try {
    value = JSON.parse(text)
  } catch {
    return 'it is no saved plan: it is not JSON'
  }
  if (!isRecord(value) || value.genrunPlan === undefined) return 'it is no saved plan'
  if (value.genrunPlan !== 2) return 'it was written by another version of genrun'
  const { manifest, asked, means, digests, steps, paid, ordered } = value
  const isWhole =
    typeof manifest === 'string' &&
    isRecord(asked) &&
    isRecord(asked.select) &&
    isSelection(asked.select) &&
    isRecord(asked.caps) &&
    areCaps(asked.caps) &&
    (asked.shard === undefined || readShard(String(asked.shard)) !== undefined) &&
    Array.isArray(asked.vars) &&
    asked.vars.every(isGivenVar) &&
    !manifest.includes('\0') &&
    isRecord(means) &&
    isMeans(means) &&
    isRecord(digests) &&
    isRecord(digests.inputs) &&
    isRecord(digests.texts) &&
    typeof digests.jobs === 'string' &&
    Array.isArray(steps) &&
    steps.every(step => typeof step === 'string') &&
    typeof paid === 'number' &&
    (ordered === undefined || (isRecord(ordered) && Object.values(ordered).every(Array.isArray)))
  return isWhole ? (value as unknown as SavedPlan) : 'it is no whole plan' // its parts were looked at above
}

type Texts = { readonly [key: string]: unknown }

/** A cap that is no amount would hold nothing, and take a person's own along. */
function areCaps({ maxPaid, maxCost, tags = {} }: Texts): boolean {
  const isAmount = (cap: unknown) => typeof cap === 'number' && Number.isFinite(cap) && cap >= 0
  const areAmounts = [maxPaid, maxCost].every(cap => cap === undefined || isAmount(cap))
  return areAmounts && isRecord(tags) && Object.values(tags).every(isAmount)
}

function isSelection({ words, tags, models, limit }: Texts): boolean {
  // What is no number would limit to nothing that anybody asked for.
  if (limit !== undefined && !(Number.isSafeInteger(limit) && Number(limit) > 0)) return false
  return [words, tags, models].every(
    list => list === undefined || (Array.isArray(list) && list.every(each => typeof each === 'string')),
  )
}

function isGivenVar(given: unknown): boolean {
  return isRecord(given) && [given.name, given.value, given.from].every(each => typeof each === 'string')
}

function isMeans({ output, outputs, prices, profile, cache }: { readonly [key: string]: unknown }): boolean {
  const arePaths = [output, outputs, prices, profile].every(
    path => path === undefined || (typeof path === 'string' && !path.includes('\0')),
  )
  return arePaths && (cache === undefined || (isRecord(cache) && typeof cache.folder === 'string'))
}

function isRecord(value: unknown): value is { readonly [key: string]: unknown } {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

/** What is no longer as it was when the plan was made, in words. Empty when it may be carried out. */
export function changesSince(saved: SavedPlan, now: SavedPlan): string[] {
  const changes: string[] = []
  const [was, is] = [saved.digests, now.digests]
  if (basename(saved.manifest) !== basename(now.manifest))
    changes.push(`it is the plan of ${saved.manifest}, not of ${now.manifest}`)
  if (was.manifest !== is.manifest) changes.push('the manifest changed')
  changes.push(...changed(was.texts, is.texts, path => `${path} changed, which the manifest reads`))
  if (was.lock !== is.lock) changes.push('the lock changed')
  if (was.prices !== is.prices) changes.push('the prices changed')
  if (was.profile !== is.profile) changes.push('the profile changed')
  changes.push(...changed(was.inputs, is.inputs, path => `the input ${path} changed`))
  if (changes.length > 0) return changes
  const disk = diskChange(saved.steps, now.steps)
  if (disk !== undefined) return [disk]
  return was.jobs === is.jobs ? [] : ['what the manifest comes to changed']
}

/**
 * Whether all that changed is that the plan was carried out, or a part of it, as when a cap or a stop cut it short: what is left to buy,
 * if anything, was planned and not ordered since, and everything else has the results that it had.
 */
export function isBegun(saved: SavedPlan, now: SavedPlan, plan: Plan): boolean {
  const { lock } = now.digests
  const { ordered } = saved
  if (lock === undefined || saved.digests.kept === undefined || !ordered) return false
  const [planned, left] = [boughtBy(saved.steps), boughtBy(now.steps)]
  // What was bought by it and is lost by now would be bought by it a second time.
  const isOrdered = (address: string) =>
    (now.ordered?.[address] ?? []).some(id => !ordered[address]?.includes(id))
  const isPart = left.size < planned.size && [...left].every(each => planned.has(each) && !isOrdered(each))
  const before = { ...saved, steps: now.steps, digests: { ...saved.digests, lock } }
  const isAllElseSame = changesSince(before, now).length === 0
  return isPart && isAllElseSame && keptDigest(plan, planned) === saved.digests.kept
}

type Digests = { readonly [path: string]: Digest }

function changed(was: Digests, is: Digests, words: (path: string) => string): string[] {
  const paths = [...new Set([...Object.keys(was), ...Object.keys(is)])]
  return paths.filter(path => was[path] !== is[path]).map(words)
}

/** Files that are gone, runs that ended: nothing written down changed, and still something else would be done. */
function diskChange(saved: readonly string[], now: readonly string[]): string | undefined {
  const [planned, found] = [new Set(saved), new Set(now)]
  const lost = saved.filter(step => !found.has(step))
  const more = now.filter(step => !planned.has(step))
  if (lost.length + more.length === 0) return undefined
  const words = (steps: readonly string[]) => steps.slice(0, 3).join(', ') || 'nothing'
  return `what lies on disk changed (planned: ${words(lost)}; now: ${words(more)})`
}
