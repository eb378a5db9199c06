import { dirname } from 'node:path'
import { asFarAsSeen, mayRead, nameAt, statAt } from '../../disk/look.ts'
import { leadsNowhere, whyUnseen } from '../../workspace/read/guarded.ts'

/** What stands at a place where settings are looked for. */
type PlaceState =
  | { readonly is: 'nothing' }
  /** A regular file that may be read. */
  | { readonly is: 'file'; readonly bytes: number }
  /** Somebody else's. */
  | { readonly is: 'foreign' }
  /** Something that may hold settings, and cannot be read: `at` is what is in the way, the place itself or a folder. */
  | { readonly is: 'unread'; readonly at: string; readonly why: string; readonly isOurs: boolean }

/** The same with its path. */
export type Stood = PlaceState & { readonly path: string }

/** Whose settings are heeded, beside those of root. */
export interface Owners {
  /** Whether nobody else owns it: what they may have written there counts, even where it cannot be seen. */
  isOurs(user: number): boolean
}

/** This user, and whoever owns one of these folders: they could have written to what lies in it as well. */
export function ownersOf(...folders: readonly string[]): Owners {
  const user = process.getuid?.()
  const owners = [user, ...folders.map(folder => asFarAsSeen(() => statAt(folder))?.uid)]
  return { isOurs: owner => user === undefined || owners.includes(owner) }
}

/**
 * What cannot be read is never taken for nothing: a cap may stand in it. `known` is above the place, and known to be there;
 * `closers`: whose closed folders may hold settings that count.
 */
export function standingAt(path: string, known: string, owners: Owners, closers: Owners): PlaceState {
  const nothing = { is: 'nothing' } as const
  try {
    const name = nameAt(path)
    if (!name) return nowhereAbove(path, known, closers) ?? nothing
    const unread = (why: string) =>
      ({ is: 'unread', at: path, why, isOurs: owners.isOurs(name.uid) }) as const
    const isForeign = (owner: number) => owner !== 0 && !owners.isOurs(owner)
    if (isForeign(name.uid)) return { is: 'foreign' }
    const stat = name.isSymbolicLink() ? ledTo(path) : name
    if (typeof stat === 'string') return unread(stat)
    if (isForeign(stat.uid)) return { is: 'foreign' }
    if (stat.isDirectory()) return unread(aFolder)
    if (!stat.isFile()) return unread('it is not a regular file')
    return mayRead(path) ? { is: 'file', bytes: stat.size } : unread(denied)
  } catch (cause) {
    const near = nearestSeen(path)
    if (!near || !closers.isOurs(near.owner)) return nothing
    return { is: 'unread', at: near.path, why: whyUnseen(path, cause), isOurs: true }
  }
}

/** A folder on the way that is a link to what is not there, as a disk that is not mounted. */
function nowhereAbove(path: string, known: string, closers: Owners): PlaceState | undefined {
  for (let there = dirname(path); there !== known && dirname(there) !== there; there = dirname(there)) {
    const name = nameAt(there)
    if (name?.isSymbolicLink() && typeof ledTo(there) === 'string' && closers.isOurs(name.uid))
      return { is: 'unread', at: there, why: leadsNowhere, isOurs: true }
    if (name) return undefined
  }
  return undefined
}

/** What a link leads to, or why that is not seen. */
function ledTo(path: string): NonNullable<ReturnType<typeof statAt>> | string {
  try {
    return statAt(path) ?? leadsNowhere
  } catch (cause) {
    return whyUnseen(path, cause)
  }
}

/** Why a folder is no settings. */
export const aFolder = 'it is a folder'
/** Why nobody but others reads it. */
export const denied = 'permission denied'

/** The folder behind which nothing is seen, and whose it is. */
function nearestSeen(path: string): { readonly path: string; readonly owner: number } | undefined {
  for (let there = dirname(path); ; there = dirname(there)) {
    const name = asFarAsSeen(() => nameAt(there))
    if (name) return { path: there, owner: name.uid }
    if (dirname(there) === there) return undefined
  }
}
