import { type JobAddress, jobAddress } from '../base/names.ts'
import { outputName } from '../base/output-name.ts'
import type { DonePurchase, Purchase, RunningPurchase } from '../base/purchase.ts'
import type { Recipe } from '../base/state.ts'
import { paramOf } from '../catalog/index.ts'
import { outputCount } from '../forms/expect.ts'
import type { FileRef, Job, Share } from '../manifest/shapes/job.ts'
import { compareRecipes, draftRecipe } from './recipe.ts'

/** What decides whether the rest of a job's files is ordered. */
interface RestRules {
  /** Orders what a short delivery lacks, whatever the job says of it. */
  readonly failed?: boolean
  /** Whether anything more may be ordered for a job. */
  readonly mayOrder: (address: JobAddress) => boolean
  /** Jobs that one order brings whole: what is there of them is not what they ask for. */
  readonly undivided: ReadonlySet<JobAddress>
}

/**
 * The jobs with those that bring the rest of their files, each behind its own. Of a job that asks for more files than it was
 * ordered with, or got fewer than were ordered, the order that is there stays what it is, and the rest is an order of its
 * own: `hero+4` brings the files of hero from the fourth on. Whoever uses a file uses that of the order that brings it. Pure.
 */
export function withRests(
  jobs: readonly Job[],
  purchases: readonly Purchase[],
  rules: RestRules,
): readonly Job[] {
  const paid = paidOrders(purchases)
  if (paid.byAddress.size === 0) return jobs
  const wanted = new Set(jobs.map(({ address }) => address))
  const left = new Map([...paid.byAddress].filter(([address]) => !wanted.has(address) && !isRest(address)))
  const families = new Map<JobAddress, readonly Job[]>()
  for (const job of jobs) {
    if (!paramOf(job.model, 'count') || rules.undivided.has(job.address)) continue
    const family = familyOf(job, { ...paid, left: left.size > 0 ? left : undefined }, rules)
    if (family) families.set(job.address, family)
  }
  if (families.size === 0) return jobs
  return jobs.flatMap(job => families.get(job.address) ?? [job]).map(job => retarget(job, families))
}

type Paid = DonePurchase | RunningPurchase

/** What is there or on its way, of models that are asked for a number of files. */
interface PaidOrders {
  readonly byAddress: ReadonlyMap<JobAddress, readonly Paid[]>
  /** Those that bring the rest of a job's files, by the job. */
  readonly rests: ReadonlyMap<JobAddress, readonly Paid[]>
}

interface Search extends PaidOrders {
  /** Of names that no job has any more. */
  readonly left: ReadonlyMap<JobAddress, readonly Paid[]> | undefined
}

function paidOrders(purchases: readonly Purchase[]): PaidOrders {
  const byAddress = new Map<JobAddress, Paid[]>()
  const rests = new Map<JobAddress, Paid[]>()
  const add = (to: Map<JobAddress, Paid[]>, address: JobAddress, each: Paid) => {
    const known = to.get(address)
    if (known) known.push(each)
    else to.set(address, [each])
  }
  for (const each of purchases) {
    const isPaid = each.is === 'under-way' || (each.is === 'done' && !each.aside)
    if (!isPaid || orderedBy(each.recipe) === undefined) continue
    add(byAddress, each.address, each)
    if (isRest(each.address)) add(rests, restBase(each.address), each)
  }
  return { byAddress, rests }
}

/** The job as its first order has it, and those that bring the rest; undefined where one order brings all. */
function familyOf(job: Job, search: Search, rules: RestRules): readonly Job[] | undefined {
  const first = firstOrder(job, search)
  if (!first) return undefined
  const { paid, ordered } = first
  const asked = job.count
  const came = coming(paid)
  if (ordered === asked && came >= asked) return undefined
  const there = search.rests.get(paid.address) ?? []
  const known = there.length > 0 ? recordedRests(there, job) : []
  const isTopUp = job.shortDelivery === 'top-up' || (rules.failed === true && job.shortDelivery !== 'accept')
  const isTaken = paid.acceptedAs !== undefined && ordered === asked
  const rests: Piece[] = known.filter(({ from }) => from < asked)
  // What was not ordered yet is; what did not come although it was ordered, as the job says.
  const lacking = isTopUp && !isTaken ? 0 : ordered
  if (rules.mayOrder(job.address))
    rests.push(...missingPieces(job, [{ from: 0, count: came }, ...rests], lacking))
  if (ordered === asked && rests.length === 0) return undefined
  const all = [{ from: 0, count: ordered, came }, ...rests.toSorted((a, b) => a.from - b.from)]
  return all.map(({ from, count, came: brings = count }) => {
    const hasRest = all.some(each => each.from === from + brings) && { hasRest: true as const }
    const share = { from, of: asked, ...hasRest }
    return from === 0 ? { ...counting(job, count), share } : restOf(job, share, count)
  })
}

/** A part of a job's files that one order brings. */
interface Piece {
  /** The first, from 0. */
  readonly from: number
  /** So many were, or are to be, ordered. */
  readonly count: number
  /** So many came, where that is known. */
  readonly came?: number
}

/** The orders that bring what nothing brings of the files from `least` on. */
function missingPieces(job: Job, there: readonly Piece[], least: number): Piece[] {
  const isThere = (nth: number) =>
    there.some(({ from, count, came = count }) => from <= nth && nth < from + came)
  const pieces: Piece[] = []
  for (let nth = least; nth < job.count; ) {
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

/** What the job has of what it asks for, in whatever number: its own, or that of a name that no job has any more. */
function firstOrder(
  job: Job,
  { byAddress, left }: Search,
): { readonly paid: Paid; readonly ordered: number } | undefined {
  const own = byAddress.get(job.address)
  if (!own && !left) return undefined
  const asked = draftRecipe(job, () => undefined).recipe
  const best = (found: readonly Paid[]) => {
    const fitting = found.flatMap(paid => {
      const recipe = [paid.acceptedAs, paid.recipe].find(was => was && isButForCount(was, asked))
      const ordered = recipe && orderedBy(recipe)
      return ordered === undefined ? [] : [{ paid, ordered }]
    })
    return fitting.findLast(({ ordered }) => ordered === job.count) ?? fitting.at(-1)
  }
  return best(own ?? []) ?? (left && best([...left.values()].flat()))
}

/** Inputs are compared by the plan, which knows them. */
function isButForCount(was: Recipe, asked: Recipe): boolean {
  if (was.model !== asked.model || was.params.prompt !== asked.params.prompt) return false
  const bare = { ...was, inputs: {}, take: asked.take }
  return compareRecipes(bare, { ...asked, inputs: {} }).every(
    ({ field, byCatalog }) => byCatalog || field === 'count',
  )
}

/** Of each place the last that fits. */
function recordedRests(there: readonly Paid[], job: Job): Piece[] {
  const asked = draftRecipe(job, () => undefined).recipe
  const pieces = new Map<number, Piece>()
  for (const paid of there) {
    const from = restStart(paid.address)
    const count = orderedBy(paid.recipe) ?? 1
    if (isButForCount(paid.recipe, asked)) pieces.set(from, { from, count, came: coming(paid) })
  }
  return [...pieces.values()]
}

/** So many files came, or were ordered and may come. */
function coming(paid: Paid): number {
  return paid.is === 'done' ? paid.files.length : (orderedBy(paid.recipe) ?? 1)
}

/** The number of files that a recipe asks for; undefined where it says nothing of that. */
function orderedBy({ params, defaults }: Recipe): number | undefined {
  const count = params.count ?? defaults.count
  return typeof count === 'number' ? count : undefined
}

/** The most that one order may bring of what is missing; where the model takes no so small number, its smallest. */
function countFor({ model }: Job, missing: number): number {
  const param = paramOf(model, 'count')
  switch (param?.type) {
    case 'enum': {
      const values = param.values.filter(value => typeof value === 'number').toSorted((a, b) => a - b)
      return values.findLast(value => value <= missing) ?? values[0] ?? 1
    }
    case 'integer':
      return Math.max(param.minimum ?? 1, Math.min(missing, param.maximum ?? missing))
    default:
      return 1
  }
}

/** The job of an order that brings files of another job. */
function restOf(job: Job, share: Share, count: number): Job {
  return { ...counting(job, count), address: restAddress(job.address, share.from), share }
}

/** Of the order that brings a job's files from one on, counted from 0: `hero+4`. */
export function restAddress(address: JobAddress, from: number): JobAddress {
  return jobAddress(`${restBase(address)}+${from + 1}`)
}

/** What one order did not bring of what it was to bring; undefined where nothing is missing, or somebody else brings it. */
export function furtherRest(job: Job, got: number): Job | undefined {
  const short = shortBy(job, got)
  if (!short) return undefined
  const { from, of } = job.share ?? { from: 0, of: job.count }
  return restOf(job, { from: from + got, of }, countFor(job, short.asked - got))
}

function counting(job: Job, count: number): Job {
  if (outputCount(job.model, job.params) === count) return job
  return { ...job, params: { ...job.params, count }, count }
}

/** The job whose files an order brings: `hero` of `hero+4`. */
export function restBase(address: JobAddress): JobAddress {
  return jobAddress(address.replace(/\+\d+$/, ''))
}

function isRest(address: JobAddress): boolean {
  return /\+\d+$/.test(address)
}

/** Which of a job's files is the first that an order brings, from 0: 3 of `hero+4`, 0 of `hero`. */
export function restStart(address: JobAddress): number {
  return Number(/\+(\d+)$/.exec(address)?.[1] ?? 1) - 1
}

/** A file keeps its number whatever order brings it. */
function retarget(job: Job, families: ReadonlyMap<JobAddress, readonly Job[]>): Job {
  const refs = Object.values(job.files).flat()
  if (!refs.some(ref => ref.from === 'job' && families.has(ref.address))) return job
  const files = Object.fromEntries(
    Object.entries(job.files).map(([at, each]) => [at, each.map(ref => toRest(ref, families))] as const),
  )
  const used = Object.values(files)
    .flat()
    .flatMap(ref => (ref.from === 'job' ? [ref.address] : []))
  return { ...job, files, needs: [...new Set([...job.needs, ...used])] }
}

function toRest(ref: FileRef, families: ReadonlyMap<JobAddress, readonly Job[]>): FileRef {
  if (ref.from !== 'job' || ref.nth === 'pick') return ref
  const { nth } = ref
  const bringing = families
    .get(ref.address)
    ?.findLast(({ share }) => share !== undefined && share.from <= nth)
  return bringing?.share ? { ...ref, address: bringing.address, nth: nth - bringing.share.from } : ref
}

/** So many of the files that an order was to bring came, and nothing else brings the others. */
export function shortBy({ count, share }: Job, got: number): ShortBy | undefined {
  const asked = share ? Math.min(count, share.of - share.from) : count
  return got >= asked || share?.hasRest ? undefined : { asked, got }
}

export interface ShortBy {
  readonly asked: number
  readonly got: number
}

/** The path of a job's file, without ending, whatever order brings it. `came`: so many files came by this one. */
export function nameOfFile({ output, count, share }: Job, nth: number, came: number): string {
  const { from, of } = share ?? { from: 0, of: count }
  return outputName(output, from + nth, Math.max(of, from + came))
}
