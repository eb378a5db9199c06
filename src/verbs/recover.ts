import { basename } from 'node:path'
import { defined } from '../base/defined.ts'
import type { JobAddress, PurchaseId, RunId } from '../base/names.ts'
import { type DonePurchase, fuller, orderOf, type Purchase, withoutPick } from '../base/purchase.ts'
import type { Recipe, SavedFile } from '../base/state.ts'
import { firstTake } from '../plan/picks.ts'
import { plannedRecipes } from '../plan/planned-recipes.ts'
import { groupedBy } from '../plan/register.ts'
import { isOwedElsewhere } from '../planning/elsewhere.ts'
import { findFormerState, formerWorkspace } from '../planning/former.ts'
import { goOnWith } from '../planning/go-on.ts'
import { makePlan, type Refused } from '../planning/make-plan.ts'
import { openWorkspace, type WorkspaceRequest } from '../planning/open-workspace.ts'
import { type Finder, finderIn, type Lying } from '../planning/places.ts'
import { readProofs } from '../planning/proofs.ts'
import { isTheSame, unmark } from '../planning/unknown.ts'
import { withRecords } from '../run/ledger/records.ts'
import type { Claim } from '../store/claim/claim.ts'
import { readTextOn, writeAtomically } from '../store/files/atomic-write.ts'
import type { Disk } from '../store/files/disk.ts'
import { type Found, verifySaved } from '../store/files/outputs.ts'
import { StorageError } from '../store/files/storage-error.ts'
import { foldJournal, isOver } from '../store/journal/fold.ts'
import { lineageOf, readJournal } from '../store/journal/journal.ts'
import { type LoadedLock, type Locked, loadLock } from '../store/lock/lock.ts'
import { isUnread, salvageLock } from '../store/lock/lock-salvage.ts'
import { isAnotherTake, nextNumber } from '../store/lock/take-number.ts'
import type { Busy } from '../workspace/records/busy.ts'
import { placedResults } from '../workspace/records/known.ts'
import { lookingWorkspace } from '../workspace/records/lineage.ts'
import { type Damaged, damaged, readRecorded } from '../workspace/records/recorded.ts'
import { bringBack } from '../workspace/records/settle-lineage.ts'
import { withClaim } from '../workspace/records/with-claim.ts'
import type { Recorded, Workspace } from '../workspace/workspace.ts'

/** What was found of purchases that neither lock nor journal knows. */
export interface RecoverRecord {
  readonly found: readonly FoundPurchase[]
  /** So many purchases are known anyhow, by lock or journal. */
  readonly known: number
  /** Media files in the output folder that nothing here tells of. */
  readonly unknown: readonly string[]
  /** The names of the manifests by which it was found, where that is not the present one. */
  readonly names: readonly string[]
  /** The manifest's former name, where journal and files lie under that and go along. */
  readonly former?: string
  /** Lines that could not be read: what they still tell is among the found. `m.lock.json:4`. */
  readonly unread: readonly string[]
  /** Locks that could not be written to their place: the next run reads them anyhow. */
  readonly rescued: Recorded['rescued']
  /** Indexes that a newer genrun wrote: what this one can read of them counts. */
  readonly newer: readonly string[]
  /** What is wrong with the lock that is there; it is kept as `moved` when it is replaced. */
  readonly damage?: string
  readonly moved?: string
}

/**
 * `done`: its files are there. `altered`: one has other bytes by now, and is left alone. `gone`: they are not; with a run they
 * can be fetched again without paying.
 */
export interface FoundPurchase {
  readonly is: 'done' | 'aside' | 'altered' | 'gone' | 'under-way' | 'doubt' | 'failed'
  readonly address: JobAddress
  /** Relative to the output folder. */
  readonly files: readonly string[]
  readonly run?: RunId
}

export type RecoverResult =
  | Refused
  | Damaged
  | Busy
  | { readonly got: 'recovered'; readonly isDone: boolean; readonly record: RecoverRecord }

interface RecoverRequest extends WorkspaceRequest {
  /** False: it is only said what would be taken up, and nothing is written. */
  readonly isConfirmed: boolean
}

/**
 * Makes lock and journal anew from what the output folder tells of its results, and from what can still be read of a lock that
 * is damaged. What lock and journal know counts for more. Sends nothing and buys nothing.
 */
export async function recoverManifest(request: RecoverRequest): Promise<RecoverResult> {
  const workspace = openWorkspace(request)
  if ('got' in workspace) return workspace
  try {
    // What lies under the former name is the manifest's own, and its orders in doubt stand nowhere else.
    const former = findFormerState(workspace, request)
    const named = defined({ former: former?.lock.manifest })
    if (request.isConfirmed) {
      const stopped = former && (await goOnWith(former, workspace))
      if (stopped) return stopped
      const result = await withClaim<RecoverResult>(workspace, claim => recoverNow(workspace, request, claim))
      return result.got === 'recovered' ? { ...result, record: { ...result.record, ...named } } : result
    }
    const before = former ? formerWorkspace(former, workspace) : workspace
    const survey = await surveyOf(lookingWorkspace(before), request)
    return 'got' in survey
      ? survey
      : { got: 'recovered', isDone: false, record: { ...survey.record, ...named } }
  } catch (trouble) {
    if (!(trouble instanceof StorageError)) throw trouble
    return damaged(trouble)
  }
}

async function recoverNow(
  workspace: Workspace,
  request: RecoverRequest,
  claim: Claim,
): Promise<RecoverResult> {
  const survey = await surveyOf(workspace, request)
  if ('got' in survey) return survey
  const { recorded, purchases, record } = survey
  // Without a lock only the output folder says whose state may lie aside.
  if (await bringBack(workspace.layout.state, recorded.lock.lineage, workspace.machine.disk))
    return recoverNow(workspace, request, claim)
  const isNothing = purchases.length === 0 && record.damage === undefined
  if (isNothing) unmark(workspace)
  if (isNothing) return { got: 'recovered', isDone: true, record }
  const moved = record.damage === undefined ? undefined : await keepDamaged(workspace)
  await withRecords(workspace, { recorded, claim }, async ({ ledger, close }) => {
    // They stand in the journal before the lock that is there is replaced.
    await Promise.all(purchases.map(each => ledger.stands(each)))
    await close()
  })
  unmark(workspace)
  return { got: 'recovered', isDone: true, record: { ...record, ...defined({ moved }) } }
}

/** An empty lock in its place would have everything bought again without a word. */
function nothingLeft(damage: string): Damaged {
  const message = `${damage}; no purchase can be read in it, and nothing else knows of one`
  const hint = 'put it back from version control; moved away, it lets everything be bought anew'
  return { got: 'damaged', message, hint }
}

/** A copy of what is there: the lock itself is replaced in one step when all is known. */
async function keepDamaged({ layout, machine: { disk } }: Workspace): Promise<string> {
  for (let number = 1; ; number++) {
    const path = `${layout.lock}.damaged-${number}`
    if (disk.look(path)) continue
    await writeAtomically(disk, path, disk.readAll(layout.lock))
    return basename(path)
  }
}

interface Survey {
  /** What lock and journal know, with the lineage that the lock had. */
  readonly recorded: Recorded
  readonly purchases: readonly Purchase[]
  readonly record: RecoverRecord
}

/** Reads lock, journal, index and files, and touches nothing. Rejects with StorageError. */
async function surveyOf(workspace: Workspace, request: RecoverRequest): Promise<Survey | Damaged> {
  const { layout, place, folders, machine } = workspace
  const { disk } = machine
  const loaded = loadLock(layout.lock, basename(place.manifest), disk)
  const isLost = loaded.got === 'damaged' && loaded.damage !== 'other-manifest' && loaded.damage !== 'newer'
  const read = readRecorded(workspace, isLost ? none : loaded)
  if ('got' in read) return read
  const damaged = isLost ? readTextOn(disk, layout.lock) : undefined
  const salvaged = isLost ? salvageLock(damaged ?? '') : undefined
  const journal = readJournal(folders.journal, disk)
  const entries = journal.got === 'records' ? journal.entries : []
  const { taken, others, names } = readProofs(workspace)
  const hasLineage = loaded.got === 'lock' || lineageOf(entries) !== undefined
  const lineage = hasLineage ? undefined : (salvaged?.lineage ?? taken.at(-1)?.owner.lineage)
  const all = {
    ...read,
    lock: { ...read.lock, ...defined({ lineage }) },
    // The text that may be replaced.
    lockText: damaged ?? read.lockText,
  }

  const over = new Set<PurchaseId>(
    [...foldJournal(entries)].flatMap(([id, history]) => (isOver(history) ? [id] : [])),
  )
  const known = new Map<PurchaseId, Purchase>(all.purchases.map(each => [each.id, each]))
  const told = new Map<PurchaseId, Locked>()
  for (const { purchases } of taken) for (const [id, each] of purchases) told.set(id, each)
  for (const each of salvaged?.purchases ?? []) told.set(each.id, fuller(each, told.get(each.id) ?? each))
  for (const { entry } of salvaged?.broken ?? [])
    if (entry && ![...told.values()].some(each => isTheSame(entry, each))) told.set(entry.id, entry)
  // A run that was adopted by hand has a record of its own: one run is one purchase.
  const lost = [...told.values()].filter(each => {
    if (over.has(each.id)) return false
    const other = known.get(each.id)
    // A journal that was torn after it was sent knows less than what was written when it came.
    if (other) return each.is === 'done' && (other.is === 'doubt' || other.is === 'open')
    return !all.purchases.some(other => isTheSame(each, other))
  })
  for (const { id } of lost) known.delete(id)
  const recorded = { ...all, purchases: [...known.values()] }

  const finder = finderIn(layout.output, folders.kept, disk)
  const placed = placedResults(recorded.purchases)
  const found: { readonly purchase: Purchase; readonly is: FoundPurchase['is'] }[] = []
  const numbers = new Set([...recorded.purchases, ...lost].map(({ address }) => address))
  const named = groupedBy(filesAmong([...recorded.purchases, ...lost]), ({ path }) => [path])
  const around = { finder, placed, named, numbers, output: layout.output, disk }
  const options = wantedRecipes(workspace, request, recorded)
  const picks = [...recorded.purchases, ...lost]
  for (const each of lost) found.push(await standingOf(withOnePick(readable(each, options), picks), around))
  for (;;) {
    const known = [...recorded.purchases, ...found.map(({ purchase }) => purchase)]
    const owed = owedTo(workspace, request, { ...recorded, purchases: known })
    // What is made from one of them is known once that one is.
    if (owed.length === 0) break
    for (const each of owed)
      found.push(await standingOf(withOnePick(readable(each, options), [...known, ...owed]), around))
  }

  if (isLost && found.length === 0 && recorded.purchases.length === 0)
    return nothingLeft(`${basename(layout.lock)}: ${loaded.why}`)

  const ours = [...found.map(({ purchase }) => purchase), ...recorded.purchases]
  const theirs = others.flatMap(({ purchases }) => [...purchases.values()])
  const isNamed = new Set(filesAmong([...ours, ...theirs]).map(({ path }) => path))
  return {
    recorded,
    purchases: found.map(({ purchase }) => purchase),
    record: {
      // The index has them in the order in which they came, which is another each time.
      found: found.map(({ purchase, is }) => toldOf(purchase, is)).toSorted(byAddress),
      known: known.size,
      unread: [
        ...(salvaged?.broken ?? []).map(({ line }) => `${basename(layout.lock)}:${line}`),
        ...taken.flatMap(({ owner, broken }) =>
          broken.map(({ line }) => `results-${owner.lineage}.jsonl:${line}`),
        ),
      ],
      newer: taken.flatMap(({ owner, newer }) =>
        newer ? `results-${owner.lineage}.jsonl (format ${newer})` : [],
      ),
      unknown: finder.names.filter(name => !isNamed.has(name)),
      names: lost.length > 0 ? names : [],
      rescued: all.rescued,
      ...(isLost && { damage: `${basename(layout.lock)}: ${loaded.why}` }),
    },
  }
}

/** A job has one pick: of what is known and of both sides of a merge the first, as where locks are merged. */
function withOnePick(entry: Locked, all: readonly Purchase[]): Locked {
  if (!isPick(entry)) return entry
  const job = firstTake(entry.address)
  const chosen = all.find(each => isPick(each) && firstTake(each.address) === job)
  return chosen?.id === entry.id ? entry : withoutPick(entry)
}

function isPick(purchase: Purchase): purchase is DonePurchase {
  return purchase.is === 'done' && purchase.picked === true && !purchase.aside
}

/** What jobs ask for now, as far as that is known before anything is made. */
function wantedRecipes(
  workspace: Workspace,
  request: RecoverRequest,
  recorded: Recorded,
): Map<JobAddress, Recipe> {
  const planned = makePlan(workspace, request, recorded)
  if (planned.got === 'refused') return new Map()
  return plannedRecipes(planned.jobs, planned.plan.steps, planned.facts)
}

/** One whose recipe cannot be read is in doubt about what its job asks for: then a run that a person names is that job's. */
function readable(entry: Locked, options: ReadonlyMap<JobAddress, Recipe>): Locked {
  const recipe = isUnread(entry.recipe) ? options.get(entry.address) : undefined
  return recipe ? { ...entry, recipe } : entry
}

/** What states of other lineages have of the very things that the manifest asks for now: the rest stays theirs. */
function owedTo(workspace: Workspace, request: RecoverRequest, recorded: Recorded): Locked[] {
  const planned = makePlan(workspace, request, recorded)
  if (planned.got === 'refused') return []
  const owed = planned.plan.steps.flatMap(step => (isOwedElsewhere(step) ? [step.elsewhere] : []))
  return [...new Set(owed)].flatMap(each => (each.is === 'open' ? [] : [each]))
}

const none: LoadedLock = { got: 'none' }

interface Around {
  readonly finder: Finder
  readonly placed: ReadonlyMap<JobAddress, DonePurchase>
  /** Files of all results that are told of, by their names. */
  readonly named: ReadonlyMap<string, readonly SavedFile[]>
  /** All that stand for something; those that are given out are put into it. */
  readonly numbers: Set<JobAddress>
  readonly output: string
  readonly disk: Disk
}

/** How a purchase stands by what is on disk. */
async function standingOf(
  entry: Locked,
  { finder, placed, named, numbers, output, disk }: Around,
): Promise<{ readonly purchase: Purchase; readonly is: FoundPurchase['is'] }> {
  switch (entry.is) {
    case 'doubt':
    case 'failed':
      return { purchase: entry, is: entry.is }
    case 'under-way': {
      const { run, files = [] } = entry
      const order = orderOf(entry)
      // What had come of it lies in the spool of the state that knew it: a run is asked again, and a link outlives its state.
      const isLinked = files.length > 0 && files.every(({ from }) => from === 'link')
      const bare = { ...order, is: 'under-way', saved: [], parts: [], ...(isLinked && { files }) } as const
      if (run) return { purchase: { ...bare, run }, is: 'under-way' }
      if (isLinked) return { purchase: bare, is: 'under-way' }
      const detail = 'it was paid for, and what was known of its result is lost'
      return { purchase: { ...order, is: 'doubt', detail, raws: [] }, is: 'doubt' }
    }
    case 'done': {
      const lying: (Lying | undefined)[] = []
      for (const file of entry.files) lying.push(await finder.find(file))
      const { aside: _, ...rest } = entry
      const files = entry.files.map((file, nth) => ({ ...file, path: lying[nth]?.path ?? file.path }))
      if (lying.every(each => each?.is === 'named')) return { purchase: { ...rest, files }, is: 'done' }
      const isKept = lying.every(each => each?.is === 'kept')
      // Another result has the name by now: this one must not take it back.
      const owner = placed.get(entry.address)
      const isAside = isKept || entry.aside === true || owner !== undefined
      // Both sides of a merge ordered a take apart, under one number.
      const number =
        owner && !entry.aside && isAnotherTake(entry, owner) && nextNumber(entry.address, numbers)
      const purchase = { ...rest, ...number, files, ...(isAside && { aside: true as const }) }
      if (isKept) return { purchase, is: 'aside' }
      const astray = entry.files.filter((_, nth) => lying[nth] === undefined)
      const verified = await Promise.all(astray.map(file => foundOf(file, { named, output, disk })))
      const isAltered = !isAside && verified.length > 0 && verified.every(each => each === 'altered')
      return { purchase, is: isAltered ? 'altered' : 'gone' }
    }
  }
}

/** Where another result has its name by now, as after a merge, nobody has altered it. */
async function foundOf(
  file: SavedFile,
  { named, output, disk }: Pick<Around, 'named' | 'output' | 'disk'>,
): Promise<Found> {
  const found = await verifySaved(file, output, disk)
  if (found !== 'altered') return found
  for (const other of named.get(file.path) ?? [])
    if (other.digest !== file.digest && (await verifySaved(other, output, disk)) === 'same') return 'missing'
  return found
}

function filesAmong(purchases: readonly Purchase[]): SavedFile[] {
  return purchases.flatMap(each => (each.is === 'done' ? each.files : []))
}

function toldOf(purchase: Purchase, is: FoundPurchase['is']): FoundPurchase {
  const run = 'run' in purchase ? purchase.run : undefined
  const files = purchase.is === 'done' ? purchase.files.map(({ path }) => path) : []
  return { is, address: purchase.address, files, ...(run && { run: run.id }) }
}

function byAddress({ address: a }: FoundPurchase, { address: b }: FoundPurchase): number {
  return a === b ? 0 : a < b ? -1 : 1
}
