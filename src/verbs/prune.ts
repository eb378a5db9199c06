import { join } from 'node:path'
import { defined } from '../base/defined.ts'
import type { Digest, JobAddress, PurchaseId } from '../base/names.ts'
import { foldPath } from '../base/output-name.ts'
import {
  type DonePurchase,
  type FailedPurchase,
  namesOf,
  type Purchase,
  paidFiles,
  writtenFiles,
} from '../base/purchase.ts'
import type { SavedFile } from '../base/state.ts'
import { restBase } from '../plan/shapes/share.ts'
import type { PlannedRun, Refused } from '../planning/make-plan.ts'
import type { WorkspaceRequest } from '../planning/open-workspace.ts'
import { seeManifest } from '../planning/see-manifest.ts'
import { actUnderClaim } from '../run/ledger/act-under-claim.ts'
import { answersBeyond, removeAnswers } from '../run/results/gate-answers.ts'
import { removeQuietly } from '../store/files/atomic-write.ts'
import { type Found, findSaved, keptCopies, keptName, verifySaved } from '../store/files/outputs.ts'
import { StorageError } from '../store/files/storage-error.ts'
import type { Busy } from '../workspace/records/busy.ts'
import { resultsOfOthers } from '../workspace/records/others-results.ts'
import { type Damaged, damaged } from '../workspace/records/recorded.ts'
import type { Recorded, Workspace } from '../workspace/workspace.ts'

/** What happens to one entry of the lock that has no job any more. */
export interface PruneRecord {
  readonly address: JobAddress
  /** It was put aside: its files lie in the folder of what is kept, where these paths count from. */
  readonly aside?: true
  /** `same` is removed; `altered` is no longer genrun's and stays; `shared` belongs to another job by now, or to another manifest. */
  readonly files: readonly { readonly path: string; readonly is: Found | 'shared' }[]
  /** Paid for and not finished, or in doubt: it is not forgotten. */
  readonly kept?: string
  /** It failed, and may be billed: asked for again, it is bought. */
  readonly mayBeBilled?: true
  /** None of its files is here, and its service may still have them: once it is forgotten, nobody fetches them. */
  readonly mayBeFetched?: true
  /** Only what lies aside of a result that has its place: that, and its entry, stay. */
  readonly copies?: true
}

type PruneResult =
  | Refused
  | Damaged
  | Busy
  | {
      readonly got: 'pruned'
      readonly isDone: boolean
      readonly entries: readonly PruneRecord[]
      /** Takes beyond those that the manifest asks for, which nobody picked and nothing is made from. They stay. */
      readonly further: readonly JobAddress[]
      /** So many results lie aside, or are put aside by the next run, and stay. */
      readonly aside: number
      /** So many answers of gates about files that nothing has any more: they go. */
      readonly answers: number
    }

interface PruneRequest extends WorkspaceRequest {
  /** False: it is only said what would be removed. */
  readonly isConfirmed: boolean
  /** Takes that are more than the manifest asks for are removed as well. */
  readonly takes?: boolean
  /** What was put aside, or is by the next run, is removed as well: after that, an edit that is taken back buys again. */
  readonly aside?: boolean
}

/**
 * Removes what is no longer in the manifest from lock, journal and disk; without `isMeant` it only says what it would do.
 * A file that genrun did not make, or that was altered since, is never touched (docs/contract.md P15). A job keeps every
 * take (`redo` orders them on purpose): those go only when it is asked for.
 */
export async function pruneManifest(request: PruneRequest): Promise<PruneResult> {
  if (request.isConfirmed) return pruneNow(request)
  const seen = seeManifest(request)
  if (seen.got !== 'seen') return seen
  try {
    const { entries, ...left } = await recordsOf(seen, request)
    const answers = answersLeft(seen, entries).length
    return { got: 'pruned', isDone: false, entries: entries.map(told), ...left, answers }
  } catch (trouble) {
    if (!(trouble instanceof StorageError)) throw trouble
    return damaged(trouble)
  }
}

function pruneNow(request: PruneRequest): Promise<PruneResult> {
  return actUnderClaim(request, async ({ workspace, recorded, planned, ledger }): Promise<PruneResult> => {
    const { entries, ...left } = await recordsOf({ workspace, recorded, planned }, request)
    for (const { purchase, files, kept, aside, copies } of entries) {
      if (kept !== undefined) continue
      const root = aside ? workspace.folders.kept : workspace.layout.output
      for (const { path, is } of files)
        if (is === 'same') removeQuietly(workspace.machine.disk, join(root, path))
      if (copies) continue
      // Files first: after a crash in between the entry is still there to be pruned.
      await ledger.append({ kind: 'RESOLVE', purchase, decision: { is: 'over' } })
    }
    const answers = answersLeft({ workspace, recorded }, entries)
    removeAnswers(workspace.layout.state, answers, workspace.machine.disk)
    return { got: 'pruned', isDone: true, entries: entries.map(told), ...left, answers: answers.length }
  })
}

interface Sight {
  readonly workspace: Workspace
  readonly recorded: Recorded
  readonly planned: PlannedRun
}

interface Pruned extends PruneRecord {
  readonly purchase: PurchaseId
}

function told(pruned: Pruned): PruneRecord {
  const { purchase: _, ...record } = pruned
  return record
}

/** What gates said of files that no purchase has once these are gone. */
function answersLeft(
  { workspace, recorded }: Omit<Sight, 'planned'>,
  entries: readonly Pruned[],
): readonly string[] {
  const { layout, machine } = workspace
  const gone = new Set(
    entries.flatMap(({ purchase, kept, copies }) => (kept === undefined && !copies ? [purchase] : [])),
  )
  const staying = recorded.purchases.filter(({ id }) => !gone.has(id)).flatMap(writtenFiles)
  return answersBeyond(layout.state, new Set(staying.map(({ digest }) => digest)), machine.disk)
}

async function recordsOf(
  { workspace, recorded, planned }: Sight,
  { takes = false, aside = false }: PruneRequest,
): Promise<{
  readonly entries: readonly Pruned[]
  readonly further: readonly JobAddress[]
  readonly aside: number
}> {
  const dropped = planned.plan.steps.filter(step => step.do === 'drop')
  // What an edit is about to put aside is as if it lay there: taken back, the edit gives it back.
  const former = dropped.flatMap(({ isFormer, purchase }) => (isFormer ? [purchase] : []))
  const left = dropped.flatMap(({ isFormer, purchase }) => (isFormer ? [] : [purchase]))
  const surplus = surplusTakes(planned, workspace)
  const drops: readonly Purchase[] = [...left, ...(takes ? surplus : []), ...(aside ? former : [])]
  const gone = new Set(drops.map(({ id }) => id))
  const inUse = new Set(recorded.purchases.flatMap(each => (gone.has(each.id) ? [] : namesOf(each))))
  const othersAt = resultsOfOthers(workspace, recorded.lock.lineage)
  const isShared = ({ path, digest }: SavedFile) =>
    inUse.has(foldPath(path)) || othersAt(path)?.digest === digest
  const { disk } = workspace.machine
  const entries: Pruned[] = []
  for (const purchase of drops) {
    const kept = keptText(purchase)
    const files = []
    for (const file of paidFiles(purchase)) {
      const is = isShared(file) ? ('shared' as const) : await verifySaved(file, workspace.layout.output, disk)
      files.push({ path: file.path, is })
    }
    entries.push({
      purchase: purchase.id,
      address: purchase.address,
      files,
      ...defined({ kept }),
      ...(purchase.is === 'failed' && files.length === 0 && { mayBeBilled: true }),
      ...fetchable(purchase, files),
    })
  }
  const lying = asideAmong(recorded, planned)
  // Of equal files there is one.
  const asked = new Set(keptFor(recorded, new Set([...gone, ...lying.map(({ id }) => id)]), workspace))
  const copiesOf = keptCopies(workspace.folders.kept, disk)
  const seen = new Set(lying.flatMap(({ files }) => files.map(({ digest }) => digest)))
  for (const purchase of aside ? lying : []) {
    const files = []
    for (const file of purchase.files)
      for (const path of new Set([keptName(file), ...copiesOf(file)])) {
        const is = asked.has(file.digest)
          ? ('shared' as const)
          : await verifySaved({ ...file, path }, workspace.folders.kept, disk)
        // Under the name of today only where it lies under no other.
        if (is !== 'missing' || copiesOf(file).length === 0) files.push({ path, is })
      }
    const { id, address } = purchase
    entries.push({ purchase: id, address, aside: true, files, ...fetchable(purchase, files) })
  }
  if (aside)
    for (const purchase of recorded.purchases) {
      if (purchase.is !== 'done' || purchase.aside || gone.has(purchase.id)) continue
      const files = []
      for (const file of purchase.files) {
        const copies = asked.has(file.digest) || seen.has(file.digest) ? [] : copiesOf(file)
        // What lies under its name is read before the other one goes.
        const isSpare =
          copies.length > 0 && (await verifySaved(file, workspace.layout.output, disk)) === 'same'
        if (!isSpare) continue
        seen.add(file.digest)
        for (const path of copies)
          files.push({ path, is: await verifySaved({ ...file, path }, workspace.folders.kept, disk) })
      }
      const { id, address } = purchase
      if (files.length > 0) entries.push({ purchase: id, address, aside: true, copies: true, files })
    }
  const unusual = unusualAmong(recorded, planned).filter(({ id }) => !gone.has(id))
  for (const purchase of aside ? unusual : []) {
    const files = []
    for (const file of paidFiles(purchase))
      files.push({ path: file.path, is: await verifySaved(file, workspace.layout.output, disk) })
    entries.push({ purchase: purchase.id, address: purchase.address, files })
  }
  const further = takes ? [] : surplus.map(({ address }) => address)
  return { entries, further, aside: aside ? 0 : former.length + lying.length + unusual.length }
}

/** A clone has the lock's entry of what was put aside elsewhere, and never had its files. */
function fetchable(purchase: Purchase, files: PruneRecord['files']): Pick<PruneRecord, 'mayBeFetched'> {
  const isNowhere = purchase.is === 'done' && files.every(({ is }) => is === 'missing')
  return isNowhere && purchase.run ? { mayBeFetched: true } : {}
}

/** The files that what stays has under no name of its own. */
function keptFor(
  { purchases }: Recorded,
  pruned: ReadonlySet<PurchaseId>,
  { layout, machine }: Workspace,
): Digest[] {
  const staying = purchases.flatMap(each => (each.is === 'done' && !pruned.has(each.id) ? [each] : []))
  return staying.flatMap(({ files, aside }) =>
    files
      .filter(file => aside || findSaved(file, layout.output, machine.disk) !== 'same')
      .map(({ digest }) => digest),
  )
}

/** What lies aside, but for what the manifest asks for again. */
function asideAmong({ purchases }: Recorded, { plan }: PlannedRun): DonePurchase[] {
  const asked = new Set(plan.steps.flatMap(step => ('entry' in step ? [step.entry.id] : [])))
  return purchases.flatMap(each => (each.is === 'done' && each.aside && !asked.has(each.id) ? [each] : []))
}

/** What came and is no result, of orders that hold no job any more. */
function unusualAmong({ purchases }: Recorded, { plan }: PlannedRun): FailedPurchase[] {
  const holding = new Set(
    plan.steps.flatMap(step =>
      step.do === 'hold' && step.because.why === 'failed-before' ? [step.because.purchase] : [],
    ),
  )
  return purchases.flatMap(each =>
    each.is === 'failed' && each.files && !holding.has(each.id) ? [each] : [],
  )
}

/** Made, and not among those that the manifest asks for; nobody picked it, and nothing is made from it. */
function surplusTakes({ plan, jobs, picked }: PlannedRun, { manifest }: Workspace): DonePurchase[] {
  const options = new Set(manifest.jobs.map(job => job.address))
  const used = new Set([...picked, ...jobs.flatMap(job => job.needs)])
  return plan.steps.flatMap(step => {
    if (step.do !== 'keep') return []
    // What was ordered of a take later, to make its number whole, stays and goes with it.
    const { address } = step.job
    const isWanted = [address, restBase(address)].some(each => options.has(each) || used.has(each))
    return isWanted ? [] : [step.entry]
  })
}

function keptText({ is }: Purchase): string | undefined {
  switch (is) {
    case 'open':
    case 'done':
    case 'failed':
      return undefined
    case 'under-way':
      return 'it is paid for and not finished'
    case 'doubt':
      return 'nobody knows whether it was paid for'
  }
}
