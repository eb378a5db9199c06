import type { JobAddress } from '../base/names.ts'
import type { Recipe } from '../base/state.ts'
import { plannedRecipes } from '../plan/planned-recipes.ts'
import { changeText } from '../plan/shapes/reasons.ts'
import { compareRecipes } from '../plan/shapes/recipe.ts'
import type { WorkspaceRequest } from '../planning/open-workspace.ts'
import { seeManifest } from '../planning/see-manifest.ts'
import { type PlanResult, planOf } from './plan-beside-fleet.ts'

/** What each job asks for, by its address: two plans that look alike may differ in it. */
export type RecipesByJob = ReadonlyMap<JobAddress, Recipe>

/** As `planManifest`, with what is asked for. No write, no request. */
export function planWithRecipes(request: WorkspaceRequest): { result: PlanResult; recipes: RecipesByJob } {
  const seen = seeManifest(request)
  const result = planOf(seen, request)
  if (seen.got !== 'seen') return { result, recipes: new Map() }
  const { jobs, plan, facts } = seen.planned
  return { result, recipes: plannedRecipes(jobs, plan.steps, facts) }
}

/** `prompt tea → coffee`: how what a job asks for differs; nothing of a job that one of them does not have. */
export function askedOtherwise(before: RecipesByJob, now: RecipesByJob, address: JobAddress): string[] {
  const [was, is] = [before.get(address), now.get(address)]
  return was && is ? compareRecipes(was, is).map(changeText) : []
}
