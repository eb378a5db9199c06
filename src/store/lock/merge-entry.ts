import { isDeepStrictEqual } from 'node:util'
import { defined } from '../../base/defined.ts'
import { type DonePurchase, fuller, type Ordered, withRunOf } from '../../base/purchase.ts'
import type { SavedFile } from '../../base/state.ts'
import { type Locked, lineOf } from './lock-text.ts'

/**
 * One purchase as both sides of a merge have it, member by member: what one side changed is as that has it, so that a new name
 * on one side and a pick on the other both hold; what both changed is as ours has it. What was paid for is never given up:
 * taken out on one side and changed on the other, it stays. Pure.
 */
export function mergeEntry(
  base: Locked | undefined,
  ours: Locked | undefined,
  theirs: Locked | undefined,
): Locked | undefined {
  if (isSame(ours, theirs)) return ours
  if (isSame(ours, base)) return theirs
  if (isSame(theirs, base)) return ours
  if (!ours || !theirs) return ours ?? theirs
  return mergeBoth({ base, ours, theirs })
}

function mergeBoth({ base, ours, theirs }: ThreeWays<Locked>): Locked {
  const order = mergeOrder({ base, ours, theirs })
  if (ours.is === 'done' && theirs.is === 'done') {
    const known = base?.is === 'done' ? base : undefined
    return { ...order, ...mergeResult({ base: known, ours, theirs }) }
  }
  const [counts, other] = fuller(ours, theirs) === ours ? [ours, theirs] : [theirs, ours]
  const { acceptedAs: _, redo: __, credits: ___, ...rest } = withRunOf(counts, other)
  // What its job got on one side came after it on both.
  const isPast = [ours, theirs].some(each => each.is === 'failed' && each.isPast)
  return { ...rest, ...order, ...(rest.is === 'failed' && isPast && { isPast }) }
}

/** What one side may have changed of what both have had. */
interface ThreeWays<Record> {
  readonly base: Record | undefined
  readonly ours: Record
  readonly theirs: Record
}

function mergeOrder(sides: ThreeWays<Locked>): Omit<Ordered, 'sent' | 'resubmitted' | 'rebuy'> {
  const { id } = sides.ours
  return {
    id,
    address: changed(sides, each => each.address),
    recipe: changed(sides, each => each.recipe),
    ...defined({
      acceptedAs: changed(sides, each => each.acceptedAs),
      redo: changed(sides, each => each.redo),
      credits: changed(sides, each => each.credits),
    }),
  }
}

type ResultOf = Omit<DonePurchase, keyof Ordered>

function mergeResult(sides: ThreeWays<DonePurchase>): ResultOf {
  const { ours, theirs } = sides
  return {
    is: 'done',
    files: mergeFiles(sides),
    ...defined({
      run: changed(sides, each => each.run) ?? ours.run ?? theirs.run,
      flaw: changed(sides, each => each.flaw),
      aside: changed(sides, each => each.aside),
    }),
    ...mergePick(sides),
  }
}

/** Picked on both sides, it is a person's choice where it is on one. What they parted from unknown, who picked has chosen. */
function mergePick({ base, ours, theirs }: ThreeWays<DonePurchase>): Pick<DonePurchase, 'picked' | 'byHand'> {
  const isPicked = ours.picked === base?.picked ? theirs.picked : ours.picked
  if (!isPicked) return {}
  const isByHand = [ours, theirs].some(each => each.picked && each.byHand)
  return { picked: true, ...(isByHand && { byHand: true as const }) }
}

/** The paths of a side are names that do not meet: where both moved the files, those go with the name of the job. */
function mergeFiles(sides: ThreeWays<DonePurchase>): readonly SavedFile[] {
  const { base, ours, theirs } = sides
  if (!isDeepStrictEqual(digestsOf(ours), digestsOf(theirs))) return changed(sides, ({ files }) => files)
  const isRenamedThere = base && ours.address === base.address && theirs.address !== base.address
  const first = isRenamedThere ? { base, ours: theirs, theirs: ours } : sides
  return ours.files.map((_, nth) => ({
    ...changed(sides, ({ files }) => ({ ...files[nth], path: '' }) as SavedFile), // both have as many
    path: changed(first, ({ files }) => files[nth]?.path ?? ''),
  }))
}

function digestsOf({ files }: DonePurchase): readonly string[] {
  return files.map(({ digest }) => digest)
}

/** Where it is not known what they parted from, ours counts. */
function changed<Record, Member>(
  { base, ours, theirs }: ThreeWays<Record>,
  memberOf: (each: Record) => Member,
): Member {
  const isOurs = !isDeepStrictEqual(memberOf(ours), memberOf(base ?? theirs))
  return memberOf(isOurs || !base ? ours : theirs)
}

function isSame(a: Locked | undefined, b: Locked | undefined): boolean {
  if (!a || !b) return a === b
  return lineOf(a) === lineOf(b)
}
