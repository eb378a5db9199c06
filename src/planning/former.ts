import { basename, dirname, extname, join, relative, resolve } from 'node:path'
import { defined } from '../base/defined.ts'
import type { Code } from '../base/diagnostic.ts'
import { fuller } from '../base/purchase.ts'
import { recipeKey } from '../store/cache/cache-text.ts'
import { readTextOn } from '../store/files/atomic-write.ts'
import type { Disk } from '../store/files/disk.ts'
import { stateFolder } from '../store/files/state-folder.ts'
import { isStorageError, StorageError } from '../store/files/storage-error.ts'
import { foldJournal, recordOf } from '../store/journal/fold.ts'
import { lineageOf, readJournal } from '../store/journal/journal.ts'
import type { JournalEntry } from '../store/journal/journal-text.ts'
import { type Lock, type LockDamage, type Locked, readLock, writeLock } from '../store/lock/lock.ts'
import { salvageLock } from '../store/lock/lock-salvage.ts'
import { shellWord } from '../text/shell-word.ts'
import { absolute, lockOf, stateOf, verdictsBeside, verdictsFileOf } from '../workspace/layout.ts'
import { type ProjectPlace, placeOf } from '../workspace/read/place.ts'
import { stateOfLineage } from '../workspace/records/lineage.ts'
import type { FormerName, Workspace } from '../workspace/workspace.ts'
import type { Refused } from './make-plan.ts'
import { isStranger, locksIn, missingLocksIn, statesBeside } from './near-locks.ts'
import { settingProblem } from './obstacles.ts'
import { isOwned, matchesAmong, openMatches, readProofs } from './proofs.ts'

/** A lock of the manifest under another name, with what belongs to that name. Paths are absolute. */
export interface Former {
  readonly path: string
  readonly lock: Lock
  readonly text: string
  /** The journal, and what else is this user's only. */
  readonly state: string
  /** Where the verdicts lie, if there are any. */
  readonly verdicts: string
  /** Where the files lie, if the manifest that is there now had the other name. */
  readonly output: string
  /** There is no such lock: it is what the journal knows, which was killed before it wrote one, or lost it. */
  readonly isJournal?: true
  /** The lock is there and cannot be read: what it still tells counts, and what the journal knows. */
  readonly damage?: LockDamage
  /** The manifest's own lock is there as well. */
  readonly isTwin?: true
}

/** Where the output folder is asked for beside the manifest. */
export interface FolderFlags {
  readonly cwd: string
  readonly output?: string
  readonly outputs?: string
}

/**
 * For a manifest without a lock: one in its project that names a manifest that is not there any more, and is about the same:
 * one recipe is the same, or all its jobs are there. For one whose lock came back, after all that belongs to it had gone along with
 * another name (a rename that version control undid): what has that name. Reads only. Throws StorageError, also where that lock has to be
 * mended first: what cannot be read in it would be bought again.
 */
export function findFormer(workspace: Workspace, asked: FolderFlags): Former | undefined {
  const own = readFormer(workspace.layout.lock, workspace, asked)
  if (own && own !== 'damaged' && isNamed(own, workspace)) return findTwin(own.lock.lineage, workspace, asked)
  const former = bestFormer(workspace, asked)
  if (former?.damage) throw unreadable(former, former.damage, workspace)
  return former
}

function bestFormer(workspace: Workspace, asked: FolderFlags): Former | undefined {
  const { layout, machine } = workspace
  const { disk } = machine
  // One that is there, and is no lock that could be gone on with: it is told as damaged.
  const paths = disk.look(layout.lock) ? [layout.lock] : locksIn(workspace)
  const journals = disk.look(layout.lock) ? [] : missingLocksIn(workspace)
  const formers = [...paths, ...journals].map(path => readAnyBefore(path, workspace, asked))
  const fitting = formers.flatMap(former => {
    if (!former || (former.damage && former.path === layout.lock) || !isGone(former, workspace)) return []
    const fit = fitOf(former, workspace)
    return fit > 0 && !hasItself(former, workspace) ? [{ former, fit }] : []
  })
  // Of those that fit as well the first is the nearest.
  return fitting.toSorted((a, b) => b.fit - a.fit)[0]?.former
}

/**
 * The manifest’s own journal, or the index of its results under its own name, knows all that the lock could have bought for it: it has
 * lost its lock, which is made anew from these, and bears no other name. What an attempt before this one took over from there is not
 * the manifest’s own yet.
 */
function hasItself({ lock: { jobs } }: Former, workspace: Workspace): boolean {
  const { layout, machine } = workspace
  const ids = new Set(jobs.map(({ id }) => id))
  const reading = readJournal(stateFolder(layout.state).journal, machine.disk)
  const proofs = readProofs(workspace)
  const own = [
    ...(reading.got === 'records' ? recordsAmong(reading.entries) : []),
    ...(proofs.isGuess ? [] : proofs.taken.flatMap(({ purchases }) => [...purchases.values()])),
  ].filter(each => isOwned(each) && !ids.has(each.id))
  if (own.length === 0) return false
  const count = openMatches(workspace)
  const keys = new Set(own.map(({ recipe }) => recipeKey(recipe)))
  const matches = count(new Map(own.map(each => [each.id, each])).values())
  const beyond = jobs.filter(({ recipe }) => !keys.has(recipeKey(recipe)))
  const options = new Set(workspace.manifest.jobs.map(job => job.address))
  const addresses = new Set(own.map(({ address }) => address))
  const areAllNamed = jobs.every(({ address }) => !options.has(address) || addresses.has(address))
  return areAllNamed && matches > 0 && matches >= count(jobs) && count(beyond) === 0
}

/**
 * For a manifest with a lock of its own, which may be damaged, as by a merge of a rename with other edits: what this machine has under the
 * former name. A lock that lies there as well is left alone. For one without: what goes with a damaged lock under the former name, which
 * becomes its own, to be mended. Reads only. Throws StorageError.
 */
export function findFormerState(workspace: Workspace, asked: FolderFlags): Former | undefined {
  const { layout, machine } = workspace
  const own = readFormer(layout.lock, workspace, asked)
  if (!own) {
    const former = bestFormer(workspace, asked)
    // What a newer genrun wrote is no damage.
    return former?.damage && former.damage.damage !== 'newer' ? former : undefined
  }
  if (own !== 'damaged' && !isNamed(own, workspace)) return undefined
  const { lineage } = own === 'damaged' ? salvageLock(readTextOn(machine.disk, layout.lock) ?? '') : own.lock
  const twin = lineage === undefined ? undefined : findTwin(lineage, workspace, asked)
  return twin && { ...twin, isJournal: true }
}

/** Of the same lineage, by a state beside the manifest's own, which knows nothing. */
function findTwin(lineage: string, workspace: Workspace, asked: FolderFlags): Former | undefined {
  const { layout, place, machine } = workspace
  const beside = statesBeside(workspace)
  // Mostly there is none, and a journal may be long.
  if (beside.length === 0) return undefined
  if (machine.disk.look(layout.state) && knowsPurchases(layout.state, machine.disk)) return undefined
  for (const name of beside) {
    const path = join(place.folder, `${name}.lock.json`)
    const twin = readAnyBefore(path, workspace, asked)
    if (!twin || twin.lock.lineage !== lineage) continue
    const reading = readJournal(stateFolder(twin.state).journal, machine.disk)
    const hasGone = reading.got === 'records' && lineageOf(reading.entries) === lineage
    if (hasGone && isGone(twin, workspace)) return { ...twin, isTwin: true }
  }
  return undefined
}

/** One that cannot be read may. */
function knowsPurchases(state: string, disk: Disk): boolean {
  const reading = readJournal(stateFolder(state).journal, disk)
  return reading.got !== 'records' || reading.entries.some(entry => 'purchase' in entry)
}

/** What was made without a manifest has a lock that names none. A journal does not say which ending its manifest had. */
function isGone({ path, lock: { manifest }, isJournal }: Former, { machine }: Workspace): boolean {
  const stem = basename(manifest, extname(manifest))
  const names = isJournal ? ['.yaml', '.yml', '.json'].map(ending => `${stem}${ending}`) : [manifest]
  return (
    /^[^/\\]+\.(ya?ml|json)$/i.test(manifest) &&
    names.every(name => machine.disk.look(join(dirname(path), name)) === undefined)
  )
}

/**
 * Where nothing that is asked for was bought only names are left. A job's name says something in the same folder, the manifest's
 * own in those above and below; across they are the same in many a campaign, and only both together say that it was moved.
 */
function fitOf({ path, lock: { jobs, manifest } }: Former, workspace: Workspace): number {
  const { place } = workspace
  const matches = matchesAmong(jobs, workspace)
  if (matches > 0 || jobs.length === 0 || isStranger(path, workspace)) return matches
  const isHere = dirname(path) === place.folder
  const isNamesake = manifest === basename(place.manifest)
  if (!isHere && !isNamesake) return 0
  const options = new Set(workspace.manifest.jobs.map(job => job.address))
  const isInLine = [relative(dirname(path), place.folder), relative(place.folder, dirname(path))].some(
    way => !way.startsWith('..'),
  )
  return (!isHere && isInLine) || jobs.every(job => options.has(job.address)) ? 1 : 0
}

/** Undefined when nothing is there. Throws StorageError. */
function readFormer(path: string, workspace: Workspace, asked: FolderFlags): Former | 'damaged' | undefined {
  const { disk } = workspace.machine
  let text: string
  try {
    text = disk.readAll(path).toString()
  } catch (error) {
    if (isStorageError(error, 'ENOENT')) return undefined
    throw error
  }
  const reading = readLock(text)
  if (reading.got === 'damaged') return 'damaged'
  const { lock } = reading
  const was = placeOf(join(dirname(path), lock.manifest))
  return { path, lock, text, ...placesBefore(was), output: outputBefore(workspace, was, asked) }
}

/** By its lock, or by its journal where there is none or it is damaged. Throws StorageError. */
function readAnyBefore(path: string, workspace: Workspace, asked: FolderFlags): Former | undefined {
  const former = readFormer(path, workspace, asked)
  if (former === 'damaged') return readDamagedBefore(path, workspace, asked)
  return former ?? readJournalBefore(path, workspace, asked)
}

/** The state beside a lock that cannot be read is not nobody's. Undefined where neither of the two tells a lineage. Throws StorageError. */
function readDamagedBefore(path: string, workspace: Workspace, asked: FolderFlags): Former | undefined {
  const text = readTextOn(workspace.machine.disk, path) ?? ''
  const reading = readLock(text)
  if (reading.got === 'lock') return undefined
  const salvaged = salvageLock(text)
  const journal = readJournalBefore(path, workspace, asked)
  const lineage = salvaged.lineage ?? journal?.lock.lineage
  if (lineage === undefined) return undefined
  const broken = salvaged.broken.flatMap(({ entry }) => entry ?? [])
  const known = journal?.lock.lineage === lineage ? journal.lock.jobs : []
  const jobs = new Map<string, Locked>()
  for (const each of [...broken, ...salvaged.purchases, ...known])
    jobs.set(each.id, fuller(each, jobs.get(each.id) ?? each))
  const was = { folder: dirname(path), stem: basename(path, '.lock.json') }
  const manifest = `${was.stem}${extname(workspace.place.manifest)}`
  return {
    path,
    lock: { lineage, manifest, jobs: [...jobs.values()] },
    text,
    ...placesBefore(was),
    output: outputBefore(workspace, was, asked),
    isJournal: true,
    damage: reading,
  }
}

function unreadable({ path }: Former, { damage, why }: LockDamage, { manifest }: Workspace): StorageError {
  const name = shellWord(manifest.file.name)
  const recover =
    damage === 'newer'
      ? ''
      : `\`genrun recover ${name}\` takes over what it still tells, and buys nothing; or `
  const remedy = `${recover}put it back from version control; \`genrun run ${name} --continue none\` begins anew`
  return new StorageError(
    path,
    'read',
    `${why}, and it looks like the lock of ${manifest.file.name} under its former name`,
    { remedy },
  )
}

/** What the journal of a state knows whose lock, by this path, is not there. Throws StorageError. */
function readJournalBefore(path: string, workspace: Workspace, asked: FolderFlags): Former | undefined {
  const was = { folder: dirname(path), stem: basename(path, '.lock.json') }
  const places = placesBefore(was)
  const { state } = places
  const reading = readJournal(stateFolder(state).journal, workspace.machine.disk)
  const lineage = reading.got === 'records' ? lineageOf(reading.entries) : undefined
  if (reading.got !== 'records' || lineage === undefined) return undefined
  const jobs = recordsAmong(reading.entries)
  if (jobs.length === 0) return undefined
  const lock = { lineage, manifest: `${was.stem}${extname(workspace.place.manifest)}`, jobs }
  const output = outputBefore(workspace, was, asked)
  return { path, lock, text: writeLock(lock), ...places, output, isJournal: true }
}

/** What may be paid for. */
function recordsAmong(entries: readonly JournalEntry[]): readonly Locked[] {
  return [...foldJournal(entries).values()].flatMap(history => {
    const record = recordOf(history)
    const isPaid = record && record.is !== 'open' && !(record.is === 'failed' && record.billed === 'no')
    return isPaid ? [record] : []
  })
}

function placesBefore(was: Pick<ProjectPlace, 'folder' | 'stem'>): Pick<Former, 'state' | 'verdicts'> {
  return { state: stateOf(was, false), verdicts: verdictsBeside(lockOf(was, false)) }
}

/** A manifest that says no name and no folder has those of its file. */
function outputBefore(
  { manifest, place }: Workspace,
  was: { readonly folder: string; readonly stem: string },
  asked: FolderFlags,
): string {
  const isByFile = manifest.name === basename(place.manifest, extname(place.manifest))
  const name = isByFile ? was.stem : manifest.name
  const { outputAt } = manifest
  const given = absolute(asked, { name, ...defined({ outputAt }) })
  return given ?? resolve(was.folder, outputAt ? manifest.output : `out/${name}`)
}

/** Whether the files lie where they lay under the former name. */
function isOutputBefore({ output }: Former, { layout, machine: { disk } }: Workspace): boolean {
  return output !== layout.output && disk.look(output) !== undefined && disk.look(layout.output) === undefined
}

/** The same workspace with everything where it lies under the former name: to look at. */
export function formerWorkspace(former: Former, workspace: Workspace): Workspace {
  const { disk } = workspace.machine
  const before = stateOfLineage(former.state, former.lock.lineage, disk)
  const state = disk.look(before) ? before : workspace.layout.state
  const output = isOutputBefore(former, workspace) ? former.output : workspace.layout.output
  const isJudgedBefore = disk.look(verdictsFileOf(workspace.layout)) === undefined
  // Of a damaged one all that can be read counts.
  const isOnlyLock = former.damage !== undefined && disk.look(workspace.layout.lock) === undefined
  const layout = {
    ...workspace.layout,
    state,
    output,
    ...(isOnlyLock && { lock: former.path }),
    ...(isJudgedBefore && { verdicts: former.verdicts }),
  }
  return { ...workspace, layout, folders: stateFolder(state) }
}

export function formerName(
  { path, lock, isJournal, isTwin }: Former,
  { place }: Workspace,
  { manifest }: { readonly manifest: string },
): FormerName {
  return {
    // As the manifest was named, which may be by a link.
    lock: join(dirname(manifest), relative(place.folder, path)),
    manifest: lock.manifest,
    now: basename(place.manifest),
    purchases: lock.jobs.length,
    ...defined({ isJournal, isTwin }),
  }
}

type FormerAsked =
  | { readonly got: 'former'; readonly former: Former }
  /** The manifest has the lock by now, or one that has to be mended before anything moves. */
  | { readonly got: 'settled' }
  | Refused

/** The lock that somebody says is the manifest's own. Throws StorageError. */
export function formerAsked(
  workspace: Workspace,
  asked: FolderFlags & { readonly continues: string },
): FormerAsked {
  const { place, layout } = workspace
  const { continues } = asked
  const path = resolve(asked.cwd, continues)
  const refuse = (code: Code, message: string, hint: string): Refused => ({
    got: 'refused',
    problems: [settingProblem({ name: 'continue', value: continues }, code, message, hint)],
  })
  const own = readFormer(layout.lock, workspace, asked)
  if (own === 'damaged') return { got: 'settled' }
  const isOwn = own !== undefined && isNamed(own, workspace)
  // The lock of that name may have moved along with the manifest, and knows more than its journal.
  const moved = own && !isOwn && wasAt(own, path) ? own : undefined
  const there = readFormer(path, workspace, asked)
  const damaged = there === 'damaged' && isOwn ? readDamagedBefore(path, workspace, asked) : undefined
  const former = damaged ?? there ?? moved ?? readJournalBefore(path, workspace, asked)
  if (former === undefined)
    return isOwn || readJournalBefore(layout.lock, workspace, asked)
      ? { got: 'settled' }
      : refuse('no-such-lock', 'there is no such lock', 'name the lock of the manifest under its former name')
  if (former === 'damaged')
    return refuse(
      'no-such-lock',
      'it is no lock, or a damaged one',
      `put it back from version control; or \`genrun recover ${shellWord(workspace.manifest.file.name)}\` takes over what can still be read of it`,
    )
  if (isNamed(former, workspace)) return { got: 'settled' }
  const { lock } = former
  if (isGone(former, workspace) && !isOwn && hasItself(former, workspace))
    return refuse(
      'lock-of-another',
      `${basename(place.manifest)} has bought itself what it asks for, and only its lock is not there`,
      'leave out --continue: what it has bought itself is taken up, and nothing is bought for it again',
    )
  if (!isGone(former, workspace))
    return refuse(
      'lock-of-another',
      `${lock.manifest} is still there, and this lock is its own`,
      'copy no lock',
    )
  if (isOwn && own.lock.lineage !== lock.lineage)
    return refuse(
      'lock-of-another',
      `${basename(place.manifest)} has a lock of its own, of other purchases`,
      'one of the two counts: move the other away',
    )
  return { got: 'former', former }
}

/** Whether it would lie at this path, by the manifest that it names. */
function wasAt({ path: here, lock: { manifest } }: Former, path: string): boolean {
  return join(dirname(here), `${basename(manifest, extname(manifest))}.lock.json`) === path
}

/** Whether a lock is the one of this very manifest. */
function isNamed({ path, lock }: Former, { place }: Workspace): boolean {
  return join(dirname(path), lock.manifest) === place.manifest
}
