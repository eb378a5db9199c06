import type { JobAddress, Json } from '../../base/names.ts'
import type { DonePurchase, Purchase } from '../../base/purchase.ts'
import { headOf } from '../../base/source.ts'
import type { Recipe } from '../../base/state.ts'
import { type ModelSet, modelSetOf } from '../../catalog/model-set.ts'
import type { Job, Manifest } from '../../manifest/shapes/job.ts'
import { firstTake } from '../../plan/picks.ts'

/** All that a worker has to know of a job, beside the manifest that it has itself. */
export interface FleetTask {
  /** As planned: picks applied. */
  readonly job: Omit<Job, 'model' | 'at' | 'written'> & { readonly model: string }
  /** As far as it is known: what the worker finds to send has to fit to it. */
  readonly recipe: Recipe
  readonly price: number
  /** Results that it is made from and that were there before the batch. Their files lie in the cache. */
  readonly made: { readonly [address: JobAddress]: DonePurchase }
}

export function fleetTask(job: Job, more: Omit<FleetTask, 'job'>): Json {
  const { at: _at, written: _written, model, ...plain } = job
  const task: FleetTask = { job: { ...plain, model: model.id }, ...more }
  return task as unknown as Json // plain records throughout
}

/** The job of a task; undefined where nobody knows its model. Where it is written only its own manifest tells. */
export function jobOfTask({ job }: FleetTask, manifest: Manifest): Job | undefined {
  const { models, jobs } = knownOf(manifest)
  const model = models.find(job.model, job.service)
  const known = jobs.get(job.address)
  const at = known?.at ?? headOf(manifest.file)
  return model && { ...job, model, at, written: known?.written ?? { locate: () => at } }
}

/** Whether the job that a purchase was for is in the manifest. */
export function isOfJob({ address }: Pick<Purchase, 'address'>, manifest: Manifest): boolean {
  const { jobs } = knownOf(manifest)
  return jobs.has(address) || jobs.has(firstTake(address))
}

interface Known {
  readonly models: ModelSet
  readonly jobs: ReadonlyMap<JobAddress, Job>
}

/** Of each manifest, as it is asked for each of its jobs. */
const known = new WeakMap<Manifest, Known>()

function knownOf(manifest: Manifest): Known {
  const its = known.get(manifest) ?? {
    models: modelSetOf(manifest.own),
    jobs: new Map(manifest.jobs.map(job => [job.address, job])),
  }
  known.set(manifest, its)
  return its
}
