import { defined } from '../../base/defined.ts'
import { type Digest, type Json, restStart } from '../../base/names.ts'
import type { DonePurchase } from '../../base/purchase.ts'
import type { Recipe, RunRef, SavedFile } from '../../base/state.ts'
import { canonicalJson, digestOf } from '../files/digest.ts'
import { readEntry } from '../lock/lock-entry.ts'

/** A result as the cache has it: where it lay elsewhere means nothing here. */
export interface Cached {
  readonly files: readonly SavedFile[]
  readonly run?: RunRef
}

/**
 * What tells two results apart: a spelled-out default is the default, and how a recipe came about counts for nothing. `from`: the first
 * of a job's files that it brings, from 0. Who wants as many files again as there are wants others, in the same words.
 */
export function recipeKey(
  { model, service, params, defaults, inputs, take, version }: Recipe,
  from = 0,
): Digest {
  return digestOf({
    version,
    model,
    ...defined({ service }),
    params: { ...defaults, ...params },
    inputs: { ...inputs } as Json,
    take,
    ...(from > 0 && { from }),
  } as Json)
}

/**
 * The recipe with its service by the address that it has: what it is called in another project, or tomorrow, says nothing of whose
 * result it is. `madeAt` is where the run was, when there was one.
 */
export function placedRecipe(
  recipe: Recipe,
  originOf: ((service: string) => string | undefined) | undefined,
  madeAt?: string,
): Recipe {
  const origin = recipe.service === undefined ? undefined : (madeAt ?? originOf?.(recipe.service))
  return origin === undefined ? recipe : { ...recipe, service: origin }
}

export function resultText({ id, address, recipe, files, run }: DonePurchase): string {
  const line = { address, state: 'done', id, recipe, files: files.map(unlinked), ...defined({ run }) }
  return `${canonicalJson(line as unknown as Json)}\n` // lock entries are JSON throughout
}

/** Checked like any line of a lock; a result that was put under a wrong name is none. */
export function parseResult(text: string, recipe: Recipe, from = 0): Cached | undefined {
  let value: unknown
  try {
    value = JSON.parse(text)
  } catch {
    return undefined
  }
  const entry = readEntry(value)
  if (typeof entry === 'string' || entry.is !== 'done' || entry.files.length === 0) return undefined
  if (recipeKey(entry.recipe, restStart(entry.address)) !== recipeKey(recipe, from)) return undefined
  return { files: entry.files.map(unlinked), ...defined({ run: entry.run }) }
}

/** Where others published it is theirs to say. */
function unlinked({ link: _theirs, ...file }: SavedFile): SavedFile {
  return file
}

/** The names of the files that a result needs, whatever else is in its text. */
export function usedFiles(text: string): string[] {
  return [...text.matchAll(/"digest":"sha256:([0-9a-f]{64})"/g)].map(match => match[1] ?? '')
}
