import { join } from 'node:path'
import type { JobAddress } from '../base/names.ts'
import type { SavedFile } from '../base/state.ts'
import type { Memory } from '../plan/facts.ts'
import type { Step } from '../plan/step.ts'
import { type Found, verifySaved } from '../store/outputs.ts'
import { StorageTrouble } from '../store/trouble.ts'
import { removeQuietly } from '../store/whole.ts'
import type { Busy } from './busy.ts'
import type { Refused } from './draw.ts'
import { damaged, type GroundRequest, seePlan } from './ground.ts'
import type { Damaged } from './recorded.ts'
import type { Ground, Recorded } from './setting.ts'
import { underClaim } from './settle.ts'

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
  | { readonly got: 'pruned'; readonly isDone: boolean; readonly entries: readonly PruneRecord[] }

/**
 * Removes what is no longer in the manifest from lock, journal and disk; without `isMeant` it only says what it would do.
 * A file that genrun did not make, or that was altered since, is never touched (RELIABILITY.md P15).
 */
export async function pruneManifest(
  request: GroundRequest & { readonly isMeant: boolean },
): Promise<PruneResult> {
  if (request.isMeant) return pruneNow(request)
  const seen = seePlan(request)
  if (seen.got !== 'seen') return seen
  try {
    const entries = await recordsOf(seen.drawn.plan.steps, seen.ground, seen.recorded)
    return { got: 'pruned', isDone: false, entries }
  } catch (trouble) {
    if (!(trouble instanceof StorageTrouble)) throw trouble
    return damaged(trouble)
  }
}

function pruneNow(request: GroundRequest): Promise<PruneResult> {
  return underClaim(request, async ({ ground, recorded, drawn, journal, book }): Promise<PruneResult> => {
    const entries = await recordsOf(drawn.plan.steps, ground, recorded)
    for (const { address, files, kept } of entries) {
      if (kept !== undefined) continue
      for (const { path, is } of files) {
        if (is === 'same') removeQuietly(ground.machine.disk, join(ground.layout.output, path))
      }
      // Files first: after a crash in between the entry is still there to be pruned.
      await journal.append({ kind: 'RESOLVE', address, decision: { is: 'rebuy' } })
      book.drop(address)
    }
    return { got: 'pruned', isDone: true, entries }
  })
}

async function recordsOf(steps: readonly Step[], ground: Ground, recorded: Recorded): Promise<PruneRecord[]> {
  const drops = steps.filter((step): step is Step & { do: 'drop' } => step.do === 'drop')
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
  return records
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
