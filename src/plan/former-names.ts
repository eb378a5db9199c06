import type { JobAddress } from '../base/names.ts'
import { type DonePurchase, isResubmitted, type Purchase } from '../base/purchase.ts'
import type { Job } from '../manifest/shapes/job.ts'
import { identify } from './differences.ts'
import type { Facts } from './facts.ts'
import { firstTake } from './picks.ts'
import { groupedBy, recipesOf } from './register.ts'
import { isMadeAs } from './shapes/recipe.ts'
import { isRest } from './shapes/share.ts'
import { sortOf, type Twins } from './twins.ts'

// Jobs that ask for the same to the word, and got other names: what was made from a result tells which of them its job is now.

interface Evidence {
  readonly twins: () => Twins
  /** Whether what was made is there no more, and no service has it. */
  readonly isGone: (made: DonePurchase, job: Job) => boolean
}

/** By a name in the manifest, without takes. */
type ByName<Value> = ReadonlyMap<JobAddress, Value>

/** From a name that nobody has any more to a job that has nothing by its own: each job with the name that it had before. */
type Moves = readonly (readonly [name: JobAddress, old: JobAddress])[]

/**
 * The names that jobs had before, by those of now; all of a job's takes go along. Only where another job asks for the same, and would
 * get what is not its own: results of a name that nobody has any more are of the job that what was made from them uses now. Where that job
 * has something of its own by its name, from which nothing was made as its own, it had another name before, and so had who used that,
 * or one that has nothing yet. Names that are only exchanged stay: that may be a wish for the other's result.
 */
export function formerNames(
  jobs: readonly Job[],
  facts: Facts,
  { twins, isGone }: Evidence,
): ByName<JobAddress> {
  const former = new Map<JobAddress, JobAddress>()
  const sought = soughtBy(jobs, facts.purchases)
  if (!sought) return former
  const { takes, records, left } = sought
  const bare = new Set(sought.bare)
  const given = new Set<JobAddress>()
  const none = { facts, decided: new Map() }
  /** The job that uses the results of a name most; those of which several do alike tell nothing. */
  const users = new Map<JobAddress, JobAddress>()
  const unclear = new Set<JobAddress>()
  for (const old of records.keys()) {
    const [user, ...more] = usersOf(old)
    if (more.length > 0) unclear.add(old)
    else if (user !== undefined) users.set(old, user)
  }

  /** Those that use it most; none where nobody does. */
  function usersOf(old: JobAddress): JobAddress[] {
    const made = records.get(old) ?? []
    const usesBy = (name: JobAddress) =>
      Math.max(0, ...(takes.get(name) ?? []).flatMap(job => made.map(each => twins().uses(job, each))))
    const found = [...takes.keys()].map(name => ({ name, uses: usesBy(name) }))
    const most = Math.max(...found.map(({ uses }) => uses))
    return most === 0 ? [] : found.flatMap(({ name, uses }) => (uses === most ? [name] : []))
  }

  /** Whether a job can have all that there is of a name as it is. */
  function fits(name: JobAddress, old: JobAddress): boolean {
    const known = records.get(old) ?? []
    const pairs = (takes.get(name) ?? []).map(job => ({
      job,
      those: known.filter(({ recipe }) => recipe.take === job.take),
    }))
    return (
      !known.some(({ address }) => isRest(address)) &&
      pairs.some(({ those }) => those.length > 0) &&
      pairs.every(({ job, those }) => those.every(each => isAskedFor(each, job) && !isLacking(each, job)))
    )
  }

  function isAskedFor(each: Purchase, job: Job): boolean {
    return recipesOf(each).some(was => isMadeAs(was, job, ref => identify(ref, none)))
  }

  function isLacking(each: Purchase, job: Job): boolean {
    return each.is === 'done' && (each.files.length < job.count || isGone(each, job))
  }

  /** On to whoever uses each, up to a job that has nothing. `isTold`: what is used has led here; `behind`: the jobs on the way. */
  function movesFrom(old: JobAddress, isTold: boolean, behind: ReadonlySet<JobAddress>): Moves | undefined {
    if (unclear.has(old)) return undefined
    const user = users.get(old)
    const names = user === undefined ? [...(isTold ? bare : []), ...takes.keys()] : [user]
    for (const name of names) {
      if (behind.has(name) || former.has(name) || !fits(name, old)) continue
      if (bare.has(name)) {
        const isHeir = isTold && ![...users.values()].includes(name)
        if (name === user || isHeir) return [[name, old]]
        continue
      }
      // What has its name stays with a job as long as anything was made from that as its own, or nothing was from any other.
      const own = users.get(name)
      if (own === name || (user === undefined && own === undefined)) continue
      const further = movesFrom(name, isTold || user !== undefined, new Set([...behind, name]))
      if (further) return [[name, old], ...further]
    }
    return undefined
  }

  function move(old: JobAddress): void {
    const moves = given.has(old) ? [] : (movesFrom(old, false, new Set()) ?? [])
    for (const [name, its] of moves) {
      former.set(name, its)
      given.add(its)
      bare.delete(name)
    }
  }

  const isUsedByBare = (old: JobAddress) => sought.bare.has(users.get(old) ?? old)
  for (const old of left.filter(isUsedByBare)) move(old)
  for (const old of left) move(old)
  return new Map(
    [...former].flatMap(([name, old]) =>
      (takes.get(name) ?? []).map(({ address }) => [address, renamed(address, name, old)] as const),
    ),
  )
}

function renamed(address: JobAddress, from: JobAddress, to: JobAddress): JobAddress {
  return address.replace(from, () => to) as JobAddress // only its name is another
}

interface Sought {
  /** Jobs that ask for the same as another, with their takes. */
  readonly takes: ByName<readonly Job[]>
  /** What was ordered of such jobs. */
  readonly records: ByName<readonly Purchase[]>
  /** Those of which nothing was ordered by their names. */
  readonly bare: ReadonlySet<JobAddress>
  /** The names of what was ordered that no such job has. */
  readonly left: readonly JobAddress[]
}

/** Whoever has more jobs that ask for the same has them told apart by the cells of a matrix. */
const mostPairs = 10_000

/** Undefined in nearly every manifest: no name is new and another gone, or nobody asks for what another asks for, too. */
function soughtBy(jobs: readonly Job[], purchases: readonly Purchase[]): Sought | undefined {
  const named = groupedBy(purchases.filter(isOrdered), ({ address }) => [firstTake(address)])
  const isNew = ({ address, model, params: { prompt } }: Job) =>
    !named
      .get(firstTake(address))
      ?.some(each => recipesOf(each).some(was => was.model === model.id && was.params.prompt === prompt))
  const words = new Set(jobs.filter(isNew).map(({ params }) => params.prompt))
  if (words.size === 0 || named.size === 0) return undefined
  const alike = groupedBy(
    jobs.filter(({ params }) => words.has(params.prompt)),
    job => [JSON.stringify([sortOf(job), sourcesOf(job, named)])],
  )
  const contested = [...alike.values()].filter(its => its.length > 1 && its.some(isNew)).flat()
  const takes = groupedBy(contested, ({ address }) => [firstTake(address)])
  const isOfThem = (each: Purchase) => recipesOf(each).some(({ params }) => words.has(params.prompt))
  const records = groupedBy([...named.values()].flat().filter(isOfThem), ({ address }) => [
    firstTake(address),
  ])
  const bare = new Set([...takes].flatMap(([name, its]) => (its.every(isNew) ? [name] : [])))
  const left = [...records.keys()].filter(name => !takes.has(name))
  if (left.length === 0 || takes.size === 0 || takes.size * records.size > mostPairs) return undefined
  return { takes, records, bare, left }
}

/** What it is made from, as far as that has its name. */
function sourcesOf({ files }: Job, named: ByName<unknown>) {
  return Object.entries(files).map(([at, refs]) => [
    at,
    refs.map(ref => (ref.from !== 'job' ? ref : named.has(firstTake(ref.address)) && ref.address)),
  ])
}

function isOrdered(each: Purchase): boolean {
  return each.is !== 'open' || isResubmitted(each)
}
