import type { Digest, JobAddress, PurchaseId } from '../base/names.ts'
import type { DonePurchase, Purchase } from '../base/purchase.ts'
import { isLaterVerdict, type PersonsVerdict } from '../store/verdicts/verdicts-text.ts'
import { firstTake } from './picks.ts'

/** What persons decided, found by the results as they are called now. */
export interface KnownVerdicts {
  /**
   * What was decided about a result: about that purchase, under whatever name, or about its very files under its own address or one that
   * its job had before; of several the latest. Else what was decided about other files under its own. It has the result's address.
   */
  on(address: JobAddress, made: DonePurchase | undefined): PersonsVerdict | undefined
  /** Whether it belongs to a result under whatever address that has. */
  hasMoved(verdict: PersonsVerdict): boolean
}

/**
 * A verdict is about what was seen, and goes along when its job gets another name: one that names its purchase with that, and to nothing
 * else. One that does not stays under its address while a job has that (`jobs`: the addresses of all jobs), and is followed by its bytes.
 */
export function followVerdicts(
  verdicts: readonly PersonsVerdict[],
  jobs: Iterable<JobAddress>,
  purchases: readonly Purchase[],
): KnownVerdicts {
  const results = resultsIn(purchases)
  const byId = new Map(results.map(each => [each.id, each]))
  const bound = new Map<PurchaseId, PersonsVerdict>()
  const moved = new Map<PersonsVerdict, ResultIn>()
  const own = new Map<JobAddress, PersonsVerdict[]>()
  for (const verdict of verdicts) {
    const result = verdict.of && byId.get(verdict.of)
    if (result?.seen.join() === verdict.seen.join()) {
      moved.set(verdict, result)
      bound.set(result.id, latest(verdict, bound.get(result.id)))
    }
    const alike = own.get(verdict.address)
    if (alike) alike.push(verdict)
    else own.set(verdict.address, [verdict])
  }
  /** Without a purchase that is known, about these very files, under the name that they have. */
  const plainOn = (address: JobAddress, seen: string) =>
    latestOf((own.get(address) ?? []).filter(each => !moved.has(each) && each.seen.join() === seen))
  const known = new Set([...jobs].map(firstTake))
  // What names a purchase that is not recorded may be about one that was pruned: another with its bytes is not meant.
  const gone = verdicts.filter(each => each.of === undefined && !known.has(firstTake(each.address)))
  const isDecided = ({ id, address, seen }: ResultIn) =>
    bound.has(id) || plainOn(address, seen.join()) !== undefined
  const resultOf = gone.length > 0 ? resultsSeen(results, isDecided) : () => undefined
  const followed = new Map<PurchaseId, PersonsVerdict>()
  for (const verdict of gone) {
    const result = resultOf(verdict)
    if (!result) continue
    moved.set(verdict, result)
    followed.set(result.id, latest(verdict, followed.get(result.id)))
  }
  return {
    on(address, made) {
      const seen = made && seenIn(made).join()
      const plain = seen === undefined ? undefined : plainOn(address, seen)
      const found = made && latestOf([bound.get(made.id), plain ?? followed.get(made.id)])
      if (found) return { ...found, address }
      const others = (own.get(address) ?? []).filter(each => each.seen.join() !== seen)
      // A result that was put aside has no name, and it was this one.
      return latestOf(others.filter(each => (moved.get(each)?.address ?? address) === address))
    },
    hasMoved: verdict => moved.has(verdict),
  }
}

function latest(one: PersonsVerdict, other: PersonsVerdict | undefined): PersonsVerdict {
  return other && isLaterVerdict(other, one) ? other : one
}

function latestOf(verdicts: readonly (PersonsVerdict | undefined)[]): PersonsVerdict | undefined {
  return verdicts.reduce((found, each) => (each ? latest(each, found) : found), undefined)
}

/** What can be seen under an address: the digests of its files. */
interface SeenResult {
  readonly address: JobAddress
  readonly seen: readonly Digest[]
  /** It has no name now, and only a verdict under the name that it had is about it. */
  readonly isAside?: boolean
}

type ResultIn = SeenResult & Pick<Purchase, 'id'>

function resultsIn(purchases: readonly Purchase[]): ResultIn[] {
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
  isDecided: (result: Result) => boolean,
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
    const free = there.filter(each => !isDecided(each))
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

/** What is shown under an address: the digests of its files, and what was bought. */
export interface ShownFiles {
  readonly seen: readonly Digest[]
  readonly of?: PurchaseId | undefined
}

/**
 * The address that the result has now about which a verdict is that was given under another: on a page that was there before, or in a
 * file that somebody sends. By its purchase, where that is shown, and else by its files. Unchanged where that is not known.
 */
export function addressNow(
  shown: ReadonlyMap<JobAddress, ShownFiles>,
): (verdict: PersonsVerdict) => JobAddress {
  const jobs = new Set([...shown.keys()].map(firstTake))
  const nameOf = shownNames(shown)
  let resultOf: ReturnType<typeof resultsSeen> | undefined
  return verdict => {
    const { address, of } = verdict
    const name = of && nameOf(of)
    // Its files may be others by now, which is no reason to take another result with its bytes for it.
    if (name !== undefined) return name
    if (jobs.has(firstTake(address))) return address
    resultOf ??= resultsSeen(
      [...shown].map(([each, files]) => ({ address: each, seen: files.seen })),
      () => false,
    )
    return resultOf(verdict)?.address ?? address
  }
}

/** What each purchase is shown as. */
export function shownNames(
  shown: ReadonlyMap<JobAddress, ShownFiles>,
): (of: PurchaseId) => JobAddress | undefined {
  const names = new Map([...shown].flatMap(([address, { of }]) => (of ? [[of, address] as const] : [])))
  return of => names.get(of)
}
