import { basename } from 'node:path'
import type { JobAddress, PurchaseId } from '../../base/names.ts'
import { writeAtomically } from '../files/atomic-write.ts'
import { type Disk, looksTheSame } from '../files/disk.ts'
import { StorageError } from '../files/storage-error.ts'
import { loadAll, loadPicks } from './verdicts-file.ts'
import { datesOfAll, isSamePick, saysSomething, writeVerdicts } from './verdicts-lines.ts'
import { type PersonsVerdict, type Verdicts } from './verdicts-text.ts'
import { type WaitingPick, withPicksOf } from './waiting-picks.ts'

/** Where verdicts go. */
interface VerdictsPlace {
  readonly path: string
  readonly manifest: string
  readonly disk: Disk
  /** What a purchase is shown as now; absent: none is shown under another name than it had. */
  readonly nameNow?: (of: PurchaseId) => JobAddress | undefined
}

/**
 * Puts verdicts into a file, and picks that are to be carried out, each in the place of the one that stood there about the same purchase,
 * under whatever name, and gives all that stand there then. One about another purchase stays, be it under the same name: that may lie
 * aside, and come back when an edit is undone, or have another name. One that says nothing stays as well where it takes something back,
 * as it is newer than files that somebody sends later. Two who write at once both have their say. They are on the medium when it
 * resolves. Rejects with StorageError, and leaves a damaged file alone.
 */
export async function putVerdicts(
  { path, manifest, disk, nameNow = () => undefined }: VerdictsPlace,
  given: readonly PersonsVerdict[],
  wanted: readonly WaitingPick[] = [],
): Promise<readonly PersonsVerdict[]> {
  const { verdicts } = await change({ path, manifest, disk }, ({ verdicts, picks }) => ({
    verdicts: withVerdicts(verdicts, given),
    picks: withPicksOf(picks, wanted, nameNow),
  }))
  return verdicts
}

/** Picks that wait no more: they were carried out, or cannot be. What was given in their place since stays. Rejects with StorageError. */
export async function dropPicks(
  place: Omit<VerdictsPlace, 'nameNow'>,
  over: readonly WaitingPick[],
): Promise<void> {
  const isOver = (each: WaitingPick) => over.some(other => isSamePick(each, other))
  // What nobody has to change is not written.
  if (over.length === 0 || !loadPicks(place.path, place.disk).some(isOver)) return
  await change(place, ({ verdicts, picks }) => ({ verdicts, picks: picks.filter(each => !isOver(each)) }))
}

type Written = Required<Pick<Verdicts, 'verdicts' | 'picks'>>

async function change(
  { path, manifest, disk }: Omit<VerdictsPlace, 'nameNow'>,
  to: (before: Written) => Written,
): Promise<Written> {
  for (let tries = 0; tries < mostTries; tries++) {
    const before = disk.look(path)
    const { verdicts, picks = [] } = loadAll(path, disk)
    const after = to({ verdicts, picks })
    const isOurs = () => looksTheSame(disk.look(path), before)
    const text = writeVerdicts({ manifest: basename(manifest), ...after })
    if (await writeAtomically(disk, path, text, { mayReplace: isOurs })) return after
  }
  throw new StorageError(path, 'write', 'another text takes its place again and again')
}

const mostTries = 20

function withVerdicts(before: Verdicts['verdicts'], given: readonly PersonsVerdict[]): PersonsVerdict[] {
  const news = new Map<JobAddress, PersonsVerdict>()
  const addresses = new Set(before.map(({ address }) => address))
  const known = new Set(before.map(({ seen }) => seen.join()))
  for (const verdict of given) {
    const { address, seen } = verdict
    // What is taken back may stand under the name that the job had before.
    if (saysSomething(verdict) || news.has(address) || addresses.has(address) || known.has(seen.join()))
      news.set(address, { ...verdict, ...datesOfAll([...sameAs(verdict, before), verdict]) })
  }
  const about = new Set([...news.values()].map(({ of }) => of))
  const kept = before.filter(({ address, of }) => (of === undefined ? !news.has(address) : !about.has(of)))
  return [...kept, ...news.values()]
}

/** What is about the same result, be it under the name that it had. */
function sameAs(verdict: PersonsVerdict, before: Verdicts['verdicts']): readonly PersonsVerdict[] {
  const { address, of, seen } = verdict
  return before.filter(each =>
    of !== undefined && each.of !== undefined
      ? each.of === of
      : each.address === address && each.seen.join() === seen.join(),
  )
}
