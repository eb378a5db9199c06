import { join } from 'node:path'
import { namesIn } from '../../disk/look.ts'
import { type Stamped, stampOf } from './stamp.ts'

/** Everything on disk that a run looks at before it decides what is to do, each as it was right before. */
export interface Notes {
  /** A file of which only what `stampOf` tells is compared: inputs and journals, which may be large. */
  file(path: string): void
  /** A file whose contents are compared as well. */
  text(path: string): void
  /** A folder and all that lies in it. */
  folder(path: string): void
  /** Files that a glob found. */
  glob(pattern: string, found: readonly string[]): void
  /** What was noted, by absolute path. */
  readonly files: ReadonlyMap<string, Noted>
  readonly globs: ReadonlyMap<string, readonly string[]>
  /**
   * Whether something changed so shortly before the run that another change could leave the same dates: disks count in
   * steps, some of two seconds. Dates that lie ahead count as well: then a clock went back.
   */
  isYoung(): boolean
}

interface Noted {
  readonly stamp: Stamped
  readonly isText: boolean
}

const stepMs = 2000

/** `beganAt`: before anything was read, in milliseconds since 1970. */
export function openNotes(beganAt: number): Notes {
  const files = new Map<string, Noted>()
  const globs = new Map<string, readonly string[]>()
  // The first look counts: what is read later is not older.
  function note(path: string, isText: boolean): void {
    const known = files.get(path)
    files.set(path, { stamp: known?.stamp ?? stampOf(path), isText: isText || known?.isText === true })
  }
  return {
    file: path => note(path, false),
    text: path => note(path, true),
    folder(path) {
      note(path, false)
      for (const name of namesIn(path)) note(join(path, name), false)
    },
    glob: (pattern, found) => void globs.set(pattern, found),
    files,
    globs,
    isYoung: () => [...files.values()].some(({ stamp }) => stamp.changedAt > beganAt - stepMs),
  }
}
