import type { PurchaseId } from '../../base/names.ts'
import { fuller, type Purchase } from '../../base/purchase.ts'
import type { Lock, Locked } from '../../store/lock/lock.ts'
import type { RescuedLock } from '../../store/lock/rescued.ts'
import type { Recorded } from '../workspace.ts'

/** What was found outside the project, beside the lock that is there. */
interface FoundLocks {
  /** What they know and the lock does not; the journal may know more. */
  readonly purchases: readonly Locked[]
  /** To be removed once the journal knows all of it. One of another place may be of a copy, which has yet to read it. */
  readonly files: readonly string[]
  /** Of what a person should hear: `news` are purchases that the journal did not know so, `all` those that are known now. */
  told(news: ReadonlySet<PurchaseId>, all: readonly Purchase[]): Recorded['rescued']
}

/** Those of the lock's lineage are read with it; of another one, what lies in this very place is told and kept. */
export function sortRescued(found: readonly RescuedLock[], lock: Lock): FoundLocks {
  const known = new Map(lock.jobs.map(each => [each.id, each]))
  const isMore = (each: Locked) => {
    const here = known.get(each.id)
    return !here || fuller(here, each) !== here
  }
  const ours = found.filter(each => each.lock.lineage === lock.lineage)
  const others = found.filter(each => each.isHere && !ours.includes(each))
  const purchases = ours.flatMap(each => each.lock.jobs.filter(isMore))
  return {
    purchases,
    files: ours.filter(({ isHere }) => isHere).map(({ file }) => file),
    told(news, all) {
      const ids = new Set(all.map(({ id }) => id))
      const tells = (each: RescuedLock, isOurs: boolean, isTold: (its: Locked) => boolean) =>
        each.lock.jobs.some(isTold)
          ? [{ file: each.file, purchases: each.lock.jobs.filter(isTold), isOurs }]
          : []
      return [
        ...ours.flatMap(each => tells(each, true, its => news.has(its.id) && isMore(its))),
        ...others.flatMap(each => tells(each, false, its => !ids.has(its.id))),
      ]
    },
  }
}
