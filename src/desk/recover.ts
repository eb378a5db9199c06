import { basename } from 'node:path'
import type { JobAddress, PurchaseId, RunId } from '../base/names.ts'
import type { DonePurchase, Purchase } from '../base/purchase.ts'
import type { Disk } from '../store/disk.ts'
import { foldJournal, isOver } from '../store/fold.ts'
import { lineageOf, readJournal } from '../store/journal.ts'
import { type LoadedLock, type Locked, loadLock } from '../store/lock.ts'
import { salvageLock } from '../store/lock-salvage.ts'
import { verifySaved } from '../store/outputs.ts'
import { StorageTrouble } from '../store/trouble.ts'
import { readText, writeWhole } from '../store/whole.ts'
import type { Busy } from './carry/busy.ts'
import type { Refused } from './draw/draw.ts'
import { damaged, type GroundRequest, openGround } from './ground/ground.ts'
import { placedResults } from './ground/known.ts'
import { type Damaged, readRecorded } from './ground/recorded.ts'
import { openRecords, withClaim } from './ground/records.ts'
import type { Ground, Recorded } from './ground/setting.ts'
import { type Finder, finderIn, type Lying } from './lost/places.ts'
import { readProofs } from './lost/proofs.ts'
import { isTheSame, unmark } from './lost/unknown.ts'

/** What was found of purchases that neither lock nor journal knows. */
export interface RecoverRecord {
  readonly found: readonly FoundPurchase[]
  /** So many purchases are known anyhow, by lock or journal. */
  readonly known: number
  /** Media files in the output folder that nothing here tells of. */
  readonly unknown: readonly string[]
  /** The names of the manifests by which it was found, where that is not the present one. */
  readonly names: readonly string[]
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

export interface RecoverRequest extends GroundRequest {
  /** False: it is only said what would be taken up, and nothing is written. */
  readonly isMeant: boolean
}

/**
 * Makes lock and journal anew from what the output folder tells of its results, and from what can still be read of a lock that
 * is damaged. What lock and journal know counts for more. Sends nothing and buys nothing.
 */
export async function recoverManifest(request: RecoverRequest): Promise<RecoverResult> {
  const ground = openGround(request)
  if ('got' in ground) return ground
  try {
    if (request.isMeant) return await withClaim<RecoverResult>(ground, claim => recoverNow(ground, claim))
    const survey = await surveyOf(ground)
    return 'got' in survey ? survey : { got: 'recovered', isDone: false, record: survey.record }
  } catch (trouble) {
    if (!(trouble instanceof StorageTrouble)) throw trouble
    return damaged(trouble)
  }
}

type Claim = Parameters<typeof openRecords>[2]

async function recoverNow(ground: Ground, claim: Claim): Promise<RecoverResult> {
  const survey = await surveyOf(ground)
  if ('got' in survey) return survey
  const { recorded, purchases, record } = survey
  const isNothing = purchases.length === 0 && record.damage === undefined
  if (isNothing) unmark(ground)
  if (isNothing) return { got: 'recovered', isDone: true, record }
  const moved = record.damage === undefined ? undefined : await keepDamaged(ground)
  const records = await openRecords(ground, recorded, claim)
  // They stand in the journal before the lock that is there is replaced.
  await Promise.all(purchases.map(each => records.ledger.stands(each)))
  await records.close()
  unmark(ground)
  return { got: 'recovered', isDone: true, record: { ...record, ...(moved !== undefined && { moved }) } }
}

/** A copy of what is there: the lock itself is replaced in one step when all is known. */
async function keepDamaged({ layout, machine: { disk } }: Ground): Promise<string> {
  for (let number = 1; ; number++) {
    const path = `${layout.lock}.damaged-${number}`
    if (disk.look(path)) continue
    await writeWhole(disk, path, disk.readAll(layout.lock))
    return basename(path)
  }
}

interface Survey {
  /** What lock and journal know, with the lineage that the lock had. */
  readonly recorded: Recorded
  readonly purchases: readonly Purchase[]
  readonly record: RecoverRecord
}

/** Reads lock, journal, index and files, and touches nothing. Rejects with StorageTrouble. */
async function surveyOf(ground: Ground): Promise<Survey | Damaged> {
  const { layout, place, folders, machine } = ground
  const { disk } = machine
  const loaded = loadLock(layout.lock, basename(place.manifest), disk)
  const isLost = loaded.got === 'damaged' && loaded.damage !== 'other-manifest' && loaded.damage !== 'newer'
  const read = readRecorded(ground, isLost ? none : loaded)
  if ('got' in read) return read
  const salvaged = isLost ? salvageLock(readText(disk, layout.lock) ?? '') : { purchases: [] }
  const journal = readJournal(folders.journal, disk)
  const entries = journal.got === 'records' ? journal.entries : []
  const { taken, others, names } = readProofs(ground)
  const hasLineage = loaded.got === 'lock' || lineageOf(entries) !== undefined
  const lineage = hasLineage ? undefined : (salvaged.lineage ?? taken.at(-1)?.owner.lineage)
  const recorded = { ...read, lock: { ...read.lock, ...(lineage !== undefined && { lineage }) } }

  const over = new Set<PurchaseId>(
    [...foldJournal(entries)].flatMap(([id, history]) => (isOver(history) ? [id] : [])),
  )
  const known = new Map<PurchaseId, Purchase>(recorded.purchases.map(each => [each.id, each]))
  const told = new Map<PurchaseId, Locked>()
  for (const { purchases } of taken) for (const [id, each] of purchases) told.set(id, each)
  for (const each of salvaged.purchases) told.set(each.id, each)
  // A run that was adopted by hand has a record of its own: one run is one purchase.
  const lost = [...told.values()].filter(
    each =>
      !known.has(each.id) && !over.has(each.id) && !recorded.purchases.some(other => isTheSame(each, other)),
  )

  const finder = finderIn(layout.output, folders.kept, disk)
  const placed = placedResults(recorded.purchases)
  const found: { readonly purchase: Purchase; readonly is: FoundPurchase['is'] }[] = []
  for (const each of lost) found.push(await standingOf(each, { finder, placed, output: layout.output, disk }))

  const ours = [...found.map(({ purchase }) => purchase), ...recorded.purchases]
  const theirs = others.flatMap(({ purchases }) => [...purchases.values()])
  const named = new Set(filesAmong([...ours, ...theirs]))
  return {
    recorded,
    purchases: found.map(({ purchase }) => purchase),
    record: {
      found: found.map(({ purchase, is }) => toldOf(purchase, is)),
      known: known.size,
      unknown: finder.names.filter(name => !named.has(name)),
      names: lost.length > 0 ? names : [],
      ...(isLost && { damage: `${basename(layout.lock)}: ${loaded.why}` }),
    },
  }
}

const none: LoadedLock = { got: 'none' }

interface Around {
  readonly finder: Finder
  readonly placed: ReadonlyMap<JobAddress, DonePurchase>
  readonly output: string
  readonly disk: Disk
}

/** How a purchase stands by what is on disk. */
async function standingOf(
  entry: Locked,
  { finder, placed, output, disk }: Around,
): Promise<{ readonly purchase: Purchase; readonly is: FoundPurchase['is'] }> {
  switch (entry.is) {
    case 'doubt':
    case 'failed':
      return { purchase: entry, is: entry.is }
    case 'under-way': {
      if (entry.run) return { purchase: entry, is: 'under-way' }
      const { id, address, recipe, acceptedAs } = entry
      const order = { id, address, recipe, ...(acceptedAs && { acceptedAs }) }
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
      const isAside = isKept || entry.aside === true || placed.has(entry.address)
      const purchase = { ...rest, files, ...(isAside && { aside: true as const }) }
      if (isKept) return { purchase, is: 'aside' }
      const astray = entry.files.filter((_, nth) => lying[nth] === undefined)
      const verified = await Promise.all(astray.map(file => verifySaved(file, output, disk)))
      const isAltered = !isAside && verified.length > 0 && verified.every(each => each === 'altered')
      return { purchase, is: isAltered ? 'altered' : 'gone' }
    }
  }
}

function filesAmong(purchases: readonly Purchase[]): string[] {
  return purchases.flatMap(each => (each.is === 'done' ? each.files.map(({ path }) => path) : []))
}

function toldOf(purchase: Purchase, is: FoundPurchase['is']): FoundPurchase {
  const run = 'run' in purchase ? purchase.run : undefined
  const files = purchase.is === 'done' ? purchase.files.map(({ path }) => path) : []
  return { is, address: purchase.address, files, ...(run && { run: run.id }) }
}
