import { isDeepStrictEqual } from 'node:util'
import { type JobAddress, jobAddress, type PurchaseId } from '../../base/names.ts'
import {
  type DonePurchase,
  type DoubtfulPurchase,
  namesOf,
  putAsideAs,
  type RunningPurchase,
  withoutNames,
  withoutPick,
} from '../../base/purchase.ts'
import { canonicalJson } from '../files/digest.ts'
import { type Lock, type LockDamage, type Locked, readLock, writeLock } from './lock-text.ts'
import { mergeEntry } from './merge-entry.ts'
import { isAnotherTake, nextNumber, numbered } from './take-number.ts'

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
  const theirs = readLock(sides.theirs)
  if (theirs.got !== 'lock') return { ...theirs, side: 'theirs' }
  const renamed = renamedTo(base?.lock, ours.lock, theirs.lock)
  const other = renamed === undefined ? readLock(sides.theirs, ours.lock.manifest) : theirs
  if (other.got !== 'lock') return { ...other, side: 'theirs' }
  const mine = { ...ours.lock, manifest: renamed ?? ours.lock.manifest }
  return { got: 'merged', text: writeLock(merge(entriesOf(base?.lock), mine, theirs.lock)) }
}

/** What the manifest is called since one side renamed it: git has its lock under that name, too. */
function renamedTo(base: Lock | undefined, ours: Lock, theirs: Lock): string | undefined {
  if (!base || [ours, theirs].some(({ lineage }) => lineage !== base.lineage)) return undefined
  if (ours.manifest === base.manifest) return theirs.manifest
  return theirs.manifest === base.manifest ? ours.manifest : undefined
}

type Entries = ReadonlyMap<PurchaseId, Locked>

function merge(base: Entries, ours: Lock, theirs: Lock): Lock {
  const [mine, other] = [entriesOf(ours), entriesOf(theirs)]
  const both = [...new Set([...mine.keys(), ...other.keys()])].flatMap(
    id => mergeEntry(base.get(id), mine.get(id), other.get(id)) ?? [],
  )
  const merged = withOnePick(alongWithTheirs(both, mine, other), mine)
  const owners = ownersOf(merged, mine, other)
  const takes = new Map(
    merged.flatMap(each => (mine.has(each.id) && isPlacedTake(each) ? [[each.address, each] as const] : [])),
  )
  const numbers = new Set(merged.map(({ address }) => address))
  const standing = standingTakes(merged, takes)
  const jobs = merged.map(entry => {
    if (isComing(entry) && isOfOtherOrder(entry, standing.get(entry.address)))
      return { ...entry, ...nextNumber(entry.address, numbers) }
    // Who picked another take has it under another name: the number is one all the same.
    const sameTake = isPlacedTake(entry) ? takes.get(entry.address) : undefined
    const sameName = namesOf(entry).flatMap(name => owners.get(name) ?? [])[0]
    const owner = [sameTake, sameName].find(each => each && each.id !== entry.id)
    if (!owner || entry.is !== 'done') return entry
    if (isAnotherTake(entry, owner)) return { ...putAsideAs(entry), ...nextNumber(entry.address, numbers) }
    // A choice among the takes of a job is one whoever has the name: it is carried out when the take comes back.
    return owner.address === entry.address ? withoutNames(entry) : putAsideAs(entry)
  })
  return { ...ours, jobs }
}

/**
 * What only one side has goes along with the other takes of its job: the other side gave these another name, and could not know of it.
 * Those are known by what was ordered, for an edit leaves older results under the name that the job had then.
 */
function alongWithTheirs(merged: readonly Locked[], mine: Entries, other: Entries): readonly Locked[] {
  const ofBoth = merged.filter(({ id }) => mine.has(id) && other.has(id)).toSorted(byName)
  const [ofMine, ofOther] = [mine, other].map(side => newNames(ofBoth, side))
  return merged.map(entry => {
    const names = mine.has(entry.id) ? ofMine : ofOther
    if (!names?.size || (mine.has(entry.id) && other.has(entry.id))) return entry
    const name = names.get(takeKey(entry))
    const suffix = entry.address.slice(jobOf(entry.address).length)
    return name === undefined ? entry : { ...entry, address: jobAddress(name + suffix) }
  })
}

/** What jobs of a side are called from now on, by their takes there; of several names the first. */
function newNames(merged: readonly Locked[], side: Entries): ReadonlyMap<string, string> {
  const names = new Map<string, string>()
  for (const { id, address } of merged) {
    const known = side.get(id)
    if (!known || jobOf(known.address) === jobOf(address)) continue
    const key = takeKey(known)
    if (!names.has(key)) names.set(key, jobOf(address))
  }
  return names
}

function byName(one: Locked, other: Locked): number {
  if (one.address === other.address) return one.id < other.id ? -1 : 1
  return one.address < other.address ? -1 : 1
}

/** The same for all takes of a job that were ordered in the same words. */
function takeKey({ address, recipe: { model, service = '', params, inputs } }: Locked): string {
  return canonicalJson([jobOf(address), model, service, params, { ...inputs }])
}

/** A job has one pick: where both sides chose another take, that of ours. */
function withOnePick(merged: readonly Locked[], mine: Entries): readonly Locked[] {
  const chosen = new Map<string, DonePurchase>()
  const isOurs = ({ id }: Locked) => {
    const known = mine.get(id)
    return known?.is === 'done' && known.picked === true
  }
  const picked = merged.filter(isPicked)
  for (const entry of [...picked.filter(isOurs), ...picked])
    if (!chosen.has(jobOf(entry.address))) chosen.set(jobOf(entry.address), entry)
  return merged.map(entry =>
    isPicked(entry) && chosen.get(jobOf(entry.address)) !== entry ? withoutPick(entry) : entry,
  )
}

function isPicked(entry: Locked): entry is DonePurchase {
  return entry.is === 'done' && entry.picked === true && !entry.aside
}

/**
 * Whose each name is: of who has it in ours, else of who has it in theirs. What went along to another job is the last, as nobody has given
 * it that name there. What theirs put aside of ours has none any more.
 */
function ownersOf(merged: readonly Locked[], mine: Entries, other: Entries): ReadonlyMap<string, Locked> {
  const isFromOurs = (entry: Locked) => {
    const known = mine.get(entry.id)
    return known !== undefined && isDeepStrictEqual(namesOf(known), namesOf(entry))
  }
  const goesAlong = ({ id, address }: Locked) => {
    const [known, alsoKnown] = [mine.get(id), other.get(id)]
    return !(known && alsoKnown) && (known ?? alsoKnown)?.address !== address
  }
  const owners = new Map<string, Locked>()
  const staying = merged.filter(entry => !goesAlong(entry))
  const groups = [staying.filter(isFromOurs), staying, merged]
  for (const entry of groups.flat())
    for (const name of namesOf(entry)) if (!owners.has(name)) owners.set(name, entry)
  return owners
}

/** The job of an address, whatever take of it, and whatever order brings its files. */
function jobOf(address: JobAddress): string {
  return address.replace(/(#\d+)?(\+\d+)?$/, '')
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

function entriesOf(lock: Lock | undefined): Entries {
  return new Map(lock?.jobs.map(entry => [entry.id, entry]))
}
