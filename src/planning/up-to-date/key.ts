import { createHash } from 'node:crypto'
import type { RunRequest } from '../../workspace/workspace.ts'

/** The digest of everything that a run is asked for: service and key, flags, variables, limits, folders, and the tool. */
export function requestDigest(request: RunRequest): string {
  const { emit: _, stop: __, confirm: ___, confirmFormer: ____, ...asked } = request
  return createHash('sha256').update(JSON.stringify(asked)).digest('hex')
}

/**
 * Whether a run may be answered from memory, or remembered: those that order something, take a claim over or carry a
 * saved plan out are not, nor is a shard. A rehearsal is not either: it is a world of its own, and costs nothing.
 */
export function cannotUseUpToDateMark(request: RunRequest): boolean {
  const { tool, service, expect, redo, accept, takeClaim, choices, continues, shard } = request
  const isOrder =
    continues !== undefined ||
    redo ||
    accept ||
    takeClaim ||
    choices?.failed ||
    choices?.rebuy ||
    choices?.resubmit
  const isPart = expect !== undefined || shard !== undefined
  return tool === undefined || service.rehearsal || isPart || isOrder === true
}
