import { type Diagnostic, warning } from '../../base/diagnostic.ts'
import type { Settled } from '../jobs.ts'

/** Everything that decides what a cell yields, as one text. */
export function recipeText({ model, cast, cell }: Settled): string {
  return JSON.stringify([model.id, cell.own.workflow, cast.params, cast.files])
}

/** Two jobs that order the same: it is paid twice, and `takes` says so better. */
export function sameRecipes(settled: readonly Settled[]): Diagnostic[] {
  const first = new Map<string, Settled>()
  const told = new Set<string>()
  return settled.flatMap(one => {
    if (one.cell.own.lint.includes('same-recipe')) return []
    const recipe = recipeText(one)
    const known = first.get(recipe)
    if (!known) {
      first.set(recipe, one)
      return []
    }
    const { address, draft } = one.cell
    if (told.has(draft.id)) return []
    told.add(draft.id)
    const message = `${address} orders the same as ${known.cell.address}, and both are paid`
    const hint = 'for several results of one job write takes: 2'
    const notes =
      known.cell.draft === draft ? undefined : [{ message: 'the first of them', at: known.cell.draft.at }]
    return [warning('same-recipe', draft.at, message, hint, notes)]
  })
}
