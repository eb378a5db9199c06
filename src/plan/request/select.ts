import { defined } from '../../base/defined.ts'
import type { JobAddress } from '../../base/names.ts'
import { nearest } from '../../base/nearest.ts'
import { fitsStars } from '../../base/wildcard.ts'
import type { Job } from '../../manifest/shapes/job.ts'
import { idOf, patternOf } from './pattern.ts'
import { type Slip, slipOf } from './slip.ts'

/** Which jobs a command is about, as the user says it. All that is given must hold; nothing given means every job. */
export interface Selection {
  /**
   * Ids (`still`: all of its cells and takes), addresses (`still[fox,front]`, `hero#2`), globs (`still[*,front]`, `st*`),
   * axes by name (`still[view=front]`: the others are free).
   * One of them has to fit; one that begins with `!` takes away, whatever else fits.
   */
  readonly words?: readonly string[]
  /** One of the job's tags is among them. */
  readonly tags?: readonly string[]
  /** Model ids or globs. */
  readonly models?: readonly string[]
  /**
   * Those that failed, and what was skipped because it needs them or because they ended the buying. What is in doubt may have, so that it is shown beside
   * them; nothing is done about it.
   */
  readonly failed?: boolean
  /** With `failed`: what is in doubt as well, as it is ordered anew. */
  readonly resubmit?: boolean
  /** Those that were made and would be made differently now. */
  readonly changed?: boolean
  /** Of all these no more than the first so many that would be bought; the rest is as it was. */
  readonly limit?: number | undefined
}

/** What is known of jobs beside the manifest. */
export interface Standings {
  readonly failed: ReadonlySet<JobAddress>
  /** Not made yet. */
  readonly open: ReadonlySet<JobAddress>
  /** Not ordered in an earlier run because the buying had ended; by now they may be made. */
  readonly skipped: ReadonlySet<JobAddress>
  readonly doubt: ReadonlySet<JobAddress>
  readonly changed: ReadonlySet<JobAddress>
}

export type Selected =
  /** `asked` fit the selection; `all` are they and what they need. */
  | {
      readonly got: 'jobs'
      readonly asked: ReadonlySet<JobAddress>
      readonly all: ReadonlySet<JobAddress>
    }
  /** A word that fits no job: probably a slip, so nothing is done. */
  | {
      readonly got: 'nothing'
      readonly word: string
      readonly kind: 'job' | 'tag' | 'model'
      readonly near?: string
      /** Where more can be said than that there is none. */
      readonly about?: Slip
    }

export function isEmptySelection({
  words = [],
  tags = [],
  models = [],
  failed,
  changed,
  limit,
}: Selection): boolean {
  return words.length + tags.length + models.length === 0 && !failed && !changed && limit === undefined
}

/** The jobs that a selection means, with what they need. What is taken away by `!` does not come back as a need. */
export function selectJobs(jobs: readonly Job[], selection: Selection, standings: Standings): Selected {
  const slip = findSlip(jobs, selection)
  if (slip) return slip
  const { words = [], tags = [], models = [], failed, resubmit, changed } = selection
  const wanted = words.filter(word => !word.startsWith('!')).map(patternOf)
  const unwanted = words.filter(word => word.startsWith('!')).map(word => patternOf(word.slice(1)))
  const isOut = (job: Job) => unwanted.some(pattern => pattern(job.address, job.axes))
  const isMeant = (job: Job) =>
    !isOut(job) &&
    (wanted.length === 0 || wanted.some(pattern => pattern(job.address, job.axes))) &&
    (tags.length === 0 || job.tags.some(tag => tags.includes(tag))) &&
    (models.length === 0 || models.some(model => fitsStars(model, job.model.id))) &&
    (!changed || standings.changed.has(job.address))
  const meant = jobs.filter(isMeant)
  const sought = resubmit
    ? { ...standings, failed: new Set([...standings.failed, ...standings.doubt]) }
    : standings
  const among = failed && failedWithDependants(jobs, sought)
  const asked = among ? meant.filter(job => among.has(job.address)) : meant
  const inDoubt = failed ? meant.filter(job => standings.doubt.has(job.address)) : []
  const byAddress = new Map(jobs.filter(job => !isOut(job)).map(job => [job.address, job]))
  const all = withNeeds(asked, byAddress)
  // Without its needs: for the sake of a doubt nothing is ordered.
  for (const { address } of inDoubt) all.add(address)
  return { got: 'jobs', asked: new Set(asked.map(job => job.address)), all }
}

/** What was not made because of what failed is wanted with it: it was skipped for that reason alone. */
function failedWithDependants(
  jobs: readonly Job[],
  { failed, open, skipped }: Standings,
): ReadonlySet<JobAddress> {
  const found = new Set([...failed, ...[...skipped].filter(address => open.has(address))])
  const dependants = new Map<JobAddress, JobAddress[]>()
  for (const { address, needs } of jobs)
    for (const need of needs) dependants.set(need, [...(dependants.get(need) ?? []), address])
  // A set that grows is gone through to its end.
  for (const address of found)
    for (const dependant of dependants.get(address) ?? []) if (open.has(dependant)) found.add(dependant)
  return found
}

function withNeeds(asked: readonly Job[], byAddress: ReadonlyMap<JobAddress, Job>): Set<JobAddress> {
  const all = new Set<JobAddress>()
  const open = asked.map(job => job.address)
  for (let address = open.pop(); address !== undefined; address = open.pop()) {
    const job = byAddress.get(address)
    if (!job || all.has(address)) continue
    all.add(address)
    open.push(...job.needs)
  }
  return all
}

function findSlip(
  jobs: readonly Job[],
  { words = [], tags = [], models = [] }: Selection,
): Selected | undefined {
  for (const word of words) {
    const bare = word.replace(/^!/, '')
    const isMeant = patternOf(bare)
    if (jobs.some(job => isMeant(job.address, job.axes))) continue
    const about = slipOf(bare, jobs)
    if (about) return { got: 'nothing', word: bare, kind: 'job', about }
    const known = jobs.flatMap(job => [job.address, idOf(job.address)])
    return slip('job', bare, nearest(bare, known))
  }
  for (const tag of tags) {
    const known = jobs.flatMap(job => job.tags)
    if (!known.includes(tag)) return slip('tag', tag, nearest(tag, known))
  }
  for (const model of models) {
    const known = jobs.map(job => job.model.id)
    if (!known.some(id => fitsStars(model, id))) return slip('model', model, nearest(model, known))
  }
  return undefined
}

function slip(kind: 'job' | 'tag' | 'model', word: string, near: string | undefined): Selected {
  return { got: 'nothing', word, kind, ...defined({ near }) }
}
