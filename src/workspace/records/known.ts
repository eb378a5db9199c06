import { defined } from '../../base/defined.ts'
import { type Failure, failureMessage } from '../../base/failure.ts'
import type { JobAddress, PurchaseId } from '../../base/names.ts'
import {
  type DonePurchase,
  namesOf,
  newsOf,
  orderOf,
  type Purchase,
  putAsideAs,
  type RunningPurchase,
  withoutNames,
  withoutPick,
  withRunOf,
} from '../../base/purchase.ts'
import type { RemoteFile, SavedFile } from '../../base/state.ts'
import { firstTake } from '../../plan/picks.ts'
import { hasAllInputs, recipeAsOrdered, sameRecipe } from '../../plan/shapes/recipe.ts'
import { type History, isOver, recordOf } from '../../store/journal/fold.ts'
import type { Locked } from '../../store/lock/lock.ts'
import { isUnread } from '../../store/lock/lock-salvage.ts'
import { isAnotherTake, nextNumber } from '../../store/lock/take-number.ts'

/** What of the recorded is on disk. */
interface Sight {
  /** Where a spooled answer is now; undefined when it is gone. */
  readonly findSpooled: (path: string) => string | undefined
  /** Whether these very files are in their places. */
  readonly areThere: (files: readonly SavedFile[]) => boolean
  /** The lock is none that a run here began with, wrote or left: what a person chose stands in it, and not in the journal. */
  readonly hasParted?: boolean
}

/**
 * All that is known of every purchase: the lock, corrected by the journal, which is the truth between two saves of the
 * lock. In the order in which they were bought, as far as that is known. Pure but for what it sees.
 */
export function knownPurchases(
  locked: readonly Locked[],
  journal: ReadonlyMap<PurchaseId, History>,
  sight: Sight,
): Purchase[] {
  const byId = new Map(locked.map(entry => [entry.id, entry]))
  const named = new Set(locked.flatMap(namesOf))
  const owners = new Map(locked.flatMap(each => (namesOf(each).length > 0 ? [[each.address, each.id]] : [])))
  const lockOnly = locked.filter(({ id }) => !journal.has(id)).map(fromLock)
  const lockSight = { named, owners, ...sight }
  const both = [...journal].flatMap(([id, history]) => joined(byId.get(id), history, lockSight) ?? [])
  // A lock is no order, and says of a failure whether its job got something after it. Where that brought files, an earlier genrun did not.
  const isLast = (each: Purchase) => each.is === 'failed' && !each.isPast && !each.files?.length
  const all = [...lockOnly.filter(each => !isLast(each)), ...both, ...lockOnly.filter(isLast)]
  return all.some(isPast) ? [...all.filter(isPast), ...all.filter(each => !isPast(each))] : all
}

function isPast(purchase: Purchase): boolean {
  return purchase.is === 'failed' && purchase.isPast === true
}

/**
 * A purchase of a lock with what was ordered by it, which no checkout and no merge changes: where the journal has the order, another
 * recipe in the lock is a hand's, and a job would be bought again for it.
 */
export function asOrdered<Told extends Purchase>(told: Told, history: History | undefined): Told {
  const known = history?.order?.recipe
  if (!known || isUnread(known)) return told
  const recipe = recipeAsOrdered(known, told.recipe)
  return recipe === told.recipe ? told : { ...told, recipe }
}

/** Without an id the result waited in this machine's spool, which is gone with the journal. */
function fromLock(entry: Locked): Purchase {
  if (entry.is !== 'under-way' || entry.run) return entry
  return inDoubt(entry, 'it was paid for, and the journal that knew its result is gone')
}

/** And which names are taken in the lock, and by which purchase each job has what it has. */
interface LockSight extends Sight {
  readonly named: ReadonlySet<string>
  readonly owners: ReadonlyMap<JobAddress, PurchaseId>
}

function joined(locked: Locked | undefined, history: History, sight: LockSight): Purchase | undefined {
  // What was given up or pruned here may have been finished elsewhere, or come back with a lock that was put back.
  if (isOver(history)) return locked?.is === 'done' ? locked : undefined
  const record = recordOf(history)
  if (!record || record.is === 'open') return locked ? fromLock(locked) : record
  const known = record.is === 'under-way' ? asItLies(record, sight) : record
  if (!locked) return known
  // Another checkout finished the same order, or learnt its run, and its lock came here.
  const mayBeNews = locked.is === 'done' || (sight.hasParted ?? true)
  const news = mayBeNews && newsOf(known, fromLock(locked))
  if (news) return news
  const acceptedAs = known.acceptedAs ?? locked.acceptedAs
  const more = acceptedAs && { acceptedAs }
  if (known.is === 'failed' && locked.is === 'failed' && locked.isPast)
    return { ...known, ...numberOf(known, locked, sight), ...more, isPast: true }
  if (locked.is !== 'done' || known.is !== 'done')
    return { ...known, ...numberOf(known, locked, sight), ...more }
  const whole = withRunOf(placed(known, locked, sight), locked)
  const both: DonePurchase = more ? { ...whole, ...more } : whole
  // The lock's own object, so that one that says the same need not be composed.
  return isSaidBy(locked, both) ? locked : both
}

/** Of two takes that two branches ordered under one number a merge has given one another. */
function numberOf(
  { address }: Purchase,
  locked: Locked,
  { hasParted }: LockSight,
): Pick<Purchase, 'address'> | undefined {
  const isMeant = hasParted && firstTake(locked.address) === firstTake(address)
  return isMeant ? { address: locked.address } : undefined
}

function isSaidBy(locked: DonePurchase, { recipe, ...known }: DonePurchase): boolean {
  return (
    locked.address === known.address &&
    pathsOf(locked) === pathsOf(known) &&
    locked.aside === known.aside &&
    locked.picked === known.picked &&
    locked.byHand === known.byHand &&
    locked.redo === known.redo &&
    !known.isGone &&
    locked.run?.id === known.run?.id &&
    locked.run?.origin === known.run?.origin &&
    locked.flaw?.message === known.flaw?.message &&
    (locked.acceptedAs === known.acceptedAs || known.acceptedAs === undefined) &&
    hasAllInputs(locked.recipe) === hasAllInputs(recipe)
  )
}

/** Where its files are: the journal is about this disk; what was chosen stands in the lock. */
function placed(
  known: DonePurchase,
  locked: DonePurchase,
  { areThere, named, owners, hasParted = true }: LockSight,
): DonePurchase {
  const isSame = pathsOf(known) === pathsOf(locked) && known.aside === locked.aside
  // State that was put back knows nothing of what was put aside since, when something else has its names by now.
  // And what a merge has put aside for another's result gives way to that, for which it is the name's owner everywhere.
  // So does what another checkout has put aside for another take of the job, whatever that is called.
  const isReplaced = () =>
    hasParted &&
    (namesOf(known).some(name => named.has(name)) || (owners.get(locked.address) ?? known.id) !== known.id)
  const isLockRight =
    !isSame && (locked.aside ? isReplaced() || !areThere(known.files) : areThere(locked.files))
  const { address: _, aside: __, ...rest } = withoutPick(known)
  const { aside } = isLockRight ? locked : known
  // Where the lock gives the names to another's, and they are here yet: a run takes them from there.
  const { files } = isLockRight && !(locked.aside && areThere(known.files)) ? locked : known
  const chosen = hasParted ? locked : known
  return {
    address: chosen.address,
    ...rest,
    files,
    ...defined({ aside }),
    ...defined({ picked: chosen.picked, byHand: chosen.byHand }),
  }
}

function pathsOf({ files }: Pick<DonePurchase, 'files'>): string {
  return files.map(({ path, digest }) => `${path} ${digest}`).join('\n')
}

/** A result of which every file has its name is done: only DONE is missing. */
function asItLies(purchase: RunningPurchase, { findSpooled, areThere }: Sight): Purchase {
  const { run, files = [], saved, parts: _, ...rest } = purchase
  const isWhole = files.length > 0 && saved.length >= files.length
  const all = saved.map(({ file }) => file)
  if (isWhole && areThere(all)) {
    const odd = saved.find(({ flaw }) => flaw?.why === 'bad-media')?.flaw
    if (odd) return failedWith(all, purchase, odd)
    const { flaw } = saved.at(-1) ?? {}
    const told = flaw && { flaw: { why: flaw.why, message: failureMessage(flaw) } }
    return { ...rest, is: 'done', files: all, ...defined({ run }), ...told }
  }
  const present = presentFiles(files, findSpooled)
  const { files: _files, ...bare } = purchase
  if (present.length > 0) return { ...bare, files: present }
  return run ? bare : inDoubt(purchase, 'it was paid for, and its result is gone from the spool')
}

/** All of it came, and it is no result: only FAILED is missing. */
function failedWith(files: readonly SavedFile[], purchase: RunningPurchase, failure: Failure): Purchase {
  const flaw = { why: failure.why, message: failureMessage(failure) }
  const { run } = purchase
  return { ...orderOf(purchase), is: 'failed', flaw, billed: 'yes', ...defined({ run }), files }
}

function inDoubt(purchase: RunningPurchase, detail: string): Purchase {
  return { ...orderOf(purchase), is: 'doubt', detail, raws: [] }
}

/** All of the files or none: with one of them gone the result has to be read again. */
function presentFiles(files: readonly RemoteFile[], findSpooled: Sight['findSpooled']): RemoteFile[] {
  const found = files.map(file => {
    if (file.from === 'link') return file
    const path = findSpooled(file.path)
    return path === undefined ? undefined : { ...file, path }
  })
  return found.every(file => file !== undefined) ? found : []
}

/**
 * What a lock that was checked out has for a job is what the job has, if it can be had for nothing: it is what others have, and what a
 * person picked. What only the journal has of the same is put aside.
 */
export function asLocked(
  purchases: readonly Purchase[],
  isLocked: (id: PurchaseId) => boolean,
): readonly Purchase[] {
  const placed = placedResults(purchases.filter(({ id }) => isLocked(id)))
  return purchases.map(each => {
    const its = each.is === 'done' && !each.aside && !isLocked(each.id) ? placed.get(each.address) : undefined
    const isReached = its?.run !== undefined && !its.isGone && sameRecipe(its.recipe, each.recipe)
    return isReached && each.is === 'done' ? withoutNames(each) : each
  })
}

/**
 * One path has one owner. Where lock and journal tell of two, the bytes say whose the name is now, and the lock where these
 * say nothing; the others count as put aside.
 */
export function withOneOwner(
  purchases: readonly Purchase[],
  isLocked: (id: PurchaseId) => boolean,
  areThere: Sight['areThere'],
): readonly Purchase[] {
  const owners = new Map<string, DonePurchase[]>()
  for (const purchase of purchases) {
    if (purchase.is !== 'done' || purchase.aside) continue
    for (const name of new Set(namesOf(purchase))) owners.set(name, [...(owners.get(name) ?? []), purchase])
  }
  const lost = new Map<PurchaseId, DonePurchase | undefined>()
  for (const rivals of owners.values()) {
    if (rivals.length < 2) continue
    const owner =
      rivals.find(({ files }) => areThere(files)) ?? rivals.find(({ id }) => isLocked(id)) ?? rivals.at(-1)
    for (const { id } of rivals) if (id !== owner?.id) lost.set(id, owner)
  }
  if (lost.size === 0) return purchases
  const numbers = new Set(purchases.map(({ address }) => address))
  return purchases.map(each => {
    if (each.is !== 'done' || !lost.has(each.id)) return each
    const owner = lost.get(each.id)
    if (!owner || !isAnotherTake(each, owner)) return nameless(each)
    // Whoever kept the lines of both sides of a merge has two takes that were ordered apart under one number, and one pick.
    const aside = owner.picked ? withoutNames(each) : nameless(each)
    return { ...aside, ...nextNumber(each.address, numbers) }
  })
}

/** The choice of another machine stays one where the name is a file's that lay there before: it is fetched, and gets the name. */
function nameless(purchase: DonePurchase): DonePurchase {
  return purchase.picked ? putAsideAs(purchase) : withoutNames(purchase)
}

/** The results that have names, by the jobs that have them. */
export function placedResults(purchases: Iterable<Purchase>): Map<JobAddress, DonePurchase> {
  return new Map(
    [...purchases].flatMap(each =>
      each.is === 'done' && !each.aside ? [[each.address, each] as const] : [],
    ),
  )
}
