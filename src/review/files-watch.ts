import { join } from 'node:path'
import { systemClock } from '../base/clock.ts'
import { nameAt } from '../disk/look.ts'
import type { Review } from '../verbs/review.ts'

/** The files of all results, looked at again and again: what somebody removes or alters is told by nothing else. */
interface FilesWatch {
  /** Whether one of them is another than it was. */
  look(): boolean
  /** From now on those of that review. Gives the paths of those that are others than before, or are new. */
  follow(review: Review): string[]
}

/** Looking takes one part in so many of the time. */
const restOfLook = 30

export function openFilesWatch(): FilesWatch {
  // Those that were followed last, and as they were at the last look.
  let followed: ReadonlyMap<string, string> | undefined
  let seen: ReadonlyMap<string, string> = new Map()
  let output = ''
  let dueAt = 0
  return {
    look() {
      const began = systemClock.now()
      if (began < dueAt) return false
      const { size } = seen
      let areTouched = false
      const now = new Map<string, string>()
      for (const path of seen.keys()) {
        const state = nameStateAt(join(output, path))
        areTouched ||= state !== seen.get(path)
        now.set(path, state)
      }
      seen = now
      if (size > 0) dueAt = systemClock.now() + restOfLook * (systemClock.now() - began)
      return areTouched
    },
    follow({ report, exhibits }) {
      if (report.output !== output) seen = new Map()
      ;({ output } = report)
      const paths = exhibits.flatMap(({ files, missing, altered }) => [
        ...files.map(({ path }) => path),
        ...missing,
        ...altered.map(({ path }) => path),
      ])
      // What changed since that look is seen at the next one.
      seen = new Map(paths.map(path => [path, seen.get(path) ?? nameStateAt(join(output, path))]))
      const before = followed
      followed = seen
      return before ? [...seen].flatMap(([path, state]) => (before.get(path) === state ? [] : [path])) : []
    },
  }
}

/** Of the name itself, with the date that nobody can set. */
function nameStateAt(path: string): string {
  try {
    const stat = nameAt(path)
    return stat ? `${stat.size} ${stat.mtimeMs} ${stat.ctimeMs} ${stat.ino}` : 'missing'
  } catch {
    return 'unreadable'
  }
}
