import { resolve } from 'node:path'
import type { Project } from '../../manifest/shapes/job.ts'
import type { ProjectPlace } from './place.ts'

/** Who is told of everything that a manifest looks at, right before it does; of globs, with what they found. */
export interface NoteTaker {
  /** An input, by its absolute path. Some are not there. */
  file(path: string): void
  /** One whose whole text counts. */
  text(path: string): void
  glob(pattern: string, found: readonly string[]): void
}

/** The same disk, and somebody who watches. */
export function noting(project: Project, { folder }: ProjectPlace, seen: NoteTaker): Project {
  const noted = <T>(note: (path: string) => void, look: (path: string) => T) => {
    return (path: string): T => {
      note(resolve(folder, path))
      return look(path)
    }
  }
  return {
    look: noted(seen.file, project.look),
    read: noted(seen.text, project.read),
    ...(project.seconds && { seconds: noted(seen.file, project.seconds) }),
    ...(project.pixels && { pixels: noted(seen.file, project.pixels) }),
    glob(pattern) {
      const found = project.glob(pattern)
      seen.glob(pattern, found)
      return found
    },
  }
}
