import { type JobAddress, type Json, type PurchaseId, restStart } from '../base/names.ts'
import type { DonePurchase, FailedPurchase, Purchase } from '../base/purchase.ts'
import { paramOf } from '../catalog/index.ts'
import type { FileRef, Job, Share } from '../manifest/shapes/job.ts'
import type { Facts } from './facts.ts'
import { askedBy, type FirstOrder, firstOrders, isAside, isButForCount, type Paid } from './first-orders.ts'
import { formerNames } from './former-names.ts'
import { groupedBy, recipesOf } from './register.ts'
import {
  countFor,
  counting,
  isRest,
  orderedBy,
  redirected,
  restAddress,
  restBase,
  restJob,
} from './shapes/share.ts'
import { type Twins, twinsAmong } from './twins.ts'

/** What decides whether the rest of a job's files is ordered. */
interface RestRules {
  /** Orders what a short delivery lacks, whatever the job says of it. */
  readonly failed?: boolean
  /** Orders again what is gone. */
  readonly rebuy?: boolean
  /** Whether anything more may be ordered for a job. */
  readonly mayOrder: (address: JobAddress) => boolean
  /** Jobs that one order brings whole: what is there of them is not what they ask for. */
  readonly undivided: Pick<ReadonlySet<JobAddress>, 'has'>
  /** Whether what was made is there no more, and no service has it. */
  readonly isGone: (made: DonePurchase, job: Job) => boolean
}

/**
 * The jobs with those that bring the rest of their files, each behind its own. Of a job that asks for more files than it was
 * ordered with, or got fewer than were ordered, the order that is there stays what it is, and the rest is an order of its
 * own: `hero+4` brings the files of hero from the fourth on. Whoever uses a file uses that of the order that brings it. Pure.
 */
export function withRests(jobs: readonly Job[], facts: Facts, rules: RestRules): readonly Job[] {
  let alike: Twins | undefined
  const twins = () => (alike ??= twinsAmong(new Map(jobs.map(job => [job.address, job])), facts))
  const former = formerNames(jobs, facts, { twins, isGone: rules.isGone })
  const named = former.size === 0 ? jobs : jobs.map(job => withFormer(job, former.get(job.address)))
  const renamed = new Set(former.values())
  const paid = paidOrders(facts.purchases.filter(({ address }) => !renamed.has(address)))
  if (paid.byPrompt.size + paid.rests.size === 0) return named
  const wanted = new Map(jobs.map(job => [job.address, job]))
  const divided = jobs.filter(
    ({ address, model }) => paramOf(model, 'count') && !rules.undivided.has(address) && !former.has(address),
  )
  const firsts = firstOrders(divided, { ...paid, wanted, twins, ...rules })
  const byFirst = new Map([...firsts].map(([address, first]) => [first.paid.address, address]))
  const search: Search = { ...paid, wanted, firsts: byFirst, taken: new Map() }
  const families = new Map<JobAddress, readonly Job[]>()
  for (const job of divided) {
    const first = firsts.get(job.address)
    const family = familyOf(job, first, search, rules) ?? itsAlone(job, first, rules)
    if (family) families.set(job.address, family)
  }
  if (families.size === 0) return named
  return named.flatMap(job => families.get(job.address) ?? [job]).map(job => retarget(job, families))
}

/** What is there, on its way or in doubt, of models that are asked for a number of files. */
interface PaidOrders {
  /** What has its names. */
  readonly byAddress: ReadonlyMap<JobAddress, readonly Paid[]>
  /** First orders; what is aside before what has its names. */
  readonly byPrompt: ReadonlyMap<Json | undefined, readonly Paid[]>
  /** First orders that failed and may be billed. */
  readonly failures: ReadonlyMap<Json | undefined, readonly FailedPurchase[]>
  /** Those that bring the rest of a job's files, by the job, in the same order. */
  readonly rests: ReadonlyMap<JobAddress, readonly Paid[]>
  /** The jobs that they are of, by what these ask for. */
  readonly restsOf: ReadonlyMap<Json | undefined, ReadonlySet<JobAddress>>
}

interface Search extends PaidOrders {
  readonly wanted: ReadonlyMap<JobAddress, Job>
  /** The jobs whose first orders have these addresses. */
  readonly firsts: ReadonlyMap<JobAddress, JobAddress>
  /** What jobs have found that was another's; grows. */
  readonly taken: Map<PurchaseId, JobAddress>
}

function paidOrders(purchases: readonly Purchase[]): PaidOrders {
  const byAddress = new Map<JobAddress, Paid[]>()
  const byPrompt = new Map<Json | undefined, Paid[]>()
  const rests = new Map<JobAddress, Paid[]>()
  const restsOf = new Map<Json | undefined, Set<JobAddress>>()
  const paid = purchases.filter(
    (each): each is Paid =>
      (each.is === 'under-way' || each.is === 'done' || each.is === 'doubt') &&
      orderedBy(each.recipe) !== undefined,
  )
  for (const each of [...paid.filter(isAside), ...paid.filter(other => !isAside(other))]) {
    if (!isAside(each)) add(byAddress, each.address, each)
    if (isRest(each.address)) {
      const { prompt } = each.recipe.params
      add(rests, restBase(each.address), each)
      restsOf.set(prompt, (restsOf.get(prompt) ?? new Set()).add(restBase(each.address)))
    } else for (const prompt of promptsOf(each)) add(byPrompt, prompt, each)
  }
  const failed = purchases.filter(
    (each): each is FailedPurchase => each.is === 'failed' && each.billed !== 'no' && !isRest(each.address),
  )
  const failures = groupedBy(failed, promptsOf)
  return { byAddress, byPrompt, failures, rests, restsOf }
}

function promptsOf(each: Purchase): readonly (Json | undefined)[] {
  return [...new Set(recipesOf(each).map(was => was.params.prompt))]
}

function add<Key>(to: Map<Key, Paid[]>, key: Key, each: Paid): void {
  const known = to.get(key)
  if (known) known.push(each)
  else to.set(key, [each])
}

/** The job as its first order has it, and those that bring the rest; undefined where one order brings all. */
function familyOf(
  job: Job,
  first: FirstOrder | undefined,
  search: Search,
  rules: RestRules,
): readonly Job[] | undefined {
  if (!first) return withoutFirst(job, search, rules)
  const { paid, ordered } = first
  const isGone = isLost(paid, job, rules.isGone)
  if (search.rests.size > 0 && isGone) {
    // Under its own name it is bought again by a word only; what others brought may be all that is asked for.
    const mayOrder = rules.rebuy || paid.address !== job.address ? rules.mayOrder : () => false
    const others = withoutFirst(job, search, { ...rules, mayOrder })
    if (others) return others
  }
  const asked = job.count
  const came = coming(paid)
  if (ordered === asked && came >= asked && search.rests.size === 0) return undefined
  const recorded = recordedRests(restsWith(paid, job, search), job)
  const found = recorded.length > 0 ? recorded : recordedRests(strayRests(job, search), job)
  // What was ordered since may have brought what another brought before.
  const known = found.filter(({ from }) => from >= came)
  const isTaken = paid.acceptedAs !== undefined && ordered === asked
  const there = [{ from: 0, count: ordered, came, ...(!isGone && { address: paid.address }) }, ...known]
  const pieces = closedUp(job, isTaken ? there.map(asOrdered) : borne(job, there, rules))
  const hasMore = pieces.length < there.length
  const mayOrder = rules.mayOrder(job.address)
  if (mayOrder) pieces.push(...missingPieces(job, pieces))
  if (ordered === asked && pieces.length === 1 && !hasMore) return undefined
  return piecesOf(job, pieces, { hasMore, isWhole: isTaken || !mayOrder })
}

/** A first order in doubt keeps the name that its job had, and what was ordered behind it since has the new one, as long as that is nobody else's. */
function restsWith({ address }: Paid, job: Job, { rests, firsts }: Search): readonly Paid[] {
  const own = rests.get(address) ?? []
  const isOthers = firsts.get(job.address) !== undefined && firsts.get(job.address) !== job.address
  return address === job.address || isOthers ? own : [...own, ...(rests.get(job.address) ?? [])]
}

/** Brought whole by one order, which has another name: no other job takes that first. What is gone is nobody's but under its own name. */
function itsAlone(
  job: Job,
  first: FirstOrder | undefined,
  { isGone }: Pick<RestRules, 'isGone'>,
): readonly Job[] | undefined {
  if (!first || first.paid.address === job.address || isLost(first.paid, job, isGone)) return undefined
  return [withFormer(job, first.paid.address)]
}

function withFormer(job: Job, was: JobAddress | undefined): Job {
  return was === undefined ? job : { ...job, share: { from: 0, of: job.count, was } }
}

function isLost(paid: Paid, job: Job, isGone: RestRules['isGone']): boolean {
  return paid.is === 'done' && isGone(paid, job)
}

/** The first order came to nothing, or is gone, and others brought files behind its own: only what is missing is ordered. */
function withoutFirst(job: Job, search: Search, rules: RestRules): readonly Job[] | undefined {
  const own = recordedRests(search.rests.get(job.address) ?? [], job)
  const there = own.length > 0 ? own : recordedRests(strayRests(job, search), job)
  const pieces = closedUp(job, borne(job, there, rules))
  const missing = missingPieces(job, pieces)
  if (there.length === 0 || (missing.length > 0 && !rules.mayOrder(job.address))) return undefined
  return piecesOf(job, [...pieces, ...missing], { hasMore: pieces.length < there.length })
}

/** What is there of what is asked for; what lies behind that moves up where something is missing before it. */
function closedUp(job: Job, there: readonly Piece[]): Piece[] {
  const asked = there.filter(({ from }) => from < job.count)
  const isMore = there.some(({ from, count, came = count }) => from + came > job.count)
  if (!isMore || missingPieces(job, asked).length === 0) return asked
  const pieces: Piece[] = []
  let from = 0
  for (const piece of there.toSorted((a, b) => a.from - b.from)) {
    if (from < job.count) pieces.push({ ...piece, from })
    from += piece.came ?? piece.count
  }
  return pieces
}

/** Those of a job that nobody asks for any more by that name, or that asks for something else. */
function strayRests(job: Job, search: Search): readonly Paid[] {
  const { prompt } = job.params
  for (const base of search.restsOf.get(prompt) ?? []) {
    const found = search.rests.get(base) ?? []
    const free = found.filter(each => each.recipe.params.prompt === prompt && isFree(each, job, search))
    const its = free.filter(({ recipe }) => recipe.take === askedBy(job).take)
    if (recordedRests(its, job).length === 0) continue
    for (const { id } of its) search.taken.set(id, job.address)
    return its
  }
  return []
}

/**
 * What counts as brought: what was not ordered yet is ordered, and what did not come although it was ordered, by whichever of
 * them, only where the job is to be topped up.
 */
function borne(job: Job, there: readonly Piece[], { failed }: RestRules): readonly Piece[] {
  const isTopUp = job.shortDelivery === 'top-up' || (failed === true && job.shortDelivery !== 'accept')
  return isTopUp ? there : there.map(asOrdered)
}

function asOrdered({ count, came = 0, ...piece }: Piece): Piece {
  return { ...piece, count, came: Math.max(count, came) }
}

/**
 * The orders that bring a job's files. `hasMore`: others brought what lies behind them; `isWhole`: what they do not bring is not lacking.
 */
function piecesOf(
  job: Job,
  pieces: readonly Piece[],
  { hasMore, isWhole = false }: { readonly hasMore: boolean; readonly isWhole?: boolean },
): readonly Job[] {
  const all = pieces.toSorted((a, b) => a.from - b.from)
  const nextOf = ({ from }: Piece) => all.find(each => each.from > from)
  const gaps = all.map(piece => (nextOf(piece)?.from ?? job.count) - (piece.from + piece.count))
  const lacks = isWhole ? 0 : gaps.reduce((sum, gap) => sum + Math.max(0, gap), 0)
  return all.map(piece => {
    const { from, count, address } = piece
    const was = address === addressOf(job, from) ? undefined : address
    const next = nextOf(piece)
    const share: Share = {
      from,
      of: job.count,
      ...(next && { until: next.from }),
      ...(hasMore && { hasMore: true }),
      ...(was !== undefined && { was }),
      ...(from === 0 && lacks > 0 && { lacks }),
    }
    return from === 0 ? { ...counting(job, count), share } : restJob(job, share, count)
  })
}

function addressOf({ address }: Job, from: number): JobAddress {
  return from === 0 ? address : restAddress(address, from)
}

/** A part of a job's files that one order brings. */
interface Piece {
  /** The first, from 0. */
  readonly from: number
  /** So many were, or are to be, ordered. */
  readonly count: number
  /** So many came, where that is known. */
  readonly came?: number
  /** Of the order that brings it, or brought it under another name, or as others of the job's files. */
  readonly address?: JobAddress
}

type Ranged = Piece & Required<Pick<Piece, 'came'>>

/** The orders that bring what nothing brings. */
function missingPieces(job: Job, there: readonly Piece[]): Piece[] {
  const isThere = (nth: number) =>
    there.some(({ from, count, came = count }) => from <= nth && nth < from + came)
  const pieces: Piece[] = []
  for (let nth = 0; nth < job.count; ) {
    if (isThere(nth)) {
      nth++
      continue
    }
    let end = nth
    while (end < job.count && !isThere(end)) end++
    for (; nth < end; ) {
      const count = countFor(job, end - nth)
      pieces.push({ from: nth, count })
      nth += count
    }
  }
  return pieces
}

/** A job that asks for it, in whatever number, keeps what has its name. */
function isFree(paid: Paid, { address }: Job, { wanted, taken }: Search): boolean {
  if ((taken.get(paid.id) ?? address) !== address) return false
  const owner = wanted.get(restBase(paid.address))
  if (!owner || isAside(paid)) return true
  const asked = askedBy(owner)
  return !recipesOf(paid).some(was => isButForCount(was, asked))
}

/** Those that fit, as far as they do not bring the same files. */
function recordedRests(there: readonly Paid[], job: Job): readonly Piece[] {
  if (there.length === 0) return []
  const asked = askedBy(job)
  const fitting = there.filter(({ recipe }) => isButForCount(recipe, asked))
  return apart(fitting.map(paid => ({ piece: pieceOf(paid), worth: worthOf(paid, job) })))
}

function pieceOf(paid: Paid): Ranged {
  const { address, recipe } = paid
  return { from: restStart(address), count: orderedBy(recipe) ?? 1, came: coming(paid), address }
}

/** Every file that is asked for counts before all that only have their names, and these before all that nobody asks for. */
function worthOf(paid: Paid, { count }: Job): number {
  const { from, came } = pieceOf(paid)
  const asked = Math.max(0, Math.min(count, from + came) - from)
  const hasNames = paid.is === 'done' && !paid.aside
  return asked + (hasNames ? asked / (count + 1) : 0) + came / 1e6
}

/**
 * Of two branches each may have ordered the rest in parts of its own. What is worth most together, and brings no file twice; of
 * such as are worth the same the last.
 */
function apart(found: readonly { readonly piece: Ranged; readonly worth: number }[]): readonly Ranged[] {
  // The best of what begins at a file or behind it, from the last to the first: each is worth as much as the one before it, or more.
  const best: { from: number; worth: number; pieces: readonly Ranged[] }[] = []
  for (const { piece, worth } of found.toSorted((a, b) => b.piece.from - a.piece.from)) {
    const { from, came } = piece
    const behind = best.findLast(each => each.from >= from + came) ?? { worth: 0, pieces: [] }
    const all = { from, worth: worth + behind.worth, pieces: [piece, ...behind.pieces] }
    if (all.worth >= (best.at(-1)?.worth ?? 0)) best.push(all)
  }
  return best.at(-1)?.pieces ?? []
}

/** So many files came, or were ordered and may come. */
function coming(paid: Paid): number {
  return paid.is === 'done' ? paid.files.length : (orderedBy(paid.recipe) ?? 1)
}

/** A file keeps its number whatever order brings it. */
function retarget(job: Job, families: ReadonlyMap<JobAddress, readonly Job[]>): Job {
  const refs = Object.values(job.files).flat()
  if (!refs.some(ref => ref.from === 'job' && families.has(ref.address))) return job
  return redirected(job, ref => toRest(ref, families))
}

function toRest(ref: FileRef, families: ReadonlyMap<JobAddress, readonly Job[]>): FileRef {
  if (ref.from !== 'job' || ref.nth === 'pick') return ref
  const { nth } = ref
  const bringing = families
    .get(ref.address)
    ?.findLast(({ share }) => share !== undefined && share.from <= nth)
  return bringing?.share ? { ...ref, address: bringing.address, nth: nth - bringing.share.from } : ref
}
