import { type Diagnostic, warning, withNotes } from '../../base/diagnostic.ts'
import type { Json } from '../../base/names.ts'
import type { Model } from '../../catalog/index.ts'
import type { SettledJob } from '../resolve/jobs.ts'

/** Everything that decides what a cell yields, as one text. */
export function recipeText({ model, cast, cell }: SettledJob): string {
  return JSON.stringify([model.id, cell.own.service, cell.own.workflow, cast.params, cast.files])
}

/** Two jobs that order the same: it is paid twice, and `takes` says so better. */
export function sameRecipes(settled: readonly SettledJob[]): Diagnostic[] {
  const told = new Set<string>()
  const seeded = settled.flatMap(one => seededTakes(one, told))
  const same = alike(settled).flatMap(group => {
    const first = new Map<string, SettledJob>()
    return group.flatMap(one => {
      if (one.cell.own.lint.includes('same-recipe')) return []
      const recipe = recipeText(one)
      const known = first.get(recipe)
      if (known) return told.has(one.cell.draft.id) ? [] : tellOnce(one, known, told)
      first.set(recipe, one)
      return []
    })
  })
  return [...seeded, ...same]
}

/** Where a model has a seed, takes of one seed are the same. */
function seededTakes({ cell, cast }: SettledJob, told: Set<string>): Diagnostic[] {
  const { draft, own, address } = cell
  const { seed } = cast.params
  if (own.takes < 2 || seed === undefined || own.lint.includes('same-recipe') || told.has(draft.id)) return []
  told.add(draft.id)
  const message = `the ${own.takes} takes of ${address} have one seed: the same is paid ${own.takes} times`
  const hint =
    'leave the seed out, or write one job for each: matrix: { seed: [1, 2] } and seed: ${{ matrix.seed }}'
  return [warning('same-recipe', draft.at, message, hint)]
}

/** Jobs of one model and prompt: only among them can two be the same, and nearly all are alone. */
function alike(settled: readonly SettledJob[]): SettledJob[][] {
  const byModel = new Map<Model, Map<Json | undefined, SettledJob[]>>()
  for (const one of settled) {
    const { prompt } = one.cast.params
    const ofModel = byModel.get(one.model) ?? new Map<Json | undefined, SettledJob[]>()
    byModel.set(one.model, ofModel)
    const group = ofModel.get(prompt)
    if (group) group.push(one)
    else ofModel.set(prompt, [one])
  }
  return [...byModel.values()].flatMap(ofModel => [...ofModel.values()].filter(group => group.length > 1))
}

function tellOnce(one: SettledJob, known: SettledJob, told: Set<string>): Diagnostic[] {
  const { address, draft } = one.cell
  told.add(draft.id)
  const message = `${address} orders the same as ${known.cell.address}, and both are paid`
  const hint = 'for several results of one job write takes: 2'
  const notes =
    known.cell.draft === draft ? undefined : [{ message: 'the first of them', at: known.cell.draft.at }]
  return [withNotes(warning('same-recipe', draft.at, message, hint), notes)]
}
