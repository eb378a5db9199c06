import { type JobAddress, jobAddress, type Pointer } from '../../src/base/names.ts'
import { headOf } from '../../src/base/source.ts'
import { findModel } from '../../src/catalog/index.ts'
import type { Model } from '../../src/catalog/model.ts'
import type { Job, Manifest } from '../../src/manifest/job.ts'
import type { Chance } from './chance.ts'

const file = { name: 'sim.yaml', text: '' }
const at = headOf(file)
const models = ['fama-imagine-image', 'famc-v3'].map(id => findModel(id) as Model) // both are in the catalog

/** A small batch: one to four jobs, some of which need others or take their files. */
export function drawBatch(chance: Chance): Manifest {
  const jobs: Job[] = []
  const size = chance.weighed({ 1: 3, 2: 3, 3: 2, 4: 1 })
  for (let nth = 0; nth < Number(size); nth++) jobs.push(drawJob(`job${nth}`, jobs, chance))
  const limits = chance.hits(0.3) ? { execute: 1, submit: 1 } : {}
  return { name: 'sim', file, output: 'out', limits, jobs }
}

function drawJob(name: string, earlier: readonly Job[], chance: Chance): Job {
  const model = chance.pick(models)
  const need = earlier.length > 0 && chance.hits(0.3) ? chance.pick(earlier) : undefined
  const takesFile = need !== undefined && model.id === 'famc-v3' && chance.hits(0.5)
  return {
    address: jobAddress(name),
    model,
    mode: chance.hits(0.8) ? (model.id === 'famc-v3' ? 'submit' : 'execute') : 'submit',
    params: { prompt: name },
    files: takesFile ? { ['/startFrame' as Pointer]: [{ from: 'job', address: need.address, nth: 0 }] } : {},
    needs: need ? [need.address] : [],
    output: name,
    count: chance.hits(0.2) ? 2 : 1,
    take: 1,
    tags: [],
    ...(chance.hits(0.1) && { timeoutMs: 120_000 }),
    retries: chance.hits(0.1) ? 1 : 0,
    at,
    locate: () => at,
  }
}

export function jobOf(batch: Manifest, address: JobAddress): Job {
  const found = batch.jobs.find(job => job.address === address)
  if (!found) throw new Error(`no job ${address}`)
  return found
}
