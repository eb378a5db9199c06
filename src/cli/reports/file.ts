import { basename, dirname, resolve } from 'node:path'
import { asFarAsSeen, statAt } from '../../disk/look.ts'
import { withOpenFile } from '../../disk/open.ts'
import { tryFolderOf } from '../../disk/write.ts'
import { leadsAway, ownedFolder, unwrittenReason } from '../../workspace/read/guarded.ts'
import { isOfKind, kindWords, type ReportKind } from './kinds.ts'

/** Why a report cannot be written to a path that a person named, in words. What is there already is looked at where a kind is named. */
export function whyNoReport(path: string, cwd: string, kind?: ReportKind): string | undefined {
  const full = resolve(cwd, path)
  return (
    whyManifest(path) ??
    whyOurs(full, cwd) ??
    whyBehindLink(full, cwd) ??
    (kind && whyTaken(full, cwd, kind)) ??
    whyUnwritable(full)
  )
}

/** A flag that was given no file takes the word behind it for one: no manifest is lost by that. */
function whyManifest(path: string): string | undefined {
  return /\.ya?ml$/i.test(path) ? 'it is named like a manifest' : undefined
}

/** What genrun and git keep for themselves, be it that it is not there yet. `full` is absolute. */
export function whyOurs(full: string, cwd: string): string | undefined {
  const owned = ownedFolder(full, cwd)
  if (owned !== undefined) return `it lies in ${owned}`
  const [, record] = /\.(lock|review)\.json$/i.exec(basename(full)) ?? []
  if (record === undefined) return undefined
  return record.toLowerCase() === 'lock' ? 'it is named like a lock' : 'it is named like a file of verdicts'
}

/**
 * What is there keeps its place unless it is empty, a report of that kind by genrun, or no file at all: a pipe or a device is written
 * to. Behind a link that leads out of the project nothing is looked at, as nothing is written there. `full` is absolute.
 */
export function whyTaken(full: string, cwd: string, kind: ReportKind): string | undefined {
  try {
    if (asFarAsSeen(() => statAt(full))?.isFile() !== true || leadsAway(full, cwd)) return undefined
    const head = withOpenFile(full, { mostBytes: Number.POSITIVE_INFINITY }, file => file.read(0, headBytes))
    if (head.length === 0 || isOfKind(kind, Buffer.from(head).toString())) return undefined
    return `what is there is ${kindWords[kind]}`
  } catch (cause) {
    return `what is there cannot be read: ${unwrittenReason(cause)}`
  }
}

/** More than a name of a manifest takes, with all of its signs escaped. */
const headBytes = 64 * 1024

/** Makes sure that a report can be written there, before anything is bought; in words why not. */
export function whyUnwritable(path: string): string | undefined {
  try {
    if (statAt(path)?.isDirectory()) return 'it is a folder'
    tryFolderOf(path)
    return undefined
  } catch (cause) {
    return unwrittenReason(cause)
  }
}

/** A checkout brings links as it brings files. The last step is no matter: a report takes the place of a link. */
export function whyBehindLink(full: string, cwd: string): string | undefined {
  return leadsAway(dirname(full), cwd) ? 'a link on the way there leads out of the project' : undefined
}
