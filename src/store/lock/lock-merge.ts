import { isDeepStrictEqual } from 'node:util'
import { type JobAddress, jobAddress, type PurchaseId } from '../../base/names.ts'
import {
  type DonePurchase,
  type DoubtfulPurchase,
  fuller,
  namesOf,
  type RunningPurchase,
  withoutNames,
  withRunOf,
} from '../../base/purchase.ts'
import { type Lock, type LockDamage, type Locked, lineOf, readLock, writeLock } from './lock-text.ts'

/** The contents of a lock on both sides of a merge, and where they parted. An empty base: there was none. */
interface Sides {
  readonly base: string
  readonly ours: string
  readonly theirs: string
}

export type Merged =
  | { readonly got: 'merged'; readonly text: string }
  | (LockDamage & { readonly side: keyof Sides })

/**
 * Merges two locks purchase by purchase: what both sides bought is two purchases, so that nothing conflicts. What was paid
 * for is never given up. Where both have a file under one name it is ours, and theirs counts as put aside: which of them a
 * job asks for, the manifest says. Two takes that were ordered apart under one number are two takes: theirs gets the next
 * number, and before it one that is still on its way. Pure.
 */
export function mergeLocks(sides: Sides): Merged {
  const base = sides.base.trim() === '' ? undefined : readLock(sides.base)
  if (base && base.got !== 'lock') return { ...base, side: 'base' }
  const ours = readLock(sides.ours)
  if (ours.got !== 'lock') return { ...ours, side: 'ours' }
  const theirs = readLock(sides.theirs, ours.lock.manifest)
  if (theirs.got !== 'lock') return { ...theirs, side: 'theirs' }
  return { got: 'merged', text: writeLock(merge(entriesOf(base?.lock), ours.lock, theirs.lock)) }
}

type Entries = ReadonlyMap<PurchaseId, Locked>

function merge(base: Entries, ours: Lock, theirs: Lock): Lock {
  const [mine, other] = [entriesOf(ours), entriesOf(theirs)]
  const merged = [...new Set([...mine.keys(), ...other.keys()])].flatMap(
    id => mergeEntry(base.get(id), mine.get(id), other.get(id)) ?? [],
  )
  // What theirs put aside of ours has no names any more.
  const kept = merged.filter(entry => entry === mine.get(entry.id))
  const owners = new Map(kept.flatMap(entry => namesOf(entry).map(name => [name, entry.id] as const)))
  const byId = new Map(kept.map(entry => [entry.id, entry]))
  const takes = new Map(kept.filter(isPlacedTake).map(entry => [entry.address, entry]))
  const numbers = new Set(merged.map(({ address }) => address))
  const standing = standingTakes(merged, takes)
  const jobs = merged.map(entry => {
    if (isComing(entry) && isOfOtherOrder(entry, standing.get(entry.address)))
      return { ...entry, ...nextNumber(entry.address, numbers) }
    // Who picked another take has it under another name: the number is one all the same.
    const sameTake = isPlacedTake(entry) ? takes.get(entry.address) : undefined
    const sameName = namesOf(entry).flatMap(name => byId.get(owners.get(name) ?? entry.id) ?? [])[0]
    const owner = sameTake ?? sameName
    if (!owner || owner.id === entry.id || entry.is !== 'done') return entry
    return { ...withoutNames(entry), ...(isAnotherTake(entry, owner) && nextNumber(entry.address, numbers)) }
  })
  return { ...ours, jobs }
}

/** Beyond the first, under a name of its own. */
function isPlacedTake(entry: Locked): entry is DonePurchase {
  return entry.is === 'done' && !entry.aside && numbered.test(entry.address)
}

/**
 * What keeps each number: ours that is made, else theirs, for files have names by it; of such as are on their way alone the one with the
 * lowest id, so that it is the same whoever merges.
 */
function standingTakes(
  merged: readonly Locked[],
  mine: ReadonlyMap<JobAddress, DonePurchase>,
): ReadonlyMap<JobAddress, Locked> {
  const standing = new Map<JobAddress, Locked>(mine)
  for (const entry of merged.filter(isPlacedTake))
    if (!standing.has(entry.address)) standing.set(entry.address, entry)
  for (const entry of merged.filter(isComing).toSorted((a, b) => (a.id < b.id ? -1 : 1)))
    if (!standing.has(entry.address)) standing.set(entry.address, entry)
  return standing
}

/** A take beyond the first that a service is making, or that `redo` ordered and that may be paid for. */
function isComing(entry: Locked): entry is RunningPurchase | DoubtfulPurchase {
  if (!numbered.test(entry.address)) return false
  return entry.is === 'under-way' || (entry.is === 'doubt' && entry.redo === true)
}

/** Of the same words, and not the same run. */
function isOfOtherOrder(
  entry: RunningPurchase | DoubtfulPurchase,
  standing: Locked | undefined,
): standing is Locked {
  if (!standing || standing.id === entry.id || !isDeepStrictEqual(entry.recipe, standing.recipe)) return false
  const [one, other] = [entry, standing].map(each => ('run' in each ? each.run?.id : undefined))
  return one === undefined || one !== other
}

/** Of the same order, beyond the first take, and not the very same file. */
function isAnotherTake({ address, recipe, files }: DonePurchase, owner: Locked): boolean {
  if (owner.is !== 'done' || owner.address !== address || !numbered.test(address)) return false
  return files[0]?.digest !== owner.files[0]?.digest && isDeepStrictEqual(recipe, owner.recipe)
}

const numbered = /#\d+$/

/** The first that stands for nothing on either side; it does from now on. */
function nextNumber(address: JobAddress, numbers: Set<JobAddress>): Pick<Locked, 'address'> {
  const numberOf = (take: number) => jobAddress(address.replace(numbered, `#${take}`))
  let take = 2
  while (numbers.has(numberOf(take))) take++
  numbers.add(numberOf(take))
  return { address: numberOf(take) }
}

function mergeEntry(
  base: Locked | undefined,
  ours: Locked | undefined,
  theirs: Locked | undefined,
): Locked | undefined {
  if (isSame(ours, theirs)) return ours
  if (isSame(ours, base)) return theirs
  if (isSame(theirs, base)) return ours
  // Taken out on one side and changed on the other: the change cost money.
  if (!ours || !theirs) return ours ?? theirs
  const counts = fuller(ours, theirs)
  const other = counts === ours ? theirs : ours
  return withHandOf(withRunOf(counts, other), other)
}

/** Picked on both sides, it is a person's choice where it is on one. */
function withHandOf(known: Locked, other: Locked): Locked {
  if (known.is !== 'done' || other.is !== 'done' || !known.picked || !other.byHand) return known
  return { ...known, byHand: true }
}

function isSame(a: Locked | undefined, b: Locked | undefined): boolean {
  if (!a || !b) return a === b
  return lineOf(a) === lineOf(b)
}

function entriesOf(lock: Lock | undefined): Entries {
  return new Map(lock?.jobs.map(entry => [entry.id, entry]))
}
