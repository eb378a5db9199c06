import { type Digest, type JsonObject, jobAddress, type RunId } from '../../src/base/names.ts'
import type {
  DonePurchase,
  DoubtfulPurchase,
  FailedPurchase,
  Ordered,
  Purchase,
  RunningPurchase,
} from '../../src/base/purchase.ts'
import { headOf, type SourceFile, spanOf } from '../../src/base/source.ts'
import type { Recipe, RunRef, SavedFile } from '../../src/base/state.ts'
import { findModel } from '../../src/catalog/index.ts'
import type { Model } from '../../src/catalog/model.ts'
import type { Job } from '../../src/manifest/shapes/job.ts'
import type { Facts, Standing } from '../../src/plan/facts.ts'
import { planJobs } from '../../src/plan/plan.ts'
import { reasonText } from '../../src/plan/shapes/reasons.ts'
import { draftRecipe } from '../../src/plan/shapes/recipe.ts'
import type { Choices, Step } from '../../src/plan/shapes/step.ts'
import { named } from '../store/records.ts'

const file: SourceFile = { name: 'm.yaml', text: 'jobs:\n  hero:\n    duration: 5\n' }

export function job(address: string, params: JsonObject = { prompt: 'tea' }, rest: Partial<Job> = {}): Job {
  return {
    address: jobAddress(address),
    model: findModel('famc-v3') as Model, // it is in the catalog
    mode: 'submit',
    params,
    files: {},
    needs: [],
    output: address,
    count: 1,
    take: 1,
    tags: [],
    retries: 0,
    at: headOf(file),
    written: { locate: () => spanOf(file, file.text.indexOf('duration'), file.text.length) },
    ...rest,
  }
}

export const digest = (name: string) => `sha256:${name}` as Digest // only compared

export const picture: SavedFile = { path: 'hero.png', digest: digest('hero'), bytes: 1, type: 'image/png' }

export function recipeOf(its: Job, inputs: Recipe['inputs'] = {}): Recipe {
  return { ...draftRecipe(its, () => undefined).recipe, inputs }
}

/** Of one purchase a job, named after it; a second one needs an `id`. */
function order(its: Job): Ordered {
  return {
    id: named(`p-${its.address.replaceAll(/[^\w.-]/g, '-')}`),
    address: its.address,
    recipe: recipeOf(its),
  }
}

export function done(its: Job, rest: Partial<DonePurchase> = {}): DonePurchase {
  return { ...order(its), is: 'done', files: [picture], ...rest }
}

export function running(its: Job, rest: Partial<RunningPurchase> = {}): RunningPurchase {
  return { ...order(its), is: 'under-way', run: ref, saved: [], parts: [], ...rest }
}

export function doubt(its: Job, rest: Partial<DoubtfulPurchase> = {}): DoubtfulPurchase {
  return { ...order(its), is: 'doubt', detail: '', raws: [], ...rest }
}

export function failed(its: Job, rest: Partial<FailedPurchase> = {}): FailedPurchase {
  return { ...order(its), is: 'failed', flaw: { why: 'remote', message: 'bad' }, billed: 'unknown', ...rest }
}

export const ref: RunRef = { workflow: 'famc-v3', id: 'r1' as RunId } // short, printable

export interface World {
  readonly purchases?: readonly Purchase[]
  readonly inputs?: Record<string, Digest>
  readonly standing?: Standing | Facts['standing']
  readonly origin?: string
  readonly cached?: Facts['cached']
}

export function facts({
  purchases = [],
  inputs = {},
  standing = { is: 'whole' },
  origin,
  cached,
}: World = {}): Facts {
  return {
    purchases,
    inputs: new Map(Object.entries(inputs)),
    standing: typeof standing === 'function' ? standing : () => standing,
    ...(origin !== undefined && { origin }),
    ...(cached && { cached }),
  }
}

/** `buy hero: not made yet` and the like, one line a step. */
export function told(steps: readonly Step[]): string[] {
  return steps.map(step => {
    if (step.do === 'drop' || step.do === 'aside') return `${step.do} ${step.address}`
    const its = `${step.do} ${step.job.address}`
    if (step.do === 'buy') {
      const ask = step.ask ? ` (after ${step.ask.run.id} of ${step.ask.purchase})` : ''
      return `${its}${step.again ? ' again' : ''}: ${step.because.map(reasonText).join('; ')}${ask}`
    }
    if (step.do === 'hold') return `${its}: ${step.because.why}`
    if (step.do === 'adopt' || (step.do === 'resume' && step.from)) return `${its} from ${step.from}`
    if (step.do === 'keep' && step.altered) return `${its} altered`
    return its
  })
}

export function planned(
  jobs: readonly Job[],
  purchases: readonly Purchase[],
  world: World = {},
  choices?: Choices,
): string[] {
  return told(planJobs(jobs, facts({ ...world, purchases }), choices).steps)
}
