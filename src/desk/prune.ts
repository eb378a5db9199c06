import { join } from 'node:path'
import type { JobAddress } from '../base/names.ts'
import type { SavedFile } from '../base/state.ts'
import type { Memory } from '../plan/facts.ts'
import type { Step } from '../plan/step.ts'
import { type Found, verifySaved } from '../store/outputs.ts'
import { StorageTrouble } from '../store/trouble.ts'
import { removeQuietly } from '../store/whole.ts'
import type { Busy } from './carry/busy.ts'
import { underClaim } from './carry/settle.ts'
import type { Drawn, Refused } from './draw/draw.ts'
import { damaged, type GroundRequest, seePlan } from './ground/ground.ts'
import type { Damaged } from './ground/recorded.ts'
import type { Ground, Recorded } from './ground/setting.ts'

/** What happens to one entry of the lock that has no job any more. */
export interface PruneRecord {
  readonly address: JobAddress
  /** `same` is removed; `altered` is no longer genrun's and stays; `shared` belongs to another job by now. */
  readonly files: readonly { readonly path: string; readonly is: Found | 'shared' }[]
  /** Paid for and not finished, or in doubt: it is not forgotten. */
  readonly kept?: string
}

export type PruneResult =
  | Refused
  | Damaged
  | Busy
  | {
      readonly got: 'pruned'
      readonly isDone: boolean
      readonly entries: readonly PruneRecord[]
      /** Takes beyond those that the manifest asks for, which nobody picked and nothing is made from. They stay. */
      readonly further: readonly JobAddress[]
    }

export interface PruneRequest extends GroundRequest {
  /** False: it is only said what would be removed. */
  readonly isMeant: boolean
  /** Takes that are more than the manifest asks for are removed as well. */
  readonly takes?: boolean
}

/**
 * Removes what is no longer in the manifest from lock, journal and disk; without `isMeant` it only says what it would do.
 * A file that genrun did not make, or that was altered since, is never touched (RELIABILITY.md P15). A job keeps every
 * take (`redo` orders them on purpose): those go only when it is asked for.
 */
export async function pruneManifest(request: PruneRequest): Promise<PruneResult> {
  if (request.isMeant) return pruneNow(request)
  const seen = seePlan(request)
  if (seen.got !== 'seen') return seen
  try {
    return { got: 'pruned', isDone: false, ...(await recordsOf(seen, request)) }
  } catch (trouble) {
    if (!(trouble instanceof StorageTrouble)) throw trouble
    return damaged(trouble)
  }
}

function pruneNow(request: PruneRequest): Promise<PruneResult> {
  return underClaim(request, async ({ ground, recorded, drawn, journal, book }): Promise<PruneResult> => {
    const { entries, further } = await recordsOf({ ground, recorded, drawn }, request)
    for (const { address, files, kept } of entries) {
      if (kept !== undefined) continue
      for (const { path, is } of files) {
        if (is === 'same') removeQuietly(ground.machine.disk, join(ground.layout.output, path))
      }
      // Files first: after a crash in between the entry is still there to be pruned.
      await journal.append({ kind: 'RESOLVE', address, decision: { is: 'rebuy' } })
      book.drop(address)
    }
    return { got: 'pruned', isDone: true, entries, further }
  })
}

interface Sight {
  readonly ground: Ground
  readonly recorded: Recorded
  readonly drawn: Drawn
}

async function recordsOf(
  { ground, recorded, drawn }: Sight,
  { takes = false }: PruneRequest,
): Promise<{ readonly entries: readonly PruneRecord[]; readonly further: readonly JobAddress[] }> {
  const left = drawn.plan.steps.filter((step): step is Step & { do: 'drop' } => step.do === 'drop')
  const surplus = surplusTakes(drawn, ground)
  const drops: readonly Gone[] = takes ? [...left, ...surplus] : left
  const dropped = new Set(drops.map(drop => drop.address))
  const others = [...recorded.entries.values()].filter(entry => !dropped.has(entry.address))
  const inUse = new Set(others.flatMap(entry => entry.files.map(file => file.path)))
  const records: PruneRecord[] = []
  for (const { address, memory } of drops) {
    const kept = keptText(memory)
    const files = []
    for (const file of filesOf(memory)) {
      const is = inUse.has(file.path)
        ? ('shared' as const)
        : await verifySaved(file, ground.layout.output, ground.machine.disk)
      files.push({ path: file.path, is })
    }
    records.push({ address, files, ...(kept !== undefined && { kept }) })
  }
  return { entries: records, further: takes ? [] : surplus.map(({ address }) => address) }
}

type Gone = Pick<Step & { do: 'drop' }, 'address' | 'memory'>

/** Made, and not among those that the manifest asks for; nobody picked it, and nothing is made from it. */
function surplusTakes({ plan, jobs, picked }: Drawn, { manifest }: Ground): Gone[] {
  const wanted = new Set(manifest.jobs.map(job => job.address))
  const used = new Set([...picked, ...jobs.flatMap(job => job.needs)])
  return plan.steps.flatMap(step => {
    if (step.do !== 'keep' || wanted.has(step.job.address) || used.has(step.job.address)) return []
    return [{ address: step.job.address, memory: { is: 'done', entry: step.entry } }]
  })
}

function filesOf(memory: Memory): readonly SavedFile[] {
  return memory.is === 'done' ? memory.entry.files : []
}

function keptText(memory: Memory): string | undefined {
  switch (memory.is) {
    case 'done':
    case 'failed':
      return undefined
    case 'under-way':
      return 'it is paid for and not finished'
    case 'doubt':
      return 'nobody knows whether it was paid for'
  }
}
