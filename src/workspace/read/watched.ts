import { resolve } from 'node:path'
import { asFarAsSeen, statAt } from '../../disk/look.ts'
import { checkManifest } from '../../manifest/check.ts'
import type { GivenVar } from '../../manifest/read/given-vars.ts'
import { type NoteTaker, noting } from './noting.ts'
import { openProject } from './project.ts'

/** What a plan of a manifest stands on, on disk. */
export interface Watched {
  /** Absolute; some may not be there. */
  readonly paths: readonly string[]
  /** Changes with every save of one of them, and with files that come and go where a glob looks. */
  fingerprint(): string
}

/** Reads the manifest once and remembers what was looked at on the way. `others` belong to it too: prices, a profile. */
export function watchedFiles(
  manifest: string,
  cwd: string,
  {
    vars = [],
    others = [],
  }: { readonly vars?: readonly GivenVar[]; readonly others?: readonly string[] } = {},
): Watched {
  const paths = new Set([manifest, ...others].map(path => resolve(cwd, path)))
  const globs = new Map<string, () => readonly string[]>()
  const opened = openProject(manifest, cwd)
  if (opened.got === 'project') {
    const { file, project, place } = opened
    const seen: NoteTaker = {
      file: path => paths.add(path),
      text: path => paths.add(path),
      glob: pattern => globs.set(pattern, () => project.glob(pattern)),
    }
    checkManifest(file, noting(project, place, seen), { vars })
  }
  return {
    paths: [...paths],
    fingerprint: () =>
      [...[...paths].map(stateOf), ...[...globs.values()].flatMap(list => list())].join('\n'),
  }
}

/** Editors replace files as often as they write into them: the inode tells that apart. */
function stateOf(path: string): string {
  const stat = asFarAsSeen(() => statAt(path))
  return stat ? `${path} ${stat.mtimeMs} ${stat.size} ${stat.ino}` : `${path} missing`
}
