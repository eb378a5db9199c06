import { dirname } from 'node:path'
import { statAt } from '../../disk/look.ts'
import { tryFolderOf } from '../../disk/write.ts'
import { leadsAway } from '../../workspace/read/guarded.ts'

/** Makes sure that a report can be written there, before anything is bought; in words why not. */
export function whyUnwritable(path: string): string | undefined {
  try {
    if (statAt(path)?.isDirectory()) return 'it is a folder'
    tryFolderOf(path)
    return undefined
  } catch (cause) {
    return reasonOf(cause)
  }
}

/** A checkout brings links as it brings files. The last step is no matter: a report takes the place of a link. */
export function whyBehindLink(full: string, cwd: string): string | undefined {
  return leadsAway(dirname(full), cwd) ? 'a link on the way there leads out of the project' : undefined
}

export function reasonOf(cause: unknown): string {
  return cause instanceof Error ? cause.message : String(cause)
}
