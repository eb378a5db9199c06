import { defined } from '../base/defined.ts'
import { counted } from '../base/measure.ts'
import type { JobAddress } from '../base/names.ts'
import { listed } from '../base/nearest.ts'
import type { Purchase } from '../base/purchase.ts'
import type { Job } from '../manifest/shapes/job.ts'
import type { ShardWork } from '../plan/division/shards.ts'
import { firstTake, madeFrom, takeWord } from '../plan/picks.ts'
import { changeText } from '../plan/shapes/reasons.ts'
import { type Hold, isJobStep, type JobStep, type Plan, type Step } from '../plan/shapes/step.ts'
import { type AtWork, commandOn } from './command.ts'

/**
 * What an earlier run left and what was found on disk, in plain words, said once before anything is sent. `resent` of
 * the orders in doubt go once more under their keys.
 */
export function remarksOn(plan: Plan, atWork: AtWork, resent = 0): string[] {
  const of = <Do extends Step['do']>(what: Do) =>
    plan.steps.filter((step): step is Step & { do: Do } => step.do === what)
  return [
    ...paidRemarks(of('resume')),
    ...asideRemarks(of('aside').filter(step => step.elsewhere === undefined).length),
    ...elsewhereRemarks(of('aside')),
    ...fetchRemarks(of('fetch')),
    ...remark(resent, '1 order is', 'orders are', repeated),
    ...doubtRemarks(of('doubt').length - resent, atWork),
    ...givenUpRemarks(of('buy')),
    ...holdRemarks(of('hold'), atWork),
    ...alteredRemarks([...of('keep'), ...of('adopt')]),
    ...outdatedRemarks(of('keep')),
    ...remark(of('restore').length, '1 result is', 'results are', 'in the cache: copied, not bought'),
    ...remark(
      of('adopt').filter(step => !step.accepted && !step.entry.aside).length,
      '1 result has',
      'results have',
      'a new name: moved, not bought',
    ),
    ...remark(
      of('adopt').filter(step => step.entry.aside).length,
      '1 result was',
      'results were',
      'put aside before, and asked for again: not bought',
    ),
    ...dropRemarks(of('drop')),
    ...unselectedRemarks(plan, atWork),
  ]
}

/** Somebody picked it on a page. */
function notPicked({
  address,
  paths,
}: {
  readonly address: JobAddress
  readonly paths: readonly string[]
}): string {
  return `${address} is not picked: ${listed(paths)} ${paths.length === 1 ? 'was' : 'were'} altered since`
}

/** Why a pick waits that came without the records of what it is about. */
export function notRecordedHere({ address }: { readonly address: JobAddress }): string {
  return `what was seen of ${address} is neither recorded nor in a cache here; another pick of its job ends that`
}

/** Of some a take is picked again that was picked when its recipe was asked for before. */
function unpickedRemarks(unpicked: readonly JobAddress[], { steps }: Plan): string[] {
  const again = new Map(
    steps.flatMap(step =>
      isJobStep(step) && 'entry' in step && step.entry.picked
        ? [[firstTake(step.job.address), step.job.address] as const]
        : [],
    ),
  )
  const over = unpicked.filter(address => !again.has(firstTake(address)))
  const other = unpicked.flatMap(address => {
    const back = again.get(firstTake(address))
    return back
      ? [`the pick ${address} is no longer asked for: ${takeWord(back)} is picked again, as before`]
      : []
  })
  const none = 'made anew, or no longer asked for: nothing is picked any more'
  return [...(over.length > 0 ? [`the pick ${listed(over)} is ${none}`] : []), ...other]
}

/** What becomes of picks by the plan, and what it could not take from the cache. */
export function planRemarks({
  plan,
  unpicked,
  waiting: picks,
  redone,
  redoing,
  jobs,
  damagedCopies,
  closed = [],
  left,
  leftOut = 0,
  shard,
  original,
  rescued,
}: Redone & {
  readonly plan: Plan
  readonly jobs: readonly Job[]
  readonly unpicked: readonly JobAddress[]
  readonly waiting?: {
    readonly altered: readonly { readonly address: JobAddress; readonly paths: readonly string[] }[]
    readonly unmet: readonly { readonly address: JobAddress }[]
  }
  readonly damagedCopies: number
  readonly closed?: readonly string[]
  readonly left?: { readonly folder: string; readonly jobs: number }
  readonly leftOut?: number
  readonly shard?: ShardWork
  readonly original?: { readonly manifest: string; readonly lock: string; readonly purchases: number }
  readonly rescued: readonly Rescued[]
}): string[] {
  const of = (isMeant: (step: JobStep) => boolean) => {
    const meant = new Set(
      plan.steps.flatMap(step => (isJobStep(step) && isMeant(step) ? [step.job.address] : [])),
    )
    return [...redone].filter(address => meant.has(address)).length
  }
  const coming = 'ordered as another take, to be picked when it is there; the older ones stay'
  const ordered = of(({ do: what }) => what === 'buy')
  const made = of(step => 'entry' in step)
  const waiting = 'there since an earlier redo: picked now, nothing is ordered; the older ones stay'
  const running = of(step => step.do === 'resume' && step.purchase.redo === true)
  const arriving =
    'on the way since an earlier redo: picked when it is there, nothing is ordered; the older ones stay'
  const firstOrders = of(step => step.do === 'resume' && step.purchase.redo !== true)
  const awaited = 'on the way and not finished: gone on with, and no other is ordered beside it'
  const had = hadTakes({ plan, redone, ...defined({ redoing }) })
  const rest = `${notAgain} (${listed(had, 'and')}); once all of it is there, the same words order another`
  return [
    ...(shard ? [shardRemark(shard)] : []),
    ...(picks?.altered ?? []).map(notPicked),
    ...(picks?.unmet ?? []).map(pick => `${pick.address} waits to be picked: ${notRecordedHere(pick)}`),
    ...unpickedRemarks(unpicked, plan),
    ...afterFailedRemarks(plan),
    ...remark(ordered, '1 job is', 'jobs are', coming),
    ...remark(running, '1 take is', 'takes are', arriving),
    ...remark(firstOrders, '1 job is', 'jobs are', awaited),
    ...staleRemarks(redone, jobs, plan),
    ...remark(made, '1 take is', 'takes are', waiting),
    ...remark(had.length, '1 take is', 'takes are', rest),
    ...remark(
      leftOut,
      '1 more job is',
      'more jobs are',
      `to buy: --limit leaves ${them(leftOut)} for another run`,
    ),
    ...(original ? [copyRemark(original)] : []),
    ...remark(damagedCopies, '1 result in the cache is', 'results in the cache are', damaged),
    ...closedRemarks(closed),
    ...(left ? [leftRemark(left)] : []),
    ...rescued.map(rescuedText),
  ]
}

/** `redo` is a person’s word for another order, and nobody should learn from the bill that the first may have been charged, too. */
function afterFailedRemarks({ steps }: Plan): string[] {
  const again = steps.flatMap(step => (step.do === 'buy' && step.afterFailed ? [step] : []))
  const asked = again.filter(({ ask }) => ask !== undefined).length
  const why = 'failed before and may have been billed: ordered again'
  return [
    ...remark(asked, '1 job', 'jobs', `${why}; the earlier run is asked once more first, which is free`),
    ...remark(again.length - asked, '1 job', 'jobs', why),
  ]
}

export const notAgain = 'there since a redo that did not come to its end, and not ordered again'

/** What a `redo` is to bring, and is there and picked already. */
export function hadTakes({
  plan,
  redone,
  redoing = new Set(),
}: Redone & { readonly plan: Plan }): JobAddress[] {
  const kept = new Set(plan.steps.flatMap(step => (step.do === 'keep' ? [step.job.address] : [])))
  return [...redoing].filter(address => kept.has(address) && !redone.has(address))
}

interface Redone {
  readonly redone: ReadonlySet<JobAddress>
  readonly redoing?: ReadonlySet<JobAddress>
}

interface Rescued {
  readonly file: string
  readonly purchases: readonly unknown[]
  readonly isOurs: boolean
}

/** A lock that could not be written to its place was found outside the project. */
export function rescuedText({ file, purchases, isOurs }: Rescued): string {
  return isOurs
    ? `found in ${file}, as the lock could not be written: ${counted(purchases.length, 'order')} that nothing else told of`
    : `${file} was saved for a lock of another lineage than the one that is here: nothing of it is used`
}

function shardRemark({ nth, of, division }: ShardWork): string {
  const all = division.jobs.reduce((sum, jobs) => sum + jobs.length, 0)
  const its = division.jobs[nth - 1]?.length ?? 0
  return `shard ${nth}/${of}: ${counted(its, 'job')} of ${all}`
}

function copyRemark(original: { manifest: string; lock: string; purchases: number }): string {
  const { manifest, lock, purchases } = original
  const has = purchases === 1 ? 'one result that is' : `${purchases} results that are`
  return `${manifest} has ${has} asked for here (${lock}): this manifest has bought nothing yet, and buys its own`
}

/** What `redo` leaves behind it: nobody should learn it from the bill of the next run. */
function staleRemarks(redone: ReadonlySet<JobAddress>, jobs: readonly Job[], { steps }: Plan): string[] {
  const bought = new Set(steps.flatMap(step => (step.do === 'buy' ? [step.job.address] : [])))
  const behind = madeFrom(new Set([...redone].map(firstTake)), jobs).filter(each => !bought.has(each))
  if (behind.length === 0) return []
  return [`made from what is ordered anew, so that the run after orders them: ${listed(atMostFive(behind))}`]
}

/** They count as they are recorded, as nothing is bought because of rights; but nobody has looked at them. */
function closedRemarks(closed: readonly string[]): string[] {
  if (closed.length === 0) return []
  const them = closed.length === 1 ? 'it counts as made' : 'they count as made'
  return [`${listed(atMostFive(closed))} cannot be read (permission denied): by name and size ${them}`]
}

function atMostFive(all: readonly string[]): readonly string[] {
  return all.length > 5 ? [...all.slice(0, 5), `${all.length - 5} more`] : all
}

/** A result that is at hand already needs no word from the service. */
function paidRemarks(resumed: readonly (Step & { do: 'resume' })[]): string[] {
  const atHand = resumed.filter(({ purchase }) => (purchase.files ?? []).length > 0).length
  const running = resumed.length - atHand
  const why = 'paid for by an earlier run'
  return [
    ...remark(running, '1 job was', 'jobs were', `${why}: going on with ${them(running)}, ${unpaid}`),
    ...remark(
      atHand,
      '1 result was',
      'results were',
      `${why} and had come: saving ${them(atHand)}, ${unpaid}`,
    ),
  ]
}

/** An edit made them nobody's; what they cost is not thrown away. */
function asideRemarks(count: number): string[] {
  const what = `paid for, and nothing asks for ${them(count)} any more: fetched and kept aside, ${unpaid}`
  return remark(count, '1 run is', 'runs are', what)
}

function elsewhereRemarks(asides: readonly (Step & { do: 'aside' })[]): string[] {
  const origins = new Set(asides.flatMap(({ elsewhere }) => elsewhere ?? []))
  const count = asides.filter(({ elsewhere }) => elsewhere !== undefined).length
  const what = `paid for at ${listed([...origins])}, and nothing asks for ${them(count)} any more: not fetched from here`
  return remark(count, '1 run is', 'runs are', what)
}

/** Of what the service had no more when it was asked last, nobody should count on a file. */
function fetchRemarks(fetches: readonly (Step & { do: 'fetch' })[]): string[] {
  const refused = fetches.filter(({ entry }) => entry.isGone).length
  const hope = fetches.length - refused
  const filesOf = (count: number) => `the files of ${count === 1 ? '1 job are' : `${count} jobs are`} gone`
  const asked = 'the service had them no more when it was asked last: it is asked once more, which is free'
  return [
    ...(hope > 0 ? [`${filesOf(hope)}: fetching them again, ${unpaid}`] : []),
    ...(refused > 0 ? [`${filesOf(refused)}, and ${asked}`] : []),
  ]
}

function doubtRemarks(count: number, atWork: AtWork): string[] {
  const remedy = `not sent again; \`${commandOn(atWork, 'status')}\` tells more and how to settle ${them(count)}`
  return remark(count, '1 order is', 'orders are', `in doubt since an earlier run: ${remedy}`)
}

/** What is gone is fetched, or paid for again: it need not be. */
function leftRemark({ folder, jobs }: { readonly folder: string; readonly jobs: number }): string {
  const whose = jobs === 1 ? '1 job lie' : `${jobs} jobs lie`
  return `the files of ${whose} in ${folder}, where an earlier run put them: move them to the folder of now, and they are neither fetched nor bought`
}

/** One of the very same is over by that, and is what was asked for. */
function givenUpRemarks(buys: readonly (Step & { do: 'buy' })[]): string[] {
  const count = buys.flatMap(({ insteadOf = [] }) => insteadOf).filter(({ isOther }) => isOther).length
  const what = `in doubt, for what ${count === 1 ? 'its job' : 'their jobs'} asked for before: given up as --resubmit says, and held if that is asked for again`
  return remark(count, '1 order is', 'orders are', what)
}

function holdRemarks(held: readonly (Step & { do: 'hold' })[], atWork: AtWork): string[] {
  const whys = held.map(({ because }) => (isGone(because) ? 'gone' : because.why))
  const count = (why: (typeof whys)[number]) => whys.filter(each => each === why).length
  const without = (flag: string) =>
    atWork.isOfCalls
      ? `by itself; \`${commandOn(atWork, 'status')}\` tells how to settle it`
      : `without ${flag}`
  const forgotten = `gone at the service and may have been billed: not ordered anew ${without('--rebuy')}`
  const failed = `in an earlier run and may have been billed: not ordered again ${without('--failed')}`
  const gone = `gone and cannot be fetched: not bought again ${without('--rebuy')}`
  return [
    ...remark(count('failed-before'), '1 job failed', 'jobs failed', failed),
    ...remark(count('gone'), '1 run is', 'runs are', forgotten),
    ...remark(count('files-gone'), '1 result is', 'results are', gone),
    ...remark(count('other-service'), '1 job waits', 'jobs wait', 'for a run of another service'),
    ...remark(count('no-file'), '1 job waits', 'jobs wait', 'for a file that did not come'),
    ...remark(
      count('altered-file'),
      '1 job waits',
      'jobs wait',
      'for a file that was altered since it was made',
    ),
    ...remark(count('odd-file'), '1 job waits', 'jobs wait', 'for a file that can be sent'),
    ...remark(count('unpicked'), '1 job waits', 'jobs wait', 'until a take is picked'),
    ...remark(
      count('unapproved'),
      '1 job waits until what it needs',
      'jobs wait until what they need',
      'is approved',
    ),
  ]
}

/** The service did not know its run any more. */
function isGone(because: Hold): boolean {
  return because.why === 'failed-before' && because.isGone === true
}

function alteredRemarks(there: readonly (Step & { do: 'keep' | 'adopt' })[]): string[] {
  return there.flatMap(({ altered }) => {
    if (!altered) return []
    const since = 'altered since genrun made'
    return altered.length === 1
      ? [`${listed(altered)} was ${since} it, and is left as it is`]
      : [`${listed(altered)} were ${since} them, and are left as they are`]
  })
}

function outdatedRemarks(kept: readonly (Step & { do: 'keep' })[]): string[] {
  const told = [...new Set(kept.flatMap(step => step.outdated ?? []).map(changeText))]
  return told.length === 0
    ? []
    : [`the catalog has other defaults by now (${listed(told)}); what was made before is kept`]
}

/** What was paid for and has left the manifest would be forgotten in silence. */
function dropRemarks(dropped: readonly (Step & { do: 'drop' })[]): string[] {
  const beside = dropped.filter(({ isBeside }) => isBeside).length
  const owed = dropped.filter(({ purchase }) => purchase.is === 'doubt').length - beside
  const came = dropped.filter(({ purchase }) => hasFiles(purchase)).length
  const rest = dropped.length - beside - owed - came
  const what = owed === 1 ? 'it was' : 'they were'
  const paid = `in doubt, and nothing in the manifest asks for what ${what}`
  return [
    ...remark(beside, '1 order is', 'orders are', 'in doubt, beside what the job has'),
    ...remark(owed, '1 order is', 'orders are', paid),
    ...remark(
      came,
      '1 entry of the lock is',
      'entries of the lock are',
      'no longer in the manifest; the files stay',
    ),
    ...remark(rest, '1 order', 'orders', 'came to nothing, and the manifest asks for no other'),
  ]
}

function hasFiles(purchase: Purchase): boolean {
  if (purchase.is === 'failed') return (purchase.files ?? []).length > 0
  return purchase.is === 'done' || purchase.is === 'under-way'
}

function unselectedRemarks({ unselected }: Plan, atWork: AtWork): string[] {
  if (!unselected) return []
  const { doubts, running } = unselected
  const owed = [
    ...remark(doubts, '1 order in doubt', 'orders in doubt', ''),
    ...remark(running, '1 run', 'runs', 'paid for and not fetched'),
  ].map(each => each.trimEnd())
  return [
    `not selected, and left as it is: ${listed(owed, 'and')}; \`${commandOn(atWork, 'status')}\` tells of it`,
  ]
}

const damaged = 'damaged: as good as not there'
const repeated =
  'in doubt since an earlier run: sent again under the same key, which this service takes for the same order'
const unpaid = 'nothing is paid again'

function them(count: number): string {
  return count === 1 ? 'it' : 'them'
}

function remark(count: number, one: string, several: string, rest: string): string[] {
  if (count === 0) return []
  return [`${count === 1 ? one : `${count} ${several}`} ${rest}`]
}
