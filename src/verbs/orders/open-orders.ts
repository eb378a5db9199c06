import { join } from 'node:path'
import { defined } from '../../base/defined.ts'
import { failureMessage } from '../../base/failure.ts'
import type { JobAddress, PurchaseId, RunId } from '../../base/names.ts'
import { listed } from '../../base/nearest.ts'
import { type Purchase, purchaseLabel } from '../../base/purchase.ts'
import type { SavedFile } from '../../base/state.ts'
import { isJobStep, type Step } from '../../plan/shapes/step.ts'
import type { Seen } from '../../planning/open-workspace.ts'
import { holdText, missingText } from '../../planning/plan-record.ts'
import { idsInAnswer } from '../../run/one-shot/raw-answer.ts'
import { resendOf } from '../../run/tasks.ts'
import { digestFileNow } from '../../store/files/digest.ts'
import { findKept, findSaved } from '../../store/files/outputs.ts'
import { openSpool } from '../../store/files/spool.ts'
import { shellWord } from '../../text/shell-word.ts'
import { type AtWork, wordsOn } from '../../wording/command.ts'
import { alteredHint, alteredInputHint } from '../../wording/hints.ts'
import { spokenBy } from '../../workspace/service/named.ts'
import type { Recorded } from '../../workspace/workspace.ts'
import { asSeen } from './matched-orders.ts'

/** A job that is neither done nor simply still to be made. */
export interface OrderLeftOpen {
  readonly address: JobAddress
  /** Its order: the idempotency key that each of its attempts sent. `resolve` takes it in the place of the address. */
  readonly purchase?: PurchaseId
  /**
   * `doubt`: nobody knows whether it was paid for. `under-way`: paid for and not fetched. `missing`: it was made, and its
   * files are gone. `gone`: the service does not know its run any more; it may have been billed. `failed`: it may have been billed. `short`: fewer files came than were ordered. `refused`: nothing was billed. `anew`: a take that the manifest does not ask for,
   * which a person ordered anew. `held`: it waits, see `detail`.
   */
  readonly is: 'doubt' | 'under-way' | 'missing' | 'gone' | 'failed' | 'short' | 'refused' | 'anew' | 'held'
  /** No job asks for it any more. */
  readonly ofNobody?: true
  /** Its job has another order, as that of which the files are gone. */
  readonly beside?: true
  readonly detail: string
  /** When it was sent, in milliseconds since 1970; absent where only the lock knows of it. */
  readonly since?: number
  readonly workflow?: string
  readonly run?: RunId
  /** What came and is no result: absolute paths, as far as it is still there. */
  readonly files?: readonly string[]
  /** Run ids that stand in the answer of a doubt. */
  readonly ids: readonly RunId[]
  /** What the next run does about it. */
  readonly next: string
  /** What the user can do; absent when the next run is all it takes. */
  readonly remedy?: string
}

/** Everything that is open, in the plan's order; what no job asks for at last. */
export function openOrders(
  seen: Pick<Seen, 'workspace' | 'recorded' | 'planned'>,
  about: Pick<AtWork, 'manifest' | 'cwd' | 'output'> & { readonly isOfCalls?: boolean },
): OrderLeftOpen[] {
  const { workspace, planned, recorded } = seen
  const beside = planned.plan.steps.flatMap(step =>
    step.do === 'drop' && step.isBeside ? [step.address] : [],
  )
  // What has a step of its own is told with that.
  const own = new Set(planned.plan.steps.flatMap(step => (isJobStep(step) ? [] : [step.purchase.id])))
  const purchases = asSeen(seen).filter(({ id }) => !own.has(id))
  const around = { workspace, purchases, ages: recorded.ages, beside: new Set(beside) }
  return planned.plan.steps.flatMap(step => openOrder(step, around, about) ?? [])
}

interface Around extends Pick<Seen, 'workspace'>, Pick<Recorded, 'ages'> {
  readonly purchases: readonly Purchase[]
  /** Jobs of which an order is in doubt, beside what they have. */
  readonly beside: ReadonlySet<JobAddress>
}

function openOrder(
  step: Step,
  { workspace, purchases, ages, beside }: Around,
  { isOfCalls = false, ...on }: Parameters<typeof openOrders>[1],
): OrderLeftOpen | undefined {
  const purchase = purchaseOf(step, purchases)
  const is = kindOf(purchase, step)
  if (!is) return undefined
  const address = isJobStep(step) ? step.job.address : step.address
  const run = step.do === 'fetch' ? step.run : purchase && 'run' in purchase ? purchase.run : undefined
  const { disk, clock } = workspace.machine
  const spool = openSpool(workspace.folders.spool, disk, workspace.machine.refuge)
  const { sent } = purchase ?? {}
  const since = purchase?.is === 'doubt' ? purchase.since : sent?.at
  const workflow = run?.workflow ?? sent?.workflow
  const spokenAt = (service: string | undefined) => spokenBy(workspace, service).profile
  const ids =
    purchase?.is === 'doubt' ? idsInAnswer(purchase.raws, spool, spokenAt(purchase.recipe.service), disk) : []
  const keysOf = (service: string | undefined) => spokenAt(service).idempotency
  const when = { now: clock.now(), wall: clock.wall(), ages }
  const isResent = step.do === 'doubt' && resendOf(step, { keysOf, ...when })
  // Of what no job asks for there may be several under one name.
  const name = isJobStep(step) || !purchase ? address : purchaseLabel(purchase)
  const lists = purchase?.is === 'doubt' && spokenAt(purchase.recipe.service).endpoints.list !== undefined
  const of = { name, on, isOfCalls, lists, hasDoubt: beside.has(address), ...defined({ id: ids[0] }) }
  const remedy = remedyOf(is, step, of)
  return {
    address,
    ...defined({ purchase: purchase?.id }),
    is,
    ...whoseOf(step),
    detail: detailOf(purchase, step),
    ...defined({ since }),
    ...(workflow && { workflow }),
    ...(run && { run: run.id }),
    ...(purchase?.is === 'failed' && purchase.files && { files: whereLies(purchase.files, workspace) }),
    ids,
    next: isResent ? 'sends it again under its key, which is the same order' : nextText(step),
    ...(remedy && { remedy }),
  }
}

function whoseOf(step: Step): Pick<OrderLeftOpen, 'ofNobody' | 'beside'> {
  if (isJobStep(step)) return {}
  return step.do === 'drop' && step.isBeside ? { beside: true } : { ofNobody: true }
}

/** Where files lie that have no job's name; put aside, where another of their name came. */
export function whereLies(
  files: readonly SavedFile[],
  { layout, folders, machine: { disk } }: Seen['workspace'],
): string[] {
  return files.flatMap(file => {
    const kept = findKept(file, folders.kept, disk)
    if (kept !== undefined) return [kept]
    const path = join(layout.output, file.path)
    // Another file may have the name by now, and be as long.
    const isIt = findSaved(file, layout.output, disk) === 'same' && digestFileNow(disk, path) === file.digest
    return isIt ? [path] : []
  })
}

/** What a step is about, as far as it is open or came to nothing. */
function purchaseOf(step: Step, purchases: readonly Purchase[]): Purchase | undefined {
  if ('purchase' in step) return step.purchase
  if (step.do !== 'hold' && step.do !== 'buy') return undefined
  if (step.renews) return step.renews
  if (step.do === 'hold' && step.because.why === 'failed-before') {
    const { purchase } = step.because
    return purchases.find(({ id }) => id === purchase)
  }
  const { address } = step.job
  return purchases.findLast(each => each.address === address && each.is !== 'open' && each.is !== 'done')
}

/** It brought fewer files than were ordered, and that is not taken for all. */
export function isShort({ short, job }: Step & { readonly do: 'keep' }): boolean {
  return short !== undefined && job.shortDelivery !== 'accept'
}

function kindOf(purchase: Purchase | undefined, step: Step): OrderLeftOpen['is'] | undefined {
  if (step.do === 'fetch') return 'missing'
  if (step.do === 'keep') return isShort(step) ? 'short' : undefined
  if (step.do === 'hold' && step.because.why === 'at-work') return 'held'
  if (purchase === undefined || purchase.is === 'done' || purchase.is === 'open') {
    if (step.do === 'hold') return 'held'
    return purchase?.is === 'open' ? 'anew' : undefined
  }
  if (purchase.is !== 'failed') return purchase.is
  if (purchase.billed === 'no') return 'refused'
  return purchase.flaw.why === 'gone' ? 'gone' : 'failed'
}

function detailOf(purchase: Purchase | undefined, step: Step): string {
  if (step.do === 'keep' && step.short) return failureMessage({ why: 'short-delivery', ...step.short })
  switch (purchase?.is) {
    case 'doubt':
      return step.do === 'doubt' && step.isOther
        ? `${purchase.detail}; it is of what the job asked for before`
        : purchase.detail
    case 'failed':
      return purchase.flaw.message
    case 'under-way':
      if (step.do === 'hold') return holdText(step.because)
      if (step.do === 'aside') return 'nothing in the manifest asks for it any more'
      return purchase.files ? 'its result is at hand' : ''
    case 'done':
    case 'open':
    case undefined:
      if (step.do === 'fetch') return missingText(step)
      return step.do === 'hold' ? holdText(step.because) : ''
  }
}

/** What a run does about a step, in words. */
export function nextText(step: Step): string {
  switch (step.do) {
    case 'buy':
      return step.because.some(({ why }) => why === 'new' || why === 'rest' || why === 'refused-before')
        ? 'orders it'
        : 'orders it anew'
    case 'fetch':
      return step.entry.isGone ? 'asks for it once more, nothing is paid' : 'fetches it, nothing is paid'
    case 'resume':
      return 'fetches it, nothing is paid'
    case 'aside':
      return step.elsewhere === undefined
        ? 'fetches it and keeps it aside, nothing is paid'
        : `leaves it at ${step.elsewhere}: set GENRUN_BASE_URL to that service to fetch it`
    case 'keep':
      return 'keeps what is there'
    case 'adopt':
      return 'moves what is there'
    case 'restore':
      return 'copies it from the cache'
    case 'hold':
    case 'doubt':
      return 'leaves it alone'
    case 'drop':
      return `leaves it alone: ${step.isBeside ? 'its job has another order' : 'it is not in the manifest'}`
  }
}

function remedyOf(
  is: OrderLeftOpen['is'],
  step: Step,
  {
    name,
    on,
    isOfCalls,
    lists,
    hasDoubt,
    id,
  }: {
    readonly name: string
    readonly on: Pick<AtWork, 'manifest' | 'cwd' | 'output'>
    readonly isOfCalls: boolean
    /** The service can be asked for its latest runs. */
    readonly lists: boolean
    /** Another order of it is in doubt. */
    readonly hasDoubt: boolean
    readonly id?: RunId
  },
): string | undefined {
  const at = wordsOn(on, name)
  if (is === 'anew') return `genrun resolve ${at} --abandon takes that back`
  const look =
    lists && !isOfCalls && id === undefined
      ? `genrun runs ${shellWord(on.manifest)} shows what the service lists; `
      : ''
  if (is === 'doubt') return `${look}genrun resolve ${at} --adopt ${id ?? 'ID'}, or --resubmit, or --abandon`
  if (step.do === 'fetch' && hasDoubt)
    return `another order of it is in doubt: genrun run ${at} --rebuy --resubmit gives that up and orders it again`
  if (step.do === 'fetch')
    return `where the service does not know the run any more: genrun run ${at} --rebuy asks once more and orders it again`
  if (is === 'short')
    return `genrun run ${at} --failed orders the rest; genrun accept ${at} takes it as it is`
  const isAwaited = step.do === 'resume' || (step.do === 'aside' && step.elsewhere === undefined)
  if (isAwaited) return `should it never come: genrun resolve ${at} --abandon gives it up`
  if (step.do !== 'hold') return undefined
  switch (step.because.why) {
    case 'failed-before':
      if (isOfCalls)
        return `genrun resolve ${at} --resubmit, and the same call orders it again; or --adopt ID`
      if (step.because.lost) {
        const them = step.because.lost.length === 1 ? 'it' : 'them'
        return `put ${listed(step.because.lost)} back and accept ${them}; or genrun run ${at} --failed orders it once more`
      }
      if (step.because.files)
        return `genrun accept ${at} takes it as it is; genrun run ${at} --failed orders it once more`
      return step.because.isGone
        ? `genrun run ${at} --rebuy asks for it once more and orders it anew; genrun resolve ${at} --adopt ID names another run`
        : `genrun run ${at} --failed orders it again`
    case 'files-gone':
      if (isOfCalls) return 'put them back, or order it under another name'
      return `put them back, or pay again: genrun run ${at} --rebuy`
    case 'other-service':
      return `set GENRUN_BASE_URL to ${step.because.run.origin}, or say that it moved: genrun adopt ${at} ${step.because.run.id}`
    case 'no-file':
    case 'odd-file':
      return `genrun redo ${wordsOn(on, step.because.address)} orders it anew`
    case 'altered-file':
      return alteredInputHint
    case 'unpicked':
      return `genrun pick ${wordsOn(on, step.because.address)}`
    case 'unapproved':
      return step.because.isAltered ? alteredHint : (step.because.remedy ?? `genrun review ${wordsOn(on)}`)
    case 'at-work':
    case 'needs':
    case 'chosen-since':
    case 'not-selected':
      return undefined
  }
}
