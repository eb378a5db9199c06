import { basename } from 'node:path'
import type { Digest } from '../base/names.ts'
import { paidFiles } from '../base/purchase.ts'
import { draftRecipe, hasAllInputs, linkIdentity } from '../plan/shapes/recipe.ts'
import { recipeKey } from '../store/cache/cache-text.ts'
import type { Locked } from '../store/lock/lock.ts'
import { readAllResults } from '../store/lock/read-results.ts'
import type { ResultsReading } from '../store/lock/results-text.ts'
import { isOthers } from '../workspace/records/others-results.ts'
import type { Workspace } from '../workspace/workspace.ts'
import { digestInputs } from './facts.ts'

/** What the output folder of a manifest tells of results, and whose they are. */
interface Proofs {
  /** Of the manifest by its name; or, when there are none, of manifests that are not there any more. */
  readonly taken: readonly ResultsReading[]
  /** Of manifests that have their results in the same folder. */
  readonly others: readonly ResultsReading[]
  /** The other names, where it is by them that they were taken. */
  readonly names: readonly string[]
  /** Nothing says that they are this manifest's: only what it asks for can. */
  readonly isGuess: boolean
}

/** Reads, and touches nothing. Throws StorageError. */
export function readProofs(workspace: Workspace): Proofs {
  const { layout, place, machine } = workspace
  const all = readAllResults(layout.output, machine.disk).map(withBroken)
  const ownName = basename(place.manifest)
  const free = all.filter(({ owner }) => !isOthers(owner, workspace))
  const own = free.filter(({ owner }) => owner.manifest === ownName)
  const taken = own.length > 0 ? own : free
  const isGuess = own.length === 0
  const names = isGuess ? [...new Set(free.map(({ owner }) => owner.manifest))].filter(Boolean) : []
  return { taken, others: all.filter(each => !taken.includes(each)), names, isGuess }
}

/** What damaged lines still tell of counts as long as no whole line does. */
function withBroken(reading: ResultsReading): ResultsReading {
  const entries = reading.broken.flatMap(({ entry }) => (entry ? [[entry.id, entry] as const] : []))
  return { ...reading, purchases: new Map([...entries, ...reading.purchases]) }
}

/** Whether something is known of it that a run must not buy again. */
export function isOwned(purchase: Locked): boolean {
  return purchase.is !== 'failed' || paidFiles(purchase).length > 0
}

/** How many of these purchases are what the manifest asks for now, as far as that is known without what will be made. */
export function matchesAmong(purchases: Iterable<Locked>, workspace: Workspace): number {
  return openMatches(workspace)(purchases)
}

/** The same for one lock after the other: the inputs of the manifest are read once. */
export function openMatches(workspace: Workspace): (purchases: Iterable<Locked>) => number {
  let known: Set<Digest> | undefined
  return purchases => {
    // In most folders lies nothing to compare with.
    const options = (known ??= wantedKeys(workspace))
    let matches = 0
    for (const { recipe, acceptedAs } of purchases)
      if (options.has(recipeKey(recipe)) || (acceptedAs && options.has(recipeKey(acceptedAs)))) matches++
    return matches
  }
}

function wantedKeys({ manifest, place, machine: { disk }, ...spoken }: Workspace): Set<Digest> {
  const { digests } = digestInputs(manifest, place, disk, spoken)
  const recipes = manifest.jobs.map(
    job =>
      draftRecipe(job, ref => {
        if (ref.from === 'url') return linkIdentity(ref.url)
        return ref.from === 'path' ? digests.get(ref.path) : undefined
      }).recipe,
  )
  return new Set(recipes.filter(hasAllInputs).map(each => recipeKey(each)))
}
