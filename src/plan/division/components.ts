import { createHash } from 'node:crypto'
import type { JobAddress } from '../../base/names.ts'
import { quantitiesOf } from '../../forms/cost.ts'
import type { FileRef, Job } from '../../manifest/shapes/job.ts'
import { recipeKey } from '../../store/cache/cache-text.ts'
import { firstTake } from '../picks.ts'
import { draftRecipe, linkIdentity } from '../shapes/recipe.ts'

/** Jobs that must be run together: what one of them buys, another is made from or could take for its own. */
export interface Component {
  /** From the names of its jobs: the same as long as the job stays that gave it. From 0 to 2^48 - 1. */
  readonly key: number
  /** What its jobs take together: see `weightOf`. */
  readonly weight: number
  readonly jobs: readonly Job[]
}

/**
 * The whole components of the graph of jobs, in the order of their first jobs. Inputs and needs keep jobs together; so do the
 * takes of a job, and so does one recipe in two jobs: a result of it may be given to either. Only the text of the manifest counts,
 * neither prices nor what is recorded, so that every machine divides it alike. Pure.
 */
export function componentsOf(jobs: readonly Job[]): Component[] {
  const parents = jobs.map((_, nth) => nth)
  const byName = new Map<string, number>()
  /** The first that had the name stands for all. */
  const joinBy = (name: string, nth: number) => {
    const other = byName.get(name)
    if (other === undefined) byName.set(name, nth)
    else join(parents, other, nth)
  }
  for (const [nth, job] of jobs.entries()) byName.set(`job ${job.address}`, nth)
  for (const [nth, job] of jobs.entries()) {
    joinBy(`family ${firstTake(job.address)}`, nth)
    joinBy(`recipe ${recipeKey(draftRecipe(job, textOf).recipe)}`, nth)
    for (const need of job.needs) {
      const other = byName.get(`job ${need}`)
      if (other !== undefined) join(parents, other, nth)
    }
  }
  return grouped(jobs, parents)
}

function grouped(jobs: readonly Job[], parents: number[]): Component[] {
  const groups = new Map<number, Job[]>()
  for (const [nth, job] of jobs.entries()) {
    const root = rootOf(parents, nth)
    const group = groups.get(root)
    if (group) group.push(job)
    else groups.set(root, [job])
  }
  return [...groups.values()].map(group => ({
    key: group.reduce((least, { address }) => Math.min(least, hashOf(address)), Number.POSITIVE_INFINITY),
    weight: group.reduce((sum, job) => sum + weightOf(job), 0),
    jobs: group,
  }))
}

/** What a file is called counts, whatever lies in it. */
function textOf(ref: FileRef): string {
  switch (ref.from) {
    case 'url':
      return linkIdentity(ref.url)
    case 'path':
      return `path:${ref.path}`
    case 'job':
      return `job:${ref.address} ${ref.nth}`
  }
}

/**
 * How much one job takes, in thousandths: a run, each further picture, each second and each thousand characters count one. By
 * the catalog, as prices are every person's own.
 */
function weightOf({ model, params }: Job): number {
  const { perImage = 1, perSecond = 0, perCharacter = 0 } = quantitiesOf(model, params)
  return Math.max(1, Math.round(1000 * (perImage + perSecond) + perCharacter))
}

/** 48 bits of a digest: the same on every machine, and for every version of genrun. */
function hashOf(address: JobAddress): number {
  return createHash('sha256').update(address).digest().readUIntBE(0, 6)
}

function join(parents: number[], a: number, b: number): void {
  const [one, other] = [rootOf(parents, a), rootOf(parents, b)]
  // The smaller one stands for both, so that the order of the jobs decides nothing but the order of the components.
  parents[Math.max(one, other)] = Math.min(one, other)
}

function rootOf(parents: number[], nth: number): number {
  let at = nth
  for (let up = parents[at] ?? at; up !== at; up = parents[at] ?? at) {
    // Half of the way is cut off for whoever comes next.
    parents[at] = parents[up] ?? up
    at = parents[at] ?? at
  }
  return at
}
