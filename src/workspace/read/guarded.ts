import { dirname, join, relative, sep } from 'node:path'
import { asFarAsSeen, isThere, nameAt, realPathAt } from '../../disk/look.ts'
import { isBelow, readRegular } from '../../disk/open.ts'
import { storageErrorOf } from '../../store/files/storage-error.ts'
import { projectAround, repositoryAround } from './place.ts'

/** A text, or why it is not read: continues a sentence (`the prices cannot be read: it is not UTF-8 text`). */
export type Guarded =
  | { readonly text: string }
  | { readonly problem: string; readonly is?: 'no text' | 'outside' }

/**
 * Reads a text of which lines are shown when something is wrong with it. In a checkout that a stranger wrote its name may be
 * a link to what nobody shall see in a log (docs/contract.md section 5): a name that lies in a project may only lead to
 * what lies there as well, and nothing but a regular file is opened. `full` is absolute.
 */
export function readGuarded(full: string, cwd: string, mostBytes: number): Guarded {
  try {
    const real = realPathAt(full)
    if (leadsOut(full, real, cwd))
      return { is: 'outside', problem: 'it is a link that leads out of the project' }
    const text = decode(readRegular(full, { mostBytes, at: real }))
    return text === undefined ? { is: 'no text', problem: 'it is not UTF-8 text' } : { text }
  } catch (cause) {
    return { problem: storageErrorOf(full, 'read', cause).detail }
  }
}

/** What the disk says of a file that a person has written somewhere, in words. */
export function unwrittenReason(cause: unknown): string {
  const { code, detail } = storageErrorOf('', 'write', cause)
  // Of its folder: a file of that name makes room, or was asked about before.
  if (code === 'EEXIST') return 'a part of its path is not a folder'
  return code === 'ENOENT' ? 'its folder is not there' : detail
}

/** Why a place cannot be looked at: continues a sentence. */
export function whyUnseen(path: string, cause: unknown): string {
  const { code, detail } = storageErrorOf(path, 'look at', cause)
  return code === 'ELOOP' ? leadsNowhere : detail
}

/** Of a link to what is not there, or to itself. */
export const leadsNowhere = 'it is a link that leads nowhere'

/** Undefined when the bytes are no UTF-8. A byte-order mark is kept: readers have a word to say about it. */
export function decode(bytes: Uint8Array): string | undefined {
  try {
    return new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(bytes)
  } catch {
    return undefined
  }
}

/**
 * Whether a folder of a project, which need not be there yet, is by a link one that lies elsewhere: a checkout brings links as it
 * brings files. `full` is absolute.
 */
export function leadsAway(full: string, cwd: string): boolean {
  let there = full
  while (!asFarAsSeen(() => nameAt(there)) && dirname(there) !== there) there = dirname(there)
  try {
    return leadsOut(there, realPathAt(there), cwd)
  } catch {
    // A link to what is not there: it would be made there.
    return true
  }
}

/**
 * The folder of git or of genrun below `root` in which a folder lies, which need not be there yet: nothing that a checkout
 * names belongs among their files. Both absolute; links count as what they lead to.
 */
export function ownedFolder(full: string, root: string): string | undefined {
  let there = full
  while (!isThere(there) && dirname(there) !== there) there = dirname(there)
  const real = join(realPathAt(there), relative(there, full))
  return relative(realPathAt(root), real)
    .split(sep)
    .find(segment => ['.git', '.genrun'].includes(segment.toLowerCase()))
}

/** A name outside of any project is its user's own, and so is where it leads. */
function leadsOut(full: string, real: string, cwd: string): boolean {
  if (full === real) return false
  const around = projectAround(full)
  const roots = [repositoryAround(cwd), ...(around === undefined ? [] : [around])]
  return roots.some(root => isBelow(full, root) && !isBelow(real, realPathAt(root)))
}
