import type { Digest, JobAddress, PurchaseId } from '../base/names.ts'
import type { DonePurchase, Purchase } from '../base/purchase.ts'
import { isLaterVerdict, type PersonsVerdict } from '../store/verdicts/verdicts-text.ts'
import { firstTake } from './picks.ts'

/** What persons decided, found by the results as they are called now. */
export interface KnownVerdicts {
  /**
   * What was decided about the very files of a result, under its own address or under one that its job had before; else what was
   * decided about other files under its own. It has the result's address.
   */
  on(address: JobAddress, made: DonePurchase | undefined): PersonsVerdict | undefined
  /** Whether a result under another address has taken it along. */
  hasMoved(verdict: PersonsVerdict): boolean
}

/**
 * A verdict is about what was seen, and goes along when its job gets another name. `jobs`: the addresses of all jobs that there are;
 * a verdict under one of them stays there.
 */
export function followVerdicts(
  verdicts: readonly PersonsVerdict[],
  jobs: Iterable<JobAddress>,
  purchases: readonly Purchase[],
): KnownVerdicts {
  const own = new Map(verdicts.map(each => [each.address, each]))
  const known = new Set([...jobs].map(firstTake))
  const gone = verdicts.filter(each => !known.has(firstTake(each.address)))
  const followed = new Map<PurchaseId, PersonsVerdict>()
  const moved = new Set<PersonsVerdict>()
  const resultOf = gone.length > 0 ? resultsSeen(resultsIn(purchases), own) : () => undefined
  for (const verdict of gone) {
    const id = resultOf(verdict)?.id
    const other = id && followed.get(id)
    if (!id) continue
    moved.add(verdict)
    if (!other || isLaterVerdict(verdict, other)) followed.set(id, verdict)
  }
  return {
    on(address, made) {
      const its = own.get(address)
      if (its && made && seenIn(made).join() === its.seen.join()) return its
      const other = made && followed.get(made.id)
      return other ? { ...other, address } : its
    },
    hasMoved: verdict => moved.has(verdict),
  }
}

/** What can be seen under an address: the digests of its files. */
interface SeenResult {
  readonly address: JobAddress
  readonly seen: readonly Digest[]
  /** It has no name now, and only a verdict under the name that it had is about it. */
  readonly isAside?: boolean
}

function resultsIn(purchases: readonly Purchase[]): (SeenResult & Pick<Purchase, 'id'>)[] {
  return purchases.flatMap(each =>
    each.is === 'done'
      ? [{ id: each.id, address: each.address, seen: seenIn(each), isAside: each.aside === true }]
      : [],
  )
}

function seenIn({ files }: DonePurchase): Digest[] {
  return files.map(({ digest }) => digest)
}

/**
 * Which result a verdict is about whose address no job has: the one that is recorded under it still, or the only one with these bytes,
 * or the only one of those that nobody decided about, or the one that is the same take or cell of its job. Otherwise nobody knows.
 */
function resultsSeen<Result extends SeenResult>(
  results: readonly Result[],
  own: ReadonlyMap<JobAddress, PersonsVerdict>,
): (verdict: PersonsVerdict) => Result | undefined {
  const bySeen = new Map<string, Result[]>()
  for (const each of results) {
    const alike = bySeen.get(each.seen.join())
    if (alike) alike.push(each)
    else bySeen.set(each.seen.join(), [each])
  }
  return ({ address, seen }) => {
    const alike = bySeen.get(seen.join()) ?? []
    const recorded = alike.find(each => each.address === address)
    if (recorded) return recorded
    const there = alike.filter(each => !each.isAside)
    const free = there.filter(each => own.get(each.address)?.seen.join() !== seen.join())
    const kin = there.filter(each => partOf(each.address) === partOf(address))
    return only(there) ?? only(free) ?? only(kin)
  }
}

function only<T>(all: readonly T[]): T | undefined {
  return all.length === 1 ? all[0] : undefined
}

/** What stands behind the job's id: `[fox]#2`. */
function partOf(address: JobAddress): string {
  return address.replace(/^[^[#+]*/, '')
}

/**
 * The address that the result has now about which a verdict is that was given under another: on a page that was there before, or in a
 * file that somebody sends. `shown` are the digests of all results. Unchanged where that is not known.
 */
export function addressNow(
  shown: ReadonlyMap<JobAddress, readonly Digest[]>,
): (verdict: PersonsVerdict) => JobAddress {
  const jobs = new Set([...shown.keys()].map(firstTake))
  let resultOf: ReturnType<typeof resultsSeen> | undefined
  return verdict => {
    if (jobs.has(firstTake(verdict.address))) return verdict.address
    resultOf ??= resultsSeen(
      [...shown].map(([address, seen]) => ({ address, seen })),
      new Map(),
    )
    return resultOf(verdict)?.address ?? verdict.address
  }
}
