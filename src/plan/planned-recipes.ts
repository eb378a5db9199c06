import type { JobAddress } from '../base/names.ts'
import type { Recipe } from '../base/state.ts'
import type { Job } from '../manifest/shapes/job.ts'
import { identify } from './differences.ts'
import type { Facts } from './facts.ts'
import { draftRecipe } from './shapes/recipe.ts'
import { isJobStep, type Step } from './shapes/step.ts'

/** What each job asks for by a plan, as far as that is known before anything is made. */
export function plannedRecipes(
  jobs: readonly Job[],
  steps: readonly Step[],
  facts: Facts,
): Map<JobAddress, Recipe> {
  const decided = new Map(steps.filter(isJobStep).map(step => [step.job.address, step]))
  const recipeOf = (job: Job) => draftRecipe(job, ref => identify(ref, { facts, decided })).recipe
  return new Map(jobs.map(job => [job.address, recipeOf(job)]))
}
