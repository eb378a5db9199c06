import { basename, dirname, join, relative } from 'node:path'
import type { DonePurchase, Purchase } from '../base/purchase.ts'
import { isJobStep, type Plan } from '../plan/shapes/step.ts'
import { readTextOn } from '../store/files/atomic-write.ts'
import type { Disk } from '../store/files/disk.ts'
import { ifReadable } from '../store/files/storage-error.ts'
import { foldJournal, recordOf } from '../store/journal/fold.ts'
import { readJournal } from '../store/journal/journal.ts'
import { type Lock, readLock } from '../store/lock/lock.ts'
import { isOneWork, isProjectRoot } from '../workspace/read/place.ts'
import type { Workspace } from '../workspace/workspace.ts'
import { matchesAmong, openMatches } from './proofs.ts'

/** A manifest that is there, and has what another asks for. */
export interface Original {
  readonly manifest: string
  /** Its lock, seen from the folder of the other one. */
  readonly lock: string
  /** So many purchases are what is asked for. */
  readonly purchases: number
}

/**
 * For a manifest without a lock: the one near it that has most of what it asks for, and is there as well. It may be a copy, which is
 * nobody's other name: what it asks for is bought for it. Reads only. Throws StorageError.
 */
export function findOriginal(workspace: Workspace): Original | undefined {
  const { place, machine } = workspace
  const found = locksIn(workspace).flatMap((path): Original[] => {
    const reading = readLock(readTextOn(machine.disk, path) ?? '')
    if (reading.got !== 'lock') return []
    const { manifest, jobs } = reading.lock
    const isThere = machine.disk.look(join(dirname(path), manifest)) !== undefined
    const purchases = isThere ? matchesAmong(jobs, workspace) : 0
    return purchases > 0 ? [{ manifest, lock: relative(place.folder, path), purchases }] : []
  })
  return found.toSorted((a, b) => b.purchases - a.purchases)[0]
}

/**
 * For a manifest with records of its own, which would buy: the one in its folder that has bought that already, where more of what it asks
 * for is known there than here, or all of it, and as much that it has itself is asked for no more. The two may have each other's names:
 * what is bought goes with the name of its lock. Reads only. Throws StorageError.
 */
export function findSwapped(
  workspace: Workspace,
  { steps, buys }: Plan,
  own: readonly Purchase[],
): Original | undefined {
  const { place, layout, manifest, machine } = workspace
  const { disk } = machine
  const used = new Set(
    steps.flatMap(step => ('entry' in step ? step.entry.id : 'purchase' in step ? step.purchase.id : [])),
  )
  const inPlace = own.filter((each): each is DonePurchase => each.is === 'done' && !each.aside)
  // Of what is not selected a plan tells nothing: by what it asks for the manifest has it.
  const isNarrow = steps.filter(isJobStep).length < manifest.jobs.length
  const kept = isNarrow ? openMatches(workspace)(inPlace) : 0
  const had = Math.max(
    kept,
    steps.filter(step => isJobStep(step) && step.do !== 'buy' && step.do !== 'hold').length,
  )
  const left = isNarrow ? inPlace.length - kept : inPlace.filter(({ id }) => !used.has(id)).length
  const isChanged = buys > 1 && left >= buys
  if (had >= buys && !isChanged) return undefined
  const bought = steps.flatMap(step => (step.do === 'buy' ? [step.job] : []))
  const matchesIn = openMatches({ ...workspace, manifest: { ...manifest, jobs: bought } })
  const locks = namesIn(place.folder, disk)
    .filter(name => name.endsWith('.lock.json') && !name.endsWith('.preview.lock.json'))
    .map(name => join(place.folder, name))
  const found = [...locks, ...unlockedIn(place.folder, disk)].flatMap((path): Original[] => {
    const its = path === layout.lock ? undefined : boughtBy(path, disk)
    const purchases = its ? matchesIn(its.jobs) : 0
    const isMore = purchases > had || (isChanged && purchases >= buys)
    return its && purchases > 0 && isMore
      ? [{ manifest: its.manifest, lock: relative(place.folder, path), purchases }]
      : []
  })
  return found.toSorted((a, b) => b.purchases - a.purchases)[0]
}

/** Where the locks would be of manifests that are there, have a state, and no lock. */
function unlockedIn(folder: string, disk: Disk): string[] {
  const own = join(folder, '.genrun')
  if (!isFolder(own, disk)) return []
  return foldersIn(own, disk)
    .filter(state => !isOfNoManifest.test(basename(state)))
    .map(state => join(folder, `${basename(state)}.lock.json`))
    .filter(path => disk.look(path) === undefined)
}

/** What the manifest of a lock has, which is there: by the lock, or by its journal where that is all. */
function boughtBy(path: string, disk: Disk): Pick<Lock, 'manifest' | 'jobs'> | undefined {
  const reading = readLock(readTextOn(disk, path) ?? '')
  if (reading.got === 'lock') {
    const { manifest } = reading.lock
    const isThere = disk.look(join(dirname(path), manifest)) !== undefined
    return isThere ? reading.lock : undefined
  }
  const stem = basename(path, '.lock.json')
  const manifest = endings.slice(1).find(ending => disk.look(join(dirname(path), `${stem}${ending}`)))
  const journal = manifest && readJournal(join(dirname(path), '.genrun', stem, 'journal'), disk)
  if (!journal || journal.got !== 'records') return undefined
  const records = [...foldJournal(journal.entries).values()].flatMap(history => recordOf(history) ?? [])
  return { manifest: `${stem}${manifest}`, jobs: records.flatMap(each => (each.is === 'open' ? [] : [each])) }
}

/** In the manifest's own folder and those beside, above and right below it, as far as the project goes. */
export function locksIn(workspace: Workspace): string[] {
  const { layout, machine } = workspace
  const { disk } = machine
  const locks = foldersNear(workspace).flatMap(folder =>
    namesIn(folder, disk)
      .filter(name => name.endsWith('.lock.json') && !name.endsWith('.preview.lock.json'))
      .map(name => join(folder, name))
      .toSorted(),
  )
  return locks.filter(path => path !== layout.lock && disk.look(path)?.is !== 'folder')
}

/**
 * There, too: where locks would lie of states that have none, nor their manifest any more. Not of rehearsals, of shards, of calls
 * without a manifest, or of what was set aside; and nothing behind a link, as no state is.
 */
export function missingLocksIn(workspace: Workspace): string[] {
  const { layout, machine } = workspace
  const { disk } = machine
  return foldersNear(workspace)
    .map(folder => join(folder, '.genrun'))
    .filter(own => isFolder(own, disk))
    .flatMap(own => foldersIn(own, disk))
    .filter(state => state !== layout.state && !isOfNoManifest.test(basename(state)))
    .map(state => join(dirname(dirname(state)), basename(state)))
    .filter(place => endings.every(ending => disk.look(`${place}${ending}`) === undefined))
    .map(place => `${place}.lock.json`)
}

/** Names of manifests that have a state beside this one's own. */
export function statesBeside({ layout, machine: { disk } }: Workspace): string[] {
  const all = dirname(layout.state)
  if (!isFolder(all, disk)) return []
  return namesIn(all, disk)
    .filter(name => name !== basename(layout.state) && !isOfNoManifest.test(name) && !name.startsWith('.'))
    .toSorted()
}

const endings = ['.lock.json', '.yaml', '.yml', '.json']

const isOfNoManifest = /^(once|generate)-|\.(preview|\d+-of-\d+|before-\d+|[0-9a-f]{12}(-\d+)?)$/

function foldersNear({ place, machine: { disk } }: Workspace): string[] {
  const near = new Set<string>()
  for (let here = place.folder; ; here = dirname(here)) {
    for (const folder of [here, ...foldersIn(here, disk)]) near.add(folder)
    if (here === place.root || dirname(here) === here || near.size > mostFolders) break
  }
  // Where nothing says how far the project goes, it may begin one folder above, and have more folders there.
  if (!isProjectRoot(place.root)) for (const folder of above(place.folder, disk)) near.add(folder)
  return [...near].slice(0, mostFolders)
}

/** Whether a lock lies in another folder beside the manifest's, without a word that both belong together. */
export function isStranger(lock: string, { place }: Pick<Workspace, 'place'>): boolean {
  const folder = dirname(lock)
  return folder !== place.folder && dirname(folder) === dirname(place.folder) && !isProjectRoot(place.root)
}

function above(folder: string, disk: Disk): string[] {
  const parent = dirname(folder)
  return isOneWork(parent) ? [parent, ...foldersIn(parent, disk)] : [parent]
}

/** A project with more folders than that has its manifests nearer than the last of them. */
const mostFolders = 2000

function foldersIn(folder: string, disk: Disk): string[] {
  return namesIn(folder, disk)
    .filter(name => !name.startsWith('.') && name !== 'node_modules')
    .map(name => join(folder, name))
    .filter(path => isFolder(path, disk))
    .toSorted()
}

/** None where nobody may look: no lock there is this user's. */
function namesIn(folder: string, disk: Disk): readonly string[] {
  return ifReadable(() => disk.list(folder)) ?? []
}

function isFolder(path: string, disk: Disk): boolean {
  return ifReadable(() => disk.look(path))?.is === 'folder'
}
