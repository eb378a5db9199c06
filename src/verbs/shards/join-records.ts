import { type JobAddress, type PurchaseId, restStart } from '../../base/names.ts'
import type { Purchase } from '../../base/purchase.ts'
import type { SavedFile } from '../../base/state.ts'
import { hasAllInputs } from '../../plan/shapes/recipe.ts'
import { recipeKey } from '../../store/cache/cache-text.ts'
import { type Locked, lineOf } from '../../store/lock/lock-text.ts'
import { fullerOf } from '../../workspace/records/beside.ts'
import { withOneOwner } from '../../workspace/records/known.ts'

/** Whose records they are, as a person is told. */
export interface RecordSource {
  readonly name: string
  readonly purchases: readonly Purchase[]
  /** Of which nothing is owed any more, by its journal. */
  readonly over: ReadonlySet<PurchaseId>
}

/** What the records of several come to as one. */
interface Joined {
  /** What the whole does not know, or not as it stands from now on. */
  readonly news: readonly Purchase[]
  /** What the whole takes for owed, and nothing is owed of any more. */
  readonly ended: readonly PurchaseId[]
  readonly twice: readonly Twice[]
}

/** Results of one recipe that were bought apart, and of which the manifest asks for fewer. */
export interface Twice {
  readonly bought: readonly { readonly address: JobAddress; readonly by: string }[]
}

interface Sight {
  /** Jobs of the manifest. */
  readonly wanted: ReadonlySet<JobAddress>
  readonly areThere: (files: readonly SavedFile[]) => boolean
}

/**
 * One purchase is one whatever records tell of it, and the record that knows more counts. What was given up or ordered anew in
 * one of them is news no more, but for a result. Pure but for what it sees.
 */
export function joinRecords(
  whole: RecordSource,
  shards: readonly RecordSource[],
  { wanted, areThere }: Sight,
): Joined {
  const known = new Map(whole.purchases.map(each => [each.id, each]))
  const joined = new Map<PurchaseId, Purchase>(known)
  const by = new Map<PurchaseId, string>(whole.purchases.map(({ id }) => [id, whole.name]))
  const over = new Set<PurchaseId>(whole.over)
  for (const shard of shards) {
    for (const id of shard.over) over.add(id)
    for (const each of shard.purchases) {
      const other = joined.get(each.id)
      joined.set(each.id, other && !isOpen(other) ? joinedWith(other, each, areThere) : each)
      if (!by.has(each.id)) by.set(each.id, shard.name)
    }
  }
  const isEnded = ({ id, is }: Purchase) => over.has(id) && is !== 'done'
  const standing = [...joined.values()].filter(each => !isEnded(each))
  const purchases = withOneOwner(standing, id => known.has(id), areThere)
  return {
    news: purchases.filter(each => isNews(each, known.get(each.id))),
    ended: [...known.values()].filter(each => !isOpen(each) && isEnded(each)).map(({ id }) => id),
    // As they were told: of two that have one name, one counts as put aside from now on.
    twice: boughtTwice(standing, by, wanted),
  }
}

function isOpen(purchase: Purchase): purchase is Purchase & { is: 'open' } {
  return purchase.is === 'open'
}

function joinedWith(one: Purchase, other: Purchase, areThere: Sight['areThere']): Purchase {
  // Most are known alike, and nobody has to look at their files.
  return !isNews(one, other) ? one : fullerOf(one, other, areThere)
}

function isNews(now: Purchase, known: Purchase | undefined): boolean {
  if (!known || known.is === 'open' || now.is === 'open') return known !== now
  return lineOf(now as Locked) !== lineOf(known)
}

function boughtTwice(
  purchases: readonly Purchase[],
  by: ReadonlyMap<PurchaseId, string>,
  wanted: ReadonlySet<JobAddress>,
): Twice[] {
  const groups = new Map<string, Purchase[]>()
  for (const each of purchases) {
    const isPaid = each.is === 'done' || each.is === 'under-way'
    if (!isPaid || (each.is === 'done' && each.aside) || !hasAllInputs(each.recipe)) continue
    const key = recipeKey(each.recipe, restStart(each.address))
    const group = groups.get(key)
    if (group) group.push(each)
    else groups.set(key, [each])
  }
  return [...groups.values()].flatMap(group => {
    const isApart = new Set(group.map(({ id }) => by.get(id))).size > 1
    const asked = new Set(group.map(({ address }) => address).filter(address => wanted.has(address)))
    if (!isApart || asked.size >= group.length) return []
    return { bought: group.map(({ id, address }) => ({ address, by: by.get(id) ?? '' })) }
  })
}
