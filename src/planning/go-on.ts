import { basename, dirname } from 'node:path'
import { takeClaim } from '../store/claim/claim.ts'
import { writeAtomically } from '../store/files/atomic-write.ts'
import { type Disk, makeFolders } from '../store/files/disk.ts'
import { findSaved } from '../store/files/outputs.ts'
import { findPlace, makePlace } from '../store/files/safe-path.ts'
import { refuseForeignState, stateFolder } from '../store/files/state-folder.ts'
import { StorageError } from '../store/files/storage-error.ts'
import { lineageOf, readJournal } from '../store/journal/journal.ts'
import { type Lock, writeLock } from '../store/lock/lock.ts'
import { verdictsFileOf } from '../workspace/layout.ts'
import { type Busy, busy } from '../workspace/records/busy.ts'
import { findAside } from '../workspace/records/lineage.ts'
import { type Damaged, damaged, readRecorded } from '../workspace/records/recorded.ts'
import { withClaim } from '../workspace/records/with-claim.ts'
import type { RunRequest, Workspace } from '../workspace/workspace.ts'
import { refusedAsLost, renamed } from './check-records.ts'
import { type Former, findFormer, formerAsked, formerName } from './former.ts'
import type { Refused } from './make-plan.ts'
import { settingProblem } from './obstacles.ts'
import { unmark } from './unknown.ts'
import { unmergedBefore, unmergedProblem } from './unmerged.ts'

/**
 * Before a run: takes over what belongs to the manifest's former name, where that is asked for or a person says so.
 * Undefined when the run may begin.
 */
export async function settleRecords(
  workspace: Workspace,
  request: RunRequest,
): Promise<Refused | Damaged | Busy | undefined> {
  const { continues, confirmFormer } = request
  try {
    const unmerged = unmergedProblem(workspace)
    if (unmerged) return { got: 'refused', problems: [unmerged] }
    if (workspace.layout.rehearsal) return undefined
    if (continues === 'none') {
      unmark(workspace)
      return undefined
    }
    if (continues !== undefined) {
      const former = formerAsked(workspace, { ...request, continues })
      if (former.got === 'refused') return former
      const forgotten = former.got === 'former' && unmergedBefore(former.former, workspace)
      if (forgotten) return { got: 'refused', problems: [forgotten] }
      return former.got === 'former' ? await goOnWith(former.former, workspace) : undefined
    }
    const former = findFormer(workspace, request)
    if (!former) {
      const lost = refusedAsLost(workspace, request)
      if (!lost) unmark(workspace)
      return lost
    }
    const forgotten = unmergedBefore(former, workspace)
    if (forgotten) return { got: 'refused', problems: [forgotten] }
    const name = formerName(former, workspace, request)
    const isConfirmed = (await confirmFormer?.(name)) === true && !request.stop.aborted
    return isConfirmed ? await goOnWith(former, workspace) : renamed(name, request)
  } catch (trouble) {
    if (!(trouble instanceof StorageError)) throw trouble
    return damaged(trouble)
  }
}

/**
 * Gives a manifest that was renamed what is known and lies there under its former name: verdicts, files, state, lock, in this order,
 * while no genrun is at work on either. Each step is passed over when it is done already, and the old lock goes last, so
 * that after a crash the same command goes on. Undefined when it is done. Rejects with StorageError.
 */
export async function goOnWith(
  former: Former,
  workspace: Workspace,
): Promise<Refused | Damaged | Busy | undefined> {
  const { layout, machine, place } = workspace
  const own = stateOf(layout.state, former, machine.disk)
  if (own === 'other') return hasState(workspace)
  const { disk } = machine
  const isThere = disk.look(former.state) || findAside(former.state, former.lock.lineage, disk)
  // Moved by an attempt before this one, or never there.
  const isMoved = own === 'moved' || !isThere
  const state = isMoved ? layout.state : former.state
  const where = { layout: { ...layout, lock: former.path, state }, folders: stateFolder(state), machine }
  return withClaim<Damaged | Busy | undefined>(where, async () => {
    // What cannot be read may be another lineage's, with this one set aside beside it: they are told apart where they are.
    const known = readRecorded(
      { ...workspace, ...where },
      { got: 'lock', lock: former.lock, text: former.text },
    )
    if ('got' in known) return known
    if (!isMoved && own === 'empty') {
      const stopped = await clearState(workspace)
      if (stopped) return stopped
    }
    // Before the rest: where they cannot be read nothing has moved.
    const { takeOverVerdicts } = await import('../store/verdicts/take-over-verdicts.ts')
    await takeOverVerdicts(former.verdicts, { path: verdictsFileOf(layout), manifest: place.manifest, disk })
    await moveFiles(former, workspace)
    if (!isMoved) await moveState(former, workspace)
    await moveLock(former, workspace)
    return undefined
  })
}

/** What the state folder of the new name holds. */
function stateOf(state: string, { lock }: Former, disk: Disk): 'none' | 'empty' | 'moved' | 'other' {
  if (!disk.look(state)) return 'none'
  const reading = readJournal(stateFolder(state).journal, disk)
  if (reading.got !== 'records') return 'other'
  const hasPurchases = reading.entries.some(entry => 'purchase' in entry)
  if (lineageOf(reading.entries) === lock.lineage) return 'moved'
  return hasPurchases ? 'other' : 'empty'
}

function hasState({ place, layout }: Workspace): Refused {
  const name = basename(place.manifest)
  const message = `${name} has bought something already: the journal in ${layout.state} knows of it`
  const hint = '--continue none goes on with that; or settle it, and move that folder away'
  return {
    got: 'refused',
    problems: [settingProblem({ name: 'continue', value: name }, 'lock-of-another', message, hint)],
  }
}

/** What a command left there that bought nothing makes room. */
async function clearState({ layout, folders, machine }: Workspace): Promise<Busy | undefined> {
  const { disk, clock, random, self } = machine
  refuseForeignState(disk, layout.state)
  const claimed = await takeClaim(folders.claim, { disk, clock, random, self: self() })
  if (claimed.got === 'busy') return busy(claimed.holder)
  for (let number = 1; ; number++) {
    const aside = `${layout.state}.before-${number}`
    if (disk.look(aside)) continue
    disk.rename(layout.state, aside)
    await disk.syncFolder(dirname(layout.state))
    return undefined
  }
}

/** The whole folder in one step; where both are there, each file whose new place is free. */
async function moveFiles(former: Former, { layout, machine: { disk } }: Workspace): Promise<void> {
  const [from, to] = [former.output, layout.output]
  if (from === to || disk.look(from)?.is !== 'folder') return
  if (disk.look(to)) return moveEach(former.lock, from, to, disk)
  await makeFolders(disk, dirname(to))
  disk.rename(from, to)
  await disk.syncFolder(dirname(to))
  if (dirname(from) !== dirname(to)) await disk.syncFolder(dirname(from))
}

async function moveEach({ jobs }: Lock, from: string, to: string, disk: Disk): Promise<void> {
  const files = jobs.flatMap(each => (each.is === 'done' && !each.aside ? each.files : []))
  for (const file of files) {
    const isFree = findSaved(file, to, disk) === 'missing' && findSaved(file, from, disk) === 'same'
    const old = isFree ? findPlace(disk, from, file.path) : undefined
    if (old === undefined) continue
    const place = await makePlace(disk, to, file.path)
    disk.rename(old, place)
    await disk.syncFolder(dirname(place))
  }
}

async function moveState(former: Former, { layout, folders, machine }: Workspace): Promise<void> {
  const { disk, clock, random, self } = machine
  await makeFolders(disk, dirname(layout.state), 0o700)
  disk.rename(former.state, layout.state)
  await disk.syncFolder(dirname(layout.state))
  if (dirname(former.state) !== dirname(layout.state)) await disk.syncFolder(dirname(former.state))
  // Our claim moved along, and can only be given back from where it is now.
  const claimed = await takeClaim(folders.claim, { disk, clock, random, self: self(), force: true })
  if (claimed.got === 'claim') await claimed.claim.release()
}

async function moveLock(former: Former, { layout, place, machine: { disk } }: Workspace): Promise<void> {
  const lock = { ...former.lock, manifest: basename(place.manifest) }
  const isThere = former.path !== layout.lock && disk.look(layout.lock) !== undefined
  // One that is there has the same lineage, and may know more by now. A damaged one is mended where it comes to lie.
  if (!isThere) await writeAtomically(disk, layout.lock, former.damage ? former.text : writeLock(lock))
  const isLeft = former.damage ? isThere : former.isJournal
  if (former.path === layout.lock || isLeft) return
  disk.remove(former.path)
  await disk.syncFolder(dirname(former.path))
}
