import type { JobAddress } from '../../base/names.ts'
import type { LockEntry } from '../../base/state.ts'
import type { Job } from '../../manifest/job.ts'
import { firstTake } from '../../plan/picks.ts'
import type { Recorded } from '../ground/setting.ts'
import { wantedPath } from './facts.ts'

interface Picked {
  readonly picked: readonly JobAddress[]
  /** Found although the lock that knew them is lost, and nothing but what was made from them tells. */
  readonly regained: readonly JobAddress[]
}

/**
 * Takes that somebody picked. A lock that was lost knew it; then it is the one that has the bare name, or, where every
 * take has a name of its own, the one that others were made from: what was made stays what it is (RELIABILITY.md P7).
 */
export function pickedTakes({ entries, lockText }: Recorded, jobs: readonly Job[]): Picked {
  const done = [...entries.values()].filter(entry => entry.state === 'done')
  const marked = [...entries.values()].filter(entry => entry.picked).map(entry => entry.address)
  const known = new Set(marked.map(firstTake))
  const byAddress = new Map(jobs.map(job => [job.address, job]))
  const bare = done.filter(entry => {
    const first = firstTake(entry.address)
    const job = first === entry.address || known.has(first) ? undefined : byAddress.get(first)
    return job && entry.files[0]?.path === wantedPath(job, entry, 0)
  })
  const picked = [...marked, ...bare.map(entry => entry.address)]
  if (lockText !== undefined) return { picked, regained: [] }
  const settled = new Set(picked.map(firstTake))
  const regained = usedTakes(done, entries, jobs).filter(address => !settled.has(firstTake(address)))
  return { picked: [...picked, ...regained], regained }
}

/** Takes other than the first of which a job's result was made that names the job and no take. */
function usedTakes(
  done: readonly LockEntry[],
  entries: Recorded['entries'],
  jobs: readonly Job[],
): JobAddress[] {
  const makers = new Map(
    done.flatMap(entry => entry.files.map(file => [file.digest as string, entry.address])),
  )
  const used = new Set<JobAddress>()
  for (const job of jobs) {
    const inputs = entries.get(job.address)?.recipe.inputs ?? {}
    const named = new Set(
      Object.values(job.files).flatMap(refs =>
        refs.flatMap(ref => (ref.from === 'job' ? [ref.address] : [])),
      ),
    )
    for (const maker of Object.values(inputs).flatMap(digests => digests.map(digest => makers.get(digest))))
      if (maker !== undefined && !named.has(maker) && named.has(firstTake(maker))) used.add(maker)
  }
  return [...used]
}
