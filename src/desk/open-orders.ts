import type { JobAddress, RunId } from '../base/names.ts'
import type { RunRef } from '../base/state.ts'
import type { Memory } from '../plan/facts.ts'
import type { Step } from '../plan/step.ts'
import { openSpool } from '../store/spool.ts'
import { resendOf } from './carry/works.ts'
import { holdText } from './draw/plan-record.ts'
import type { Seen } from './ground/ground.ts'
import { idsInAnswer } from './once/raw-answer.ts'
import { quoted } from './telling/command.ts'

/** A job that is neither done nor simply still to be made. */
export interface OpenOrder {
  readonly address: JobAddress
  /**
   * `doubt`: nobody knows whether it was paid for. `under-way`: paid for and not fetched. `failed`: it may have been
   * billed. `refused`: nothing was billed. `held`: nothing of it was ordered.
   */
  readonly is: 'doubt' | 'under-way' | 'failed' | 'refused' | 'held'
  readonly detail: string
  /** When it was sent, in milliseconds since 1970; absent where only the lock knows of it. */
  readonly since?: number
  readonly workflow?: string
  readonly run?: RunId
  /** Run ids that stand in the answer of a doubt. */
  readonly ids: readonly RunId[]
  /** What the next run does about it. */
  readonly next: string
  /** What the user can do; absent when the next run is all it takes. */
  readonly remedy?: string
}

/** Everything that is open, in the plan's order. */
export function openOrders(seen: Pick<Seen, 'ground' | 'recorded' | 'drawn'>, manifest: string): OpenOrder[] {
  return seen.drawn.plan.steps.flatMap(step => openOrder(step, seen, manifest) ?? [])
}

function openOrder(
  step: Step,
  { ground, recorded }: Pick<Seen, 'ground' | 'recorded'>,
  manifest: string,
): OpenOrder | undefined {
  const address = step.do === 'drop' ? step.address : step.job.address
  // What moved here is remembered under its old address.
  const from = (step.do === 'resume' && step.from) || address
  const memory = recorded.memories.get(from)
  const is = kindOf(memory) ?? (step.do === 'hold' ? 'held' : undefined)
  if (!is) return undefined
  const known = recorded.journal.get(from)
  const run = memory && runOf(memory)
  const raws = (known?.doubts ?? []).flatMap(doubt => doubt.raw ?? [])
  const spool = openSpool(ground.folders.spool, ground.machine.disk)
  const since = known?.is === 'doubt' ? known.since : known?.intent?.at
  const workflow = run?.workflow ?? known?.intent?.workflow
  const ids = is === 'doubt' ? idsInAnswer(raws, spool, ground.profile, ground.machine.disk) : []
  const keys = ground.profile.idempotency
  const isResent = step.do === 'doubt' && resendOf(step, { keys, now: ground.machine.clock.now() })
  const remedy = remedyOf(is, step, { address, manifest, id: ids[0] })
  return {
    address,
    is,
    detail: detailOf(memory, step),
    ...(since !== undefined && { since }),
    ...(workflow && { workflow }),
    ...(run && { run: run.id }),
    ids,
    next: isResent ? 'sends it again under its key, which is the same order' : nextText(step),
    ...(remedy && { remedy }),
  }
}

function kindOf(memory: Memory | undefined): OpenOrder['is'] | undefined {
  if (memory === undefined || memory.is === 'done') return undefined
  return memory.is === 'failed' && memory.billed === 'no' ? 'refused' : memory.is
}

function runOf(memory: Memory): RunRef | undefined {
  switch (memory.is) {
    case 'done':
      return memory.entry.run
    case 'under-way':
    case 'failed':
      return memory.run
    case 'doubt':
      return undefined
  }
}

function detailOf(memory: Memory | undefined, step: Step): string {
  switch (memory?.is) {
    case 'doubt':
      return memory.detail
    case 'failed':
      return memory.message
    case 'under-way':
      return memory.files ? 'its result is at hand' : ''
    case 'done':
    case undefined:
      return step.do === 'hold' ? holdText(step.because) : ''
  }
}

/** What a run does about a step, in words. */
export function nextText(step: Step): string {
  switch (step.do) {
    case 'buy':
      return step.because.some(({ why }) => why === 'new' || why === 'refused-before')
        ? 'orders it'
        : 'orders it anew'
    case 'resume':
    case 'fetch':
      return 'fetches it, nothing is paid'
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
      return 'leaves it alone: it is not in the manifest'
  }
}

function remedyOf(
  is: OpenOrder['is'],
  step: Step,
  { address, manifest, id }: { readonly address: JobAddress; readonly manifest: string; readonly id?: RunId },
): string | undefined {
  const at = `${quoted(manifest)} ${quoted(address)}`
  if (is === 'doubt') return `genrun resolve ${at} --adopt ${id ?? 'ID'}, or --resubmit, or --abandon`
  if (step.do === 'drop' && is === 'under-way') return 'put it back into the manifest to get the result'
  if (step.do !== 'hold') return undefined
  switch (step.because.why) {
    case 'failed-before':
      return `genrun run ${at} --failed orders it again`
    case 'files-gone':
      return `put them back, or pay again: genrun run ${at} --rebuy`
    case 'unpicked':
      return `genrun pick ${quoted(manifest)} ${quoted(step.because.address)}`
    case 'needs':
    case 'not-selected':
      return undefined
  }
}
