import type { JobAddress, Json, PurchaseId } from '../base/names.ts'
import type { Purchase } from '../base/purchase.ts'
import type { Recipe } from '../base/state.ts'
import { hasAllInputs, sameRecipe } from './shapes/recipe.ts'

/** All purchases, to be found by the job that they were for and by what was ordered; each goes to one job at most. */
export interface Register {
  /** Those that a job was the last to have, in the order in which they were bought. */
  at(address: JobAddress): readonly Purchase[]
  /** Of this very recipe, or taken for it by a person; in the order in which they were bought. */
  like(recipe: Recipe): readonly Purchase[]
  /** Of this prompt, whatever else they ask for; in the order in which they were bought. */
  ofPrompt(prompt: Json | undefined): readonly Purchase[]
  claim(id: PurchaseId): void
  isClaimed(id: PurchaseId): boolean
  /** What nobody has claimed. */
  left(): readonly Purchase[]
}

export function registerOf(purchases: readonly Purchase[]): Register {
  const claimed = new Set<PurchaseId>()
  let byAddress: Map<JobAddress, Purchase[]> | undefined
  let bySort: Map<string, Purchase[]> | undefined
  let byPrompt: Map<Json | undefined, Purchase[]> | undefined
  return {
    at(address) {
      byAddress ??= groupedBy(purchases, each => [each.address])
      return byAddress.get(address) ?? []
    },
    like(recipe) {
      // Most jobs find what is theirs: the rest is not even sorted until somebody looks for it.
      bySort ??= groupedBy(purchases, each => recipesOf(each).map(sortOfRecorded))
      const sorts = bySort
      // What is spelled out in one recipe may be a default in the other.
      const names = 'prompt' in recipe.defaults ? [...sorts.keys()] : [sortOf(recipe), anySort]
      return names.flatMap(name => sorts.get(name) ?? []).filter(each => isOf(each, recipe))
    },
    ofPrompt(prompt) {
      byPrompt ??= groupedBy(purchases, each => recipesOf(each).map(({ params }) => params.prompt))
      return byPrompt.get(prompt) ?? []
    },
    claim: id => void claimed.add(id),
    isClaimed: id => claimed.has(id),
    left: () => purchases.filter(({ id }) => !claimed.has(id)),
  }
}

/** What it was made from, and what a person takes it for. */
export function recipesOf({ recipe, acceptedAs }: Purchase): readonly Recipe[] {
  return acceptedAs ? [acceptedAs, recipe] : [recipe]
}

function isOf(purchase: Purchase, recipe: Recipe): boolean {
  return recipesOf(purchase).some(each => sameRecipe(each, recipe))
}

/** Purchases, or jobs, by each of their names, in their order. */
export function groupedBy<Each, Name>(
  all: readonly Each[],
  namesOf: (of: Each) => readonly Name[],
): Map<Name, Each[]> {
  const groups = new Map<Name, Each[]>()
  for (const each of all) {
    const names = namesOf(each)
    for (const name of names.length > 1 ? new Set(names) : names) {
      const group = groups.get(name)
      if (group) group.push(each)
      else groups.set(name, [each])
    }
  }
  return groups
}

/** Recipes that ask for the same are of one sort: what sets most jobs of a manifest apart. */
function sortOf({ model, service, take, params, inputs }: Recipe): string {
  const files = Object.entries(inputs).toSorted(([a], [b]) => (a < b ? -1 : 1))
  return JSON.stringify([model, service, take, params.prompt, files])
}

/** What cannot be sorted: it may be the same as a recipe that looks different. */
const anySort = ''

/** A prompt that was a default counts for nothing where nobody writes one; a file that was not made may be any. */
function sortOfRecorded(recipe: Recipe): string {
  return 'prompt' in recipe.defaults || !hasAllInputs(recipe) ? anySort : sortOf(recipe)
}
