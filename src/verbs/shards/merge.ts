import { dirname, join, relative } from 'node:path'
import type { JobAddress, PurchaseId } from '../../base/names.ts'
import { isResubmitted, type Purchase } from '../../base/purchase.ts'
import { shardText } from '../../base/shard.ts'
import type { Step } from '../../plan/shapes/step.ts'
import { isOwedElsewhere } from '../../planning/elsewhere.ts'
import type { Refused } from '../../planning/make-plan.ts'
import { openWorkspace, type WorkspaceRequest } from '../../planning/open-workspace.ts'
import { seeManifest } from '../../planning/see-manifest.ts'
import { withRecords } from '../../run/ledger/records.ts'
import { type Claim, type HolderSeen, seeHolder, takeClaim } from '../../store/claim/claim.ts'
import { readTextOn, removeQuietly } from '../../store/files/atomic-write.ts'
import { type Disk, makeFolders } from '../../store/files/disk.ts'
import { copyToPart } from '../../store/files/outputs.ts'
import { neededParts, openParts } from '../../store/files/parts.ts'
import { linkNew } from '../../store/files/publish.ts'
import { ownFolder } from '../../store/files/safe-path.ts'
import {
  refuseForeignState,
  removeFolders,
  type StateFolder,
  stateFolder,
} from '../../store/files/state-folder.ts'
import { StorageError } from '../../store/files/storage-error.ts'
import { foldJournal, isOver } from '../../store/journal/fold.ts'
import { readJournal } from '../../store/journal/journal.ts'
import { readResults } from '../../store/lock/results-text.ts'
import {
  areThereIn,
  type Beside,
  besideText,
  readBeside,
  recordsBeside,
} from '../../workspace/records/beside.ts'
import { type Busy, takenOverText } from '../../workspace/records/busy.ts'
import { foreignStates } from '../../workspace/records/lineage.ts'
import { type Damaged, readRecorded } from '../../workspace/records/recorded.ts'
import { withClaim } from '../../workspace/records/with-claim.ts'
import type { Workspace } from '../../workspace/workspace.ts'
import { joinRecords, type RecordSource, type Twice } from './join-records.ts'

/** What became of the records of shards. */
export interface MergeRecord {
  /** `3/16`, with how many purchases it told of. */
  readonly merged: readonly { readonly shard: string; readonly purchases: number }[]
  /** Purchases that the lock of the whole did not know, or not as they stand now. */
  readonly news: number
  readonly twice: readonly Twice[]
  /** Shards that another machine claims: what they told is taken in, and their records stay for what may come. */
  readonly left: readonly string[]
  /** From whom claims were taken over, in words. */
  readonly takenOver: readonly string[]
  /** Orders that a run would make now, as far as a plan can be drawn. */
  readonly open?: number
  /** Jobs that no record here has, and others know as paid for, with those that are made from their files. */
  readonly owed?: number
}

type MergeResult = Refused | Damaged | Busy | { readonly got: 'merged'; readonly record: MergeRecord }

interface MergeRequest extends Omit<WorkspaceRequest, 'shard'> {
  /** Takes the claims over, whoever holds them: for machines that are gone. */
  readonly takeClaim?: boolean
}

/**
 * Makes lock, state and index of all shards that lie beside a manifest one with its own. Sends nothing and buys nothing. What is
 * paid for stands in the records of the whole before anything of a shard's is taken away, so that a crash at any point loses
 * nothing and the same command goes on; done twice it is the same.
 */
export async function mergeShards(request: MergeRequest): Promise<MergeResult> {
  const workspace = openWorkspace(request)
  if ('got' in workspace) return workspace
  const { takeClaim: force = false } = request
  const result = await mergeWorkspace(workspace, force)
  if (result.got !== 'merged') return result
  const seen = seeManifest(request)
  if (seen.got !== 'seen') return result
  const { steps, buys } = seen.planned.plan
  const owed = owedAmong(steps)
  return { got: 'merged', record: { ...result.record, open: buys - owed, ...(owed > 0 && { owed }) } }
}

/** What is made from a file that is paid for is asked about when that is there. Steps come after what they need. */
function owedAmong(steps: readonly Step[]): number {
  const owed = new Set<JobAddress>()
  for (const step of steps) {
    if (step.do !== 'buy') continue
    if (isOwedElsewhere(step) || step.job.needs.some(need => owed.has(need))) owed.add(step.job.address)
  }
  return owed.size
}

/** The same for a manifest that is read already. */
export function mergeWorkspace(workspace: Workspace, force: boolean): Promise<MergeResult> {
  return withClaim<MergeResult>(workspace, claim => mergeNow(workspace, claim, force), force)
}

/** A shard with what its records tell. */
interface Told extends RecordSource {
  readonly beside: Beside
  readonly lineages: readonly string[]
  /** Its state, and what was set aside beside it. */
  readonly states: readonly string[]
  /** Somebody may hold it whom nobody here can see. */
  readonly isHeld: boolean
}

async function mergeNow(workspace: Workspace, claim: Claim, force: boolean): Promise<MergeResult> {
  const { layout, folders, machine, manifest } = workspace
  const { disk } = machine
  const shards: Told[] = []
  const takenOver = claim.from ? [takenOverText(claim.from)] : []
  const isThere = ({ lock }: Beside['layout']) => disk.look(lock) !== undefined
  for (const beside of recordsBeside(workspace)) {
    refuseForeignState(disk, beside.layout.state)
    const holder = force ? await takeOver(beside, workspace) : undefined
    if (holder) takenOver.push(`shard ${nameOf(beside)}: ${takenOverText(holder)}`)
    const told = toldBy(workspace, beside, holder !== undefined)
    if ('got' in told) return told
    if (told.states.length > 0 || isThere(beside.layout)) shards.push(told)
  }
  const recorded = readRecorded(workspace)
  if ('got' in recorded) return recorded
  const whole = { name: besideText({}), purchases: recorded.purchases, over: overIn(folders, disk) }
  const { news, ended, twice } = joinRecords(whole, shards, {
    wanted: new Set(manifest.jobs.map(({ address }) => address)),
    areThere: areThereIn(layout, disk),
  })
  const states = shards.flatMap(told => told.states)
  for (const state of states) refuseForeignState(disk, state)
  for (const state of states) await takeIn(stateFolder(state), folders, disk)
  if (news.length + ended.length > 0)
    await withRecords(workspace, { recorded, claim }, async ({ ledger, close }) => {
      const over = { is: 'over' } as const
      await Promise.all([
        ...news.map(each => ledger.stands(each)),
        ...ended.map(purchase => ledger.append({ kind: 'RESOLVE', purchase, decision: over })),
      ])
      await close()
    })
  const merged = shards.filter(({ purchases, beside }) => purchases.length > 0 || isThere(beside.layout))
  const done = shards.filter(({ isHeld }) => !isHeld)
  const known = [...recorded.purchases, ...shards.flatMap(({ purchases }) => purchases), ...news]
  for (const told of done) await clear(told, workspace, known)
  return {
    got: 'merged',
    record: {
      merged: merged.map(({ beside, purchases }) => ({
        shard: nameOf(beside),
        purchases: purchases.length,
      })),
      news: news.length,
      twice,
      left: shards.filter(({ isHeld }) => isHeld).map(({ beside }) => nameOf(beside)),
      takenOver,
    },
  }
}

function nameOf({ shard }: Beside): string {
  return shard ? shardText(shard) : ''
}

/** From whom, where somebody held it. A process that is there all the same notices, and buys nothing more. Rejects with StorageError. */
async function takeOver({ folders }: Beside, { machine }: Workspace): Promise<HolderSeen | undefined> {
  const { disk, clock, random, self } = machine
  const holder = seeHolder(folders.claim, { disk, self: self() })
  if (!holder) return undefined
  const taken = await takeClaim(folders.claim, { disk, clock, random, self: self(), force: true })
  if (taken.got === 'claim') await taken.claim.release()
  return holder
}

function toldBy(workspace: Workspace, beside: Beside, isHeld: boolean): Told | Damaged {
  const { disk } = workspace.machine
  const { state } = beside.layout
  const all = readBeside(workspace, beside)
  if ('got' in all) return { ...all, hint: damagedHint }
  const others = foreignStates(state, all[0]?.lock.lineage ?? '', disk).map(({ folder }) => folder)
  const states = [...new Set([...(disk.look(state) ? [state] : []), ...others])]
  return {
    name: besideText(beside),
    beside,
    isHeld,
    states,
    lineages: all.map(({ lock }) => lock.lineage),
    // Of what was not sent nothing is owed but what a person waits for, which stands in no lock.
    purchases: all.flatMap(({ purchases }) =>
      purchases.filter(each => each.is !== 'open' || isResubmitted(each)),
    ),
    over: new Set(states.flatMap(each => [...overIn(stateFolder(each), disk)])),
  }
}

const damagedHint =
  'put it back from where it came, or move it away: recovering finds what its files cost in the output folder'

function overIn({ journal }: StateFolder, disk: Disk): Set<PurchaseId> {
  const reading = readJournal(journal, disk)
  const histories = reading.got === 'records' ? [...foldJournal(reading.entries)] : []
  return new Set(histories.flatMap(([id, history]) => (isOver(history) ? [id] : [])))
}

/** Gives what is kept and spooled there a second name here: the first goes when the records of both are one. */
async function takeIn(from: StateFolder, to: StateFolder, disk: Disk): Promise<void> {
  await linkAll(from.spool, to.spool, disk)
  await linkAll(from.kept, to.kept, disk)
}

async function linkAll(from: string, to: string, disk: Disk): Promise<void> {
  if (disk.look(from)?.is !== 'folder') return
  const names = disk.list(from)
  if (names.length === 0) return
  await makeFolders(disk, to, 0o700)
  for (const name of names) {
    const [old, next] = [join(from, name), join(to, name)]
    const is = disk.look(old)?.is
    if (is === 'folder') await linkAll(old, next, disk)
    // A link is none of genrun's: it may lead anywhere.
    else if (is === 'file') await linkOne(old, next, disk)
  }
  await disk.syncFolder(to)
}

/** Names hold the digest of what they name, or a word that is drawn once: what has one already, and as many bytes, is the same. */
async function linkOne(old: string, next: string, disk: Disk): Promise<void> {
  const there = disk.look(next)
  if (there && there.bytes === disk.look(old)?.bytes) return
  if (there) throw new StorageError(next, 'link', 'another file is there already', 'EEXIST')
  if (linkNew(disk, old, next) === 'no-link') await copyToPart(old, next, disk)
}

/** Takes away what is the whole's by now: the lock first, then the index, parts that nothing waits for, and the state. */
async function clear(
  { beside, lineages, states }: Told,
  { layout, machine: { disk } }: Workspace,
  known: readonly Purchase[],
): Promise<void> {
  const { lock, state } = beside.layout
  if (disk.look(lock)) {
    disk.remove(lock)
    await disk.syncFolder(dirname(lock))
  }
  const folder = join(layout.output, ownFolder)
  const ids = new Set(known.map(({ id }) => id))
  for (const lineage of lineages) removeIndex(join(folder, `results-${lineage}.jsonl`), lineage, ids, disk)
  const parts = openParts({ folder, owner: relative(layout.output, state), token: '', disk })
  parts.sweep(neededParts(known))
  for (const each of states) removeFolders(disk, each)
  for (const each of new Set(states.map(each => dirname(each)))) await disk.syncFolder(each)
}

/** Not one that tells of more than the records do: `genrun recover` takes that up. */
function removeIndex(path: string, lineage: string, known: ReadonlySet<PurchaseId>, disk: Disk): void {
  const text = readTextOn(disk, path)
  if (text === undefined) return
  const { purchases, broken } = readResults(text, lineage)
  const isAllKnown = broken.length === 0 && [...purchases.keys()].every(id => known.has(id))
  if (isAllKnown) removeQuietly(disk, path)
}
