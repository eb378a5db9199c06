import type { JobAddress } from '../../base/names.ts'
import type { Planned } from '../../wording/report.ts'

type Work = Planned['work'][number]

/** A job at its place in the tree. */
interface Branch {
  readonly job: Work
  /** The lines before its name: `│  └─ `; empty for a root. */
  readonly stem: string
}

/**
 * The jobs as trees, roots in their order. A job hangs below the last of what it needs, so that all of that stands above
 * it; each job stands once.
 */
export function treeOf(work: readonly Work[]): Branch[] {
  const place = new Map(work.map(({ address }, nth) => [address, nth]))
  const below = new Map<JobAddress | undefined, Work[]>()
  for (const job of work) {
    const parent = job.needs.toSorted((a, b) => (place.get(a) ?? -1) - (place.get(b) ?? -1)).at(-1)
    below.set(parent, [...(below.get(parent) ?? []), job])
  }
  function branches(parent: JobAddress, stem: string): Branch[] {
    const jobs = below.get(parent) ?? []
    return jobs.flatMap((job, nth) => {
      const isLast = nth === jobs.length - 1
      const mine = { job, stem: `${stem}${isLast ? '└ ' : '├ '}` }
      return [mine, ...branches(job.address, `${stem}${isLast ? '  ' : '│ '}`)]
    })
  }
  return (below.get(undefined) ?? []).flatMap(job => [{ job, stem: '' }, ...branches(job.address, '')])
}
