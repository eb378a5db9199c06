import type { JobAddress } from '../base/names.ts'
import type { Recipe } from '../base/state.ts'
import type { Memory } from './facts.ts'
import { hasAllInputs } from './recipe.ts'

/** Something paid for that may be taken over: it is there, or under way. */
export type Takeable = Memory & { readonly is: 'done' | 'under-way' }

/** What is recorded and no job claims. A renamed job takes its own result over; what is left at the end is dropped. */
export interface Orphans {
  add(address: JobAddress, memory: Memory): void
  take(address: JobAddress): void
  left(): Iterable<readonly [JobAddress, Memory]>
  /**
   * All that may be what a whole recipe asks for, in the order of the records. Whether one is, `sameRecipe` says: ten
   * thousand renamed jobs cannot be compared with ten thousand results each.
   */
  like(recipe: Recipe): readonly (readonly [JobAddress, Takeable])[]
}

interface Found {
  readonly nth: number
  readonly address: JobAddress
  readonly memory: Takeable
}

export function orphansAmong(memories: Iterable<readonly [JobAddress, Memory]>): Orphans {
  const left = new Map<JobAddress, Memory>()
  const bySort = new Map<string, Map<JobAddress, Found>>()
  let nth = 0
  const orphans: Orphans = {
    add(address, memory) {
      left.set(address, memory)
      if (memory.is !== 'done' && memory.is !== 'under-way') return
      const sort = sortOfRecorded(recipeOf(memory))
      const alike = bySort.get(sort) ?? new Map<JobAddress, Found>()
      bySort.set(sort, alike.set(address, { nth: nth++, address, memory }))
    },
    take(address) {
      const memory = left.get(address)
      left.delete(address)
      if (memory?.is === 'done' || memory?.is === 'under-way')
        bySort.get(sortOfRecorded(recipeOf(memory)))?.delete(address)
    },
    left: () => left,
    like(recipe) {
      if (left.size === 0) return []
      // What is spelled out in one recipe may be a default in the other.
      const sorts = 'prompt' in recipe.defaults ? [...bySort.keys()] : [sortOf(recipe), anySort]
      const found = sorts.flatMap(sort => [...(bySort.get(sort)?.values() ?? [])])
      return found.toSorted((a, b) => a.nth - b.nth).map(({ address, memory }) => [address, memory])
    },
  }
  for (const [address, memory] of memories) orphans.add(address, memory)
  return orphans
}

function recipeOf(memory: Takeable): Recipe {
  return memory.is === 'done' ? memory.entry.recipe : memory.recipe
}

/** Recipes that ask for the same are of one sort: what sets most jobs of a manifest apart. */
function sortOf({ model, take, params, inputs }: Recipe): string {
  const files = Object.entries(inputs).toSorted(([a], [b]) => (a < b ? -1 : 1))
  return JSON.stringify([model, take, params.prompt, files])
}

/** What cannot be sorted: it may be the same as a recipe that looks different. */
const anySort = ''

/** A prompt that was a default counts for nothing where nobody writes one; a file that was not made may be any. */
function sortOfRecorded(recipe: Recipe): string {
  return 'prompt' in recipe.defaults || !hasAllInputs(recipe) ? anySort : sortOf(recipe)
}
