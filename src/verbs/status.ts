import { resolve } from 'node:path'
import { defined } from '../base/defined.ts'
import type { JobAddress, PurchaseId } from '../base/names.ts'
import { paidFiles } from '../base/purchase.ts'
import type { SavedFile } from '../base/state.ts'
import type { Step } from '../plan/shapes/step.ts'
import { isOwedElsewhere, owedElsewhere } from '../planning/elsewhere.ts'
import type { Refused } from '../planning/make-plan.ts'
import type { Seen, WorkspaceRequest } from '../planning/open-workspace.ts'
import { seeManifest } from '../planning/see-manifest.ts'
import { lockedWorkspace, seeLocked } from '../run/one-shot/locked-workspace.ts'
import { readMark } from '../run/planner/fleet-records.ts'
import type { HolderSeen } from '../store/claim/claim.ts'
import { StorageError } from '../store/files/storage-error.ts'
import { readJournal } from '../store/journal/journal.ts'
import { notRecordedHere } from '../wording/remarks.ts'
import { foreignStates, type SetAside } from '../workspace/records/lineage.ts'
import { type Damaged, damaged } from '../workspace/records/recorded.ts'
import type { Recorded, Workspace } from '../workspace/workspace.ts'
import { isShort, type OrderLeftOpen, openOrders, whereLies } from './orders/open-orders.ts'

/** How a manifest stands between two runs. */
export interface StatusRecord {
  readonly manifest: string
  /** It is a lock of `generate --lock`: what is open is gone on with by the same call. */
  readonly isOfCalls?: true
  readonly jobs: number
  readonly done: number
  /** What the next run would order, were it to begin now. */
  readonly toBuy: number
  readonly open: readonly OrderLeftOpen[]
  /** Paid for, and kept for the day that the manifest asks for it again; files with absolute paths. */
  readonly aside: readonly AsideResult[]
  /** What the next run would not begin with: other records know that it is paid for, or may be. */
  readonly owedElsewhere: readonly {
    readonly address: JobAddress
    readonly message: string
    readonly hint?: string
  }[]
  /** State of other lineages, set aside or in the way still, with what it owes. */
  readonly foreign: readonly SetAside[]
  /** Locks that could not be written to their place, and were found outside the project. */
  readonly rescued: Recorded['rescued']
  /** Takes that somebody chose, and that no run has picked yet; `why`: what they wait for beside the next run. */
  readonly picks?: readonly { readonly address: JobAddress; readonly who: string; readonly why?: string }[]
  /** Workers of a fleet may be at work on it, or have bought what its lock does not know. */
  readonly fleet?: true
  /** Of inputs that are not there. Absent: none. */
  readonly lacking?: readonly string[]
  /** Another genrun at work: what is open may be closed a moment later. */
  readonly holder?: HolderSeen
  /** How far that one is, where its records are on this machine. */
  readonly progress?: RunProgress
}

export interface RunProgress {
  /** Jobs that it has made so far. */
  readonly made: number
  /** Jobs that are under way or still to be ordered. */
  readonly left: number
  readonly seconds: number
  /** Were it to go on as it did; undefined while too little is made to tell. */
  readonly secondsLeft?: number
}

/** So few results say nothing about a pace. */
const fewest = 3

/** By what its journal finished since it took the claim: dates of the same machine. */
export function progressOf({ planned, workspace, holder }: Seen): RunProgress | undefined {
  if (holder?.is !== 'alive') return undefined
  const { since } = holder
  const { folders, machine } = workspace
  const reading = readJournal(folders.journal, machine.disk)
  if (reading.got !== 'records') return undefined
  const made = reading.entries.filter(({ kind, at }) => kind === 'DONE' && at >= since).length
  const left = planned.plan.steps.filter(isLeft).length
  const seconds = Math.max(0, machine.clock.wall() - since) / 1000
  return { made, left, seconds, ...(made >= fewest && { secondsLeft: (seconds / made) * left }) }
}

function isLeft(step: Step): boolean {
  if (step.do === 'hold') return step.because.why === 'at-work'
  return step.do === 'buy' || step.do === 'resume'
}

type StatusResult = Refused | Damaged | { readonly got: 'status'; readonly status: StatusRecord }

function owedAmong({ workspace, planned }: Seen): StatusRecord['owedElsewhere'] {
  return planned.plan.steps.filter(isOwedElsewhere).flatMap(step =>
    owedElsewhere({ steps: [step] }, workspace).map(({ message, hint }) => ({
      address: step.job.address,
      message,
      ...defined({ hint }),
    })),
  )
}

/** A result that nobody asks for now, or what came and is none. */
interface AsideResult {
  readonly address: JobAddress
  readonly prompt?: string
  /** Where they lie. */
  readonly files: readonly string[]
  /** So many others are gone. */
  readonly lost?: number
  /** The service had these no more when it was asked last, or cannot be asked. */
  readonly isGone?: true
  /** Why it is no result. */
  readonly unusual?: string
}

function asideResults({ recorded, workspace, planned }: Seen): AsideResult[] {
  const asked = new Set(planned.plan.steps.flatMap(purchasesOf))
  const inPlace = new Set(planned.plan.steps.flatMap(filesOf).map(placeOf))
  return recorded.purchases.flatMap(each => {
    const isAside = each.is === 'done' ? each.aside : each.is === 'failed' && each.files !== undefined
    if (!isAside || asked.has(each.id)) return []
    const { prompt } = each.recipe.params
    const paid = paidFiles(each)
    // What came again byte for byte lies where its job has it.
    const others = paid.filter(file => !inPlace.has(placeOf(file)))
    if (paid.length > 0 && others.length === 0) return []
    const files = whereLies(others, workspace)
    const lost = others.length - files.length
    return {
      address: each.address,
      ...(typeof prompt === 'string' && { prompt }),
      files,
      ...(lost > 0 && { lost }),
      ...(lost > 0 && each.is === 'done' && (each.isGone || !each.run) && { isGone: true as const }),
      ...(each.is === 'failed' && { unusual: each.flaw.message }),
    }
  })
}

function filesOf(step: Step): readonly SavedFile[] {
  return 'entry' in step && step.do !== 'restore' ? step.entry.files : []
}

function placeOf({ path, digest }: SavedFile): string {
  return `${digest} ${path}`
}

/** Undefined where there are none. */
function picksThatWait({ planned: { waiting } }: Seen): StatusRecord['picks'] {
  const heeded = (waiting?.heeded ?? []).flatMap(({ pick: { address, who, pick } }) =>
    pick === 'none' ? [] : [{ address, who }],
  )
  const unmet = (waiting?.unmet ?? []).map(pick => ({
    address: pick.address,
    who: pick.who,
    why: notRecordedHere(pick),
  }))
  return heeded.length + unmet.length > 0 ? [...heeded, ...unmet] : undefined
}

/** What is said of inputs that are not there, where that keeps nobody from looking. */
export function lackingInputs({ warnings }: Pick<Workspace, 'warnings'>): {
  readonly lacking?: readonly string[]
} {
  const missing = warnings.filter(({ code }) => code === 'missing-file')
  const until = 'no run begins before it is back, and what asks for it counts as changed until then'
  return missing.length > 0 ? { lacking: missing.map(({ message }) => `${message}: ${until}`) } : {}
}

/** What a step has or waits for; that is told with the step. */
function purchasesOf(step: Step): PurchaseId[] {
  if ('entry' in step) return [step.entry.id]
  if (step.do === 'drop') return [step.purchase.id]
  return step.do === 'hold' && step.because.why === 'failed-before' ? [step.because.purchase] : []
}

function askedOf({ manifest, cwd, output }: WorkspaceRequest) {
  return { manifest, cwd, ...(output !== undefined && { output: resolve(cwd, output) }) }
}

/** What is open, by lock and journal. No key, no request, no write; another genrun may be at work meanwhile. */
export function statusOf(request: WorkspaceRequest): StatusResult {
  const locked = lockedWorkspace(request)
  if (locked && 'got' in locked) return locked
  const seen = locked
    ? seeLocked(locked)
    : seeManifest({ ...request, mayLackInputs: true }, { isForShow: true })
  if (seen.got !== 'seen') return seen
  const { planned, holder } = seen
  const { steps, buys } = planned.plan
  const owed = owedAmong(seen)
  const { layout, machine } = seen.workspace
  const progress = progressOf(seen)
  try {
    return {
      got: 'status',
      status: {
        manifest: request.manifest,
        ...(locked && { isOfCalls: true }),
        jobs: planned.jobs.length,
        // What was delivered short is told as that.
        done: steps.filter(step => (step.do === 'keep' && !isShort(step)) || step.do === 'adopt').length,
        toBuy: buys - owed.length,
        open: openOrders(seen, { ...askedOf(request), isOfCalls: locked !== undefined }),
        aside: asideResults(seen),
        owedElsewhere: owed,
        foreign: foreignStates(layout.state, seen.recorded.lock.lineage, machine.disk),
        rescued: seen.recorded.rescued,
        ...defined({ picks: picksThatWait(seen) }),
        ...(readMark(seen.workspace)?.open && { fleet: true }),
        ...lackingInputs(seen.workspace),
        ...defined({ holder }),
        ...defined({ progress }),
      },
    }
  } catch (trouble) {
    if (!(trouble instanceof StorageError)) throw trouble
    return damaged(trouble)
  }
}
