import { type JobAddress, jobAddress, type Pointer } from '../../src/base/names.ts'
import { outputOfTake } from '../../src/base/output-name.ts'
import { headOf } from '../../src/base/source.ts'
import { findModel } from '../../src/catalog/index.ts'
import type { Model } from '../../src/catalog/model.ts'
import { takeAddress } from '../../src/manifest/expand/select-cells.ts'
import type { Job, Manifest } from '../../src/manifest/shapes/job.ts'
import type { Chance } from './chance.ts'

/** A small batch: one to four jobs, some of which need others or take their files. The user edits it. */
export interface Batch {
  /** As it is now. */
  readonly manifest: () => Manifest
  /** What a job of this name is, or was when there was one last; the first take for all its takes. */
  readonly jobOf: (address: JobAddress) => Job
  /** Puts other jobs in their places. */
  readonly change: (jobs: readonly Job[]) => void
  /** Every version that there was, the present one last. */
  readonly versions: () => readonly (readonly Job[])[]
}

const file = { name: 'sim.yaml', text: '' }
const at = headOf(file)
const [image, video] = ['fama-imagine-image', 'famc-v3'].map(id => findModel(id)) as [Model, Model] // both are in the catalog

/** `counted`: numbers of files are what it is about; `chained`: what is made from what; `twinned`: from which of such as are alike. */
type About = 'counted' | 'chained' | 'twinned'

export function drawBatch(chance: Chance, about?: About): Batch {
  const jobs: Job[] = []
  const isCounted = about === 'counted'
  const sizes = { counted: undefined, chained: { 2: 5, 3: 3 }, twinned: { 3: 1, 4: 3, 5: 1 } } as const
  const size = Number(chance.weighed((about && sizes[about]) ?? { 1: 5, 2: 4, 3: 2, 4: 1 }))
  for (let nth = 0; nth < size; nth++)
    jobs.push(
      ...(about === 'twinned'
        ? [drawTwin(`job${nth}`, jobs, chance)]
        : drawJob(`job${nth}`, jobs, chance, about).map(job => (isCounted ? counted(job, chance) : job))),
    )
  const limits = chance.hits(0.3) ? { execute: 1, submit: 1 } : {}
  const known = new Map<JobAddress, Job>()
  const versions: (readonly Job[])[] = []
  let manifest: Manifest = { name: 'sim', file, output: 'out', limits, jobs }
  const change = (changed: readonly Job[]) => {
    manifest = { ...manifest, jobs: changed }
    versions.push(changed)
    for (const job of changed) known.set(job.address, job)
  }
  change(jobs)
  return {
    manifest: () => manifest,
    jobOf(address) {
      const found = known.get(address) ?? known.get(jobAddress(address.replace(/[#@+].*$/, '')))
      if (!found) throw new Error(`no job ${address}`)
      return found
    },
    change,
    versions: () => versions,
  }
}

/** A job, with its takes. */
function drawJob(name: string, earlier: readonly Job[], chance: Chance, about?: About): Job[] {
  const isChained = about === 'chained'
  const model =
    isChained && earlier.length > 0
      ? video
      : chance.pick(about === 'counted' ? [image, image, image, video] : [image, video])
  const need = earlier.length > 0 && chance.hits(isChained ? 0.9 : 0.3) ? chance.pick(earlier) : undefined
  const takesFile = need !== undefined && model === video && chance.hits(0.5)
  const count = model === image && chance.hits(0.3) ? 2 : 1
  const job: Job = {
    address: jobAddress(name),
    model,
    mode: model === image && chance.hits(0.8) ? 'execute' : 'submit',
    // Some ask for what another asks for: two purchases, each its own.
    // Two files are of another shape than one: an order for another number of the same is gone on with, which nobody here judges.
    params: { prompt: chance.hits(0.1) ? 'job0' : name, ...(count > 1 && { count, aspectRatio: '16:9' }) },
    files: takesFile ? { ['/startFrame' as Pointer]: [{ from: 'job', address: need.address, nth: 0 }] } : {},
    needs: need ? [need.address] : [],
    output: name,
    count,
    take: 1,
    tags: [],
    // Most runs of a history should not be about waiting.
    timeoutMs: chance.pick([60_000, 60_000, 100_000, 300_000]),
    retries: chance.hits(0.1) ? 1 : 0,
    at,
    written: { locate: () => at },
  }
  return chance.hits(0.07) ? [job, takeOf(job, 2)] : [job]
}

/** Most of the first ask for the same, and each of the others is made from one before it. */
function drawTwin(name: string, earlier: readonly Job[], chance: Chance): Job {
  const job = drawJob(name, [], chance)[0] as Job // a job and its takes
  const isTwin = earlier.length < 2
  const prompt = chance.hits(isTwin ? 0.8 : 0.2) ? 'job0' : name
  const params = { prompt }
  if (isTwin) return { ...job, model: image, params, count: 1 }
  const { address } = chance.pick(earlier)
  const files = { ['/startFrame' as Pointer]: [{ from: 'job', address, nth: 0 } as const] }
  return { ...job, model: video, mode: 'submit', params, count: 1, files, needs: [address] }
}

/** That the model takes. */
export const numbers = [1, 2, 4] as const

/** One of which people want more files, and fewer. Several may ask for the same, each in a number of its own. */
function counted(job: Job, chance: Chance): Job {
  const params = { prompt: chance.hits(0.4) ? 'job0' : familyOf(job) }
  if (job.model !== image) return { ...job, params }
  const shortDelivery = chance.pick(['top-up', 'top-up', 'accept', 'fail'] as const)
  return { ...withCount({ ...job, params }, chance.pick(numbers)), shortDelivery }
}

function withCount(job: Job, count: number): Job {
  return { ...job, count, params: { ...job.params, count } }
}

/** Another number of files for a job, which is one for all its takes; nothing where it has no number. */
export function recounted(jobs: readonly Job[], address: JobAddress, count: number): Job[] {
  return jobs.map(job => (familyOf(job) === address && job.model === image ? withCount(job, count) : job))
}

function takeOf(job: Job, take: number): Job {
  return { ...job, address: takeAddress(job.address, take), take, output: outputOfTake(job.output, take) }
}

/** Another prompt for a job, which is one for all its takes. */
export function withPrompt(jobs: readonly Job[], address: JobAddress, prompt: string): Job[] {
  return jobs.map(job => (familyOf(job) === address ? { ...job, params: { ...job.params, prompt } } : job))
}

/** Other names for jobs, their files, and wherever they are named. */
export function withNames(jobs: readonly Job[], names: ReadonlyMap<JobAddress, JobAddress>): Job[] {
  const named = (address: JobAddress) => {
    const family = familyNamed(address)
    return jobAddress(`${names.get(family) ?? family}${address.slice(family.length)}`)
  }
  return jobs.map(job => {
    const address = named(job.address)
    const files = Object.entries(job.files).map(([place, refs]) => [
      place,
      refs.map(ref => (ref.from === 'job' ? { ...ref, address: named(ref.address) } : ref)),
    ])
    return {
      ...job,
      address,
      output: outputOfTake(familyNamed(address), job.take),
      needs: job.needs.map(named),
      files: Object.fromEntries(files),
    }
  })
}

/** Without a job; what needed it does without. */
export function without(jobs: readonly Job[], gone: JobAddress): Job[] {
  const isGone = (address: JobAddress) => familyNamed(address) === gone
  return jobs
    .filter(job => !isGone(job.address))
    .map(job => {
      const isNeeded = job.needs.some(isGone)
      return isNeeded ? { ...job, needs: job.needs.filter(need => !isGone(need)), files: {} } : job
    })
}

/** The job that a take belongs to. */
export function familyOf({ address }: Job): JobAddress {
  return familyNamed(address)
}

export function familyNamed(address: JobAddress): JobAddress {
  return jobAddress(address.replace(/#\d+$/, ''))
}
