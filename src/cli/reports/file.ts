import { statAt } from '../../disk/look.ts'
import { tryFolderOf } from '../../disk/write.ts'

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

export function reasonOf(cause: unknown): string {
  return cause instanceof Error ? cause.message : String(cause)
}
