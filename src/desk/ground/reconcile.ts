import type { JobAddress } from '../../base/names.ts'
import type { JobMemory } from '../../store/memory.ts'

/**
 * The journal as far as it speaks about this lock. A journal of another history (the lock was replaced by one that was
 * made elsewhere) still knows what this machine paid for and did not finish: that is never forgotten. What it made and
 * finished belongs to the other lock.
 */
export function reconcile(
  lockLineage: string | undefined,
  journalLineage: string | undefined,
  journal: ReadonlyMap<JobAddress, JobMemory>,
): ReadonlyMap<JobAddress, JobMemory> {
  if (lockLineage === undefined || lockLineage === journalLineage) return journal
  return new Map([...journal].filter(([, memory]) => memory.is !== 'done' && memory.is !== 'failed'))
}
