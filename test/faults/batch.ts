import { type JobAddress, jobAddress, type Pointer } from '../../src/base/names.ts'
import { headOf } from '../../src/base/source.ts'
import { findModel } from '../../src/catalog/index.ts'
import type { Model } from '../../src/catalog/model.ts'
import type { Job, Manifest } from '../../src/manifest/job.ts'
import type { Chance } from './chance.ts'

/** A small batch: one to four jobs, some of which need others or take their files. */
export interface Batch {
  /** As it is now: the user edits prompts, and takes edits back. */
  readonly manifest: () => Manifest
  readonly jobOf: (address: JobAddress) => Job
  readonly edit: (address: JobAddress, prompt: string) => void
  readonly isEdited: () => boolean
}

const file = { name: 'sim.yaml', text: '' }
const at = headOf(file)
const [image, video] = ['fama-imagine-image', 'famc-v3'].map(id => findModel(id)) as [Model, Model] // both are in the catalog

export function drawBatch(chance: Chance): Batch {
  const jobs: Job[] = []
  const size = Number(chance.weighed({ 1: 5, 2: 4, 3: 2, 4: 1 }))
  for (let nth = 0; nth < size; nth++) jobs.push(drawJob(`job${nth}`, jobs, chance))
  const limits = chance.hits(0.3) ? { execute: 1, submit: 1 } : {}
  let edits = 0
  let manifest: Manifest = { name: 'sim', file, output: 'out', limits, jobs }
  return {
    manifest: () => manifest,
    jobOf(address) {
      const found = manifest.jobs.find(job => job.address === address)
      if (!found) throw new Error(`no job ${address}`)
      return found
    },
    isEdited: () => edits > 0,
    edit(address, prompt) {
      edits++
      const edited = manifest.jobs.map(job =>
        job.address === address ? { ...job, params: { prompt } } : job,
      )
      manifest = { ...manifest, jobs: edited }
    },
  }
}

function drawJob(name: string, earlier: readonly Job[], chance: Chance): Job {
  const model = chance.pick([image, video])
  const need = earlier.length > 0 && chance.hits(0.3) ? chance.pick(earlier) : undefined
  const takesFile = need !== undefined && model === video && chance.hits(0.5)
  return {
    address: jobAddress(name),
    model,
    mode: model === image && chance.hits(0.8) ? 'execute' : 'submit',
    params: { prompt: name },
    files: takesFile ? { ['/startFrame' as Pointer]: [{ from: 'job', address: need.address, nth: 0 }] } : {},
    needs: need ? [need.address] : [],
    output: name,
    count: chance.hits(0.2) ? 2 : 1,
    take: 1,
    tags: [],
    // Most runs of a history should not be about waiting.
    timeoutMs: chance.pick([60_000, 60_000, 100_000, 300_000]),
    retries: chance.hits(0.1) ? 1 : 0,
    at,
    locate: () => at,
  }
}
