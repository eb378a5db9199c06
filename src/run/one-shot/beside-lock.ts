import { basename, dirname, join } from 'node:path'
import type { Purchase } from '../../base/purchase.ts'
import { seeHolder } from '../../store/claim/claim.ts'
import { isInside, ownFolder } from '../../store/files/safe-path.ts'
import { stateFolder } from '../../store/files/state-folder.ts'
import { loadLock } from '../../store/lock/lock.ts'
import type { Layout } from '../../workspace/layout.ts'
import type { Machine } from '../../workspace/machine.ts'
import { owner } from '../../workspace/read/place.ts'
import { readRecorded } from '../../workspace/records/recorded.ts'
import { type LeftBehind, owedBy, type SurveyedPlace } from './left-behind.ts'
import { placeOfSingle, type Workspaces } from './own-folder.ts'

const prefix = 'generate-'
const ofRehearsal = '.preview'

/** A rehearsal has everything of its own: its placeholders can never enter the real lock. */
function layoutBeside(lock: string, rehearsal: boolean): Layout {
  const folder = dirname(lock)
  const mark = rehearsal ? ofRehearsal : ''
  const state = join(folder, ownFolder, `${prefix}${basename(lock)}${mark}`)
  return { output: folder, lock: `${lock}${mark}`, state, rehearsal }
}

/** Where everything of a lock of `generate --lock` lies: files beside it or below, its state in `.genrun` beside it. */
export function workspacesBeside(
  lock: string,
  {
    cwd,
    rehearsal,
    machine,
  }: { readonly cwd: string; readonly rehearsal: boolean; readonly machine: Machine },
): Workspaces {
  const layout = layoutBeside(lock, rehearsal)
  return { layout, folders: stateFolder(layout.state), place: placeOfSingle(cwd), machine }
}

/** Whether a file is a lock of `generate --lock`, or the place of one that is gone. Throws StorageError. */
export function isLockOfCalls(path: string, { disk }: Pick<Machine, 'disk'>): boolean {
  const { is } = disk.look(path) ?? {}
  if (is !== undefined && is !== 'file') return false
  if (disk.look(layoutBeside(path, false).state)) return true
  return loadLock(path, owner, disk).got === 'lock'
}

/** What is owed by the locks in a folder, by calls that are not at work. Looks, and touches nothing. Throws StorageError. */
export function leftInLocks({ output, cwd }: SurveyedPlace, machine: Machine): LeftBehind[] {
  const { disk } = machine
  return locksIn(output, disk).flatMap(lock => {
    const workspaces = workspacesBeside(lock, { cwd, rehearsal: false, machine })
    if (seeHolder(workspaces.folders.claim, { disk, self: machine.self() })?.is === 'alive') return []
    const recorded = readRecorded(workspaces)
    // The call with that lock says so itself, and buys nothing.
    if ('got' in recorded) return []
    const written = disk.look(lock)?.changed ?? 0
    return recorded.purchases.flatMap(each => owedOf(each, { workspaces, lock, written }))
  })
}

interface Around {
  readonly workspaces: Workspaces
  readonly lock: string
  /** When the lock was written: no order of it is younger, as far as only the lock tells. */
  readonly written: number
}

function owedOf(purchase: Purchase, { workspaces, lock, written }: Around): LeftBehind[] {
  const owed = owedBy([purchase])
  const { address, recipe, sent } = purchase
  if (!owed || !isInside(address)) return []
  const since = sent?.at ?? (purchase.is === 'doubt' ? purchase.since : undefined) ?? written
  const about = { name: address, model: recipe.model, named: true, rehearsal: false, since }
  return [{ ...about, ...owed, workspaces, lock, isHeld: false }]
}

/** By their states, and where these did not come along, by their usual name. Absolute. */
function locksIn(folder: string, disk: Machine['disk']): string[] {
  const own = join(folder, ownFolder)
  const states = disk.look(own)?.is === 'folder' ? disk.list(own) : []
  const byState = states
    .filter(name => name.startsWith(prefix) && !name.endsWith(ofRehearsal))
    .map(name => name.slice(prefix.length))
  const files = disk.look(folder)?.is === 'folder' ? disk.list(folder) : []
  const byName = files.filter(
    name => name.endsWith('.lock.json') && !name.endsWith(`${ofRehearsal}.lock.json`),
  )
  return [...new Set([...byState, ...byName])]
    .toSorted()
    .map(name => join(folder, name))
    .filter(path => isLockOfCalls(path, { disk }))
}
