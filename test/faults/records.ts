import type { PurchaseId } from '../../src/base/names.ts'
import { fuller, orderOf, type Purchase } from '../../src/base/purchase.ts'
import type { RemoteFile } from '../../src/base/state.ts'
import { foldJournal, type History, isOver, recordOf } from '../../src/store/journal/fold.ts'
import { lineageOf, readJournal } from '../../src/store/journal/journal.ts'
import { readOutside, readOvertaken } from '../../src/store/journal/overtaken.ts'
import { readLock } from '../../src/store/lock/lock.ts'
import { readRescued } from '../../src/store/lock/rescued.ts'
import { livesUntil } from './life.ts'
import { refuge, type Scene } from './scene.ts'
import { type Charge, readFileBytes } from './service.ts'

/** What lies on the medium about an order. */
export type Records = ReadonlyMap<PurchaseId, readonly Purchase[]>

interface Read {
  readonly files: ReadonlyMap<string, Buffer>
  readonly records: Records
}

const lastRead = new WeakMap<Scene, Read>()

/** What lock and journal say of every order. Asked by every judge, and mostly nothing has changed in between. */
export function recordsIn(scene: Scene): Records {
  const { medium, layout, folders } = scene
  const within = (folder: string) => medium.list(folder).map(name => `${folder}/${name}`)
  const paths = [layout.lock, ...within(folders.journal), ...within(refuge)]
  const files = new Map(
    paths.flatMap(path => {
      const bytes = medium.read(path)
      return bytes ? [[path, bytes] as const] : []
    }),
  )
  const last = lastRead.get(scene)
  if (last && isSame(last.files, files)) return last.records
  const records = readRecords(scene)
  lastRead.set(scene, { files, records })
  return records
}

function isSame(some: ReadonlyMap<string, Buffer>, others: ReadonlyMap<string, Buffer>): boolean {
  if (some.size !== others.size) return false
  return [...some].every(([path, bytes]) => others.get(path) === bytes || others.get(path)?.equals(bytes))
}

function readRecords({ medium, layout, folders }: Scene): Records {
  const records = new Map<PurchaseId, Purchase[]>()
  const add = (record: Purchase) => records.set(record.id, [...(records.get(record.id) ?? []), record])
  const lock = medium.read(layout.lock)
  const reading = lock && readLock(lock.toString())
  const { lineage, jobs } = reading?.got === 'lock' ? reading.lock : { lineage: undefined, jobs: [] }
  jobs.forEach(add)
  const disk = medium.use(livesUntil())
  const journal = readJournal(folders.journal, disk)
  const own = lineage ?? (journal.got === 'records' ? lineageOf(journal.entries) : undefined)
  for (const rescued of readRescued(refuge, layout.lock, disk))
    if ((own ?? rescued.lock.lineage) === rescued.lock.lineage)
      rescued.lock.jobs.map(entry => asRescued(entry, medium)).forEach(add)
  if (own !== undefined) {
    readOutside({ refuge, lock: layout.lock }, own, disk).purchases.forEach(add)
    readOvertaken(folders.journal, own, disk).purchases.forEach(add)
  }
  // State of another lineage says nothing to this lock.
  const isForeign = journal.got === 'records' && (lineageOf(journal.entries) ?? lineage) !== lineage
  if (journal.got !== 'records' || (lineage !== undefined && isForeign)) return records
  for (const history of foldJournal(journal.entries).values()) {
    const record = recordOf(history)
    if (record && isTold(record)) add(record)
  }
  return records
}

/**
 * Whether a lock of this lineage lies outside its project and tells of orders what is known nowhere else. One that was removed may be
 * there again after a power cut; where the lock is of another checkout nothing is written down, and it stays.
 */
export function isRescuedLeft({ medium, layout, folders, present }: Scene): boolean {
  if (medium.list(refuge).length === 0) return false
  const reading = readLock(medium.read(layout.lock)?.toString() ?? '')
  if (reading.got !== 'lock') return false
  const disk = medium.use(livesUntil())
  const journal = readJournal(folders.journal, disk)
  const isForeign = journal.got !== 'records' || lineageOf(journal.entries) !== reading.lock.lineage
  const histories = isForeign ? [] : [...foldJournal(journal.entries).values()]
  const inside = [...reading.lock.jobs, ...histories.flatMap(each => recordOf(each) ?? [])]
  // Where a person threw the journal away nobody knows whose the lock is: what is owed is taken from outside all the same, and what came
  // to its end stays there.
  const isOwed = ({ is }: Purchase) => !present.hasThrownAway || is === 'under-way' || is === 'doubt'
  const isNews = (each: Purchase) =>
    isOwed(each) && !inside.some(known => known.id === each.id && fuller(known, each) === known)
  const rescued = readRescued(refuge, layout.lock, disk)
  return rescued.some(({ lock }) => lock.lineage === reading.lock.lineage && lock.jobs.some(isNews))
}

function asRescued(entry: Purchase, medium: Scene['medium']): Purchase {
  return entry.is !== 'doubt' && isDoubt(entry, { medium })
    ? { ...orderOf(entry), is: 'doubt', detail: '', raws: [] }
    : entry
}

/** What all that lies on the medium says of an order; the names that it has there may differ. */
export type Doubt = readonly [Purchase, ...Purchase[]]

/** Orders of which nobody knows what became, by all that lies on the medium. */
export function doubtsIn(scene: Scene): ReadonlyMap<PurchaseId, Doubt> {
  const doubts = new Map<PurchaseId, Doubt>()
  const over = overIn(scene)
  for (const [id, [first, ...others]] of recordsIn(scene))
    if (first && !over.has(id) && [first, ...others].every(each => isDoubt(each, scene)))
      doubts.set(id, [first, ...others])
  return doubts
}

/** A lock says nothing of the place of an answer without a run: where nothing else does, or a file of it is gone, the order is in doubt. */
function isDoubt(record: Purchase, { medium }: Pick<Scene, 'medium'>): boolean {
  if (record.is !== 'under-way') return record.is === 'doubt'
  const isThere = (file: RemoteFile) => file.from !== 'spool' || isSpooled(file.path, medium)
  return !record.run && !record.files?.every(isThere)
}

/** Where the disk of the project took it, or outside. */
function isSpooled(path: string, medium: Scene['medium']): boolean {
  const name = path.slice(path.lastIndexOf('/'))
  return [path, `${refuge}${name}`].some(each => medium.read(each) !== undefined)
}

/** Orders of which the journal says that nothing is owed any more. */
export function overIn(scene: Scene): ReadonlySet<PurchaseId> {
  return inJournal(scene, isOver)
}

/** Orders in doubt that were given up for something else: in the journal they have failed, by somebody's word. */
export function givenUpIn(scene: Scene): ReadonlySet<PurchaseId> {
  return inJournal(scene, history => {
    const record = recordOf(history)
    return record?.is === 'failed' && record.flaw.message.endsWith('given up by hand')
  })
}

function inJournal({ medium, folders }: Scene, is: (history: History) => boolean): ReadonlySet<PurchaseId> {
  const journal = readJournal(folders.journal, medium.use(livesUntil()))
  if (journal.got !== 'records') return new Set()
  return new Set([...foldJournal(journal.entries)].flatMap(([id, each]) => (is(each) ? [id] : [])))
}

/** Orders that came to nothing, by lock and journal: also those that never left, which only a journal may tell of. */
export function failedIn(scene: Scene): readonly Purchase[] {
  const journal = readJournal(scene.folders.journal, scene.medium.use(livesUntil()))
  const told = [...recordsIn(scene).values()].flatMap(([first]) => first ?? [])
  const written = journal.got === 'records' ? [...foldJournal(journal.entries).values()] : []
  return [...told, ...written.flatMap(history => recordOf(history) ?? [])].filter(({ is }) => is === 'failed')
}

/** Orders that only a state of another lineage than the lock's knows. */
export function foreignIn({ medium, layout, folders }: Scene): ReadonlySet<PurchaseId> {
  const lock = medium.read(layout.lock)
  const reading = lock && readLock(lock.toString())
  const journal = readJournal(folders.journal, medium.use(livesUntil()))
  if (reading?.got !== 'lock' || journal.got !== 'records') return new Set()
  const { lineage, jobs } = reading.lock
  if ((lineageOf(journal.entries) ?? lineage) === lineage) return new Set()
  const known = new Set(jobs.map(({ id }) => id))
  return new Set([...foldJournal(journal.entries).keys()].filter(id => !known.has(id)))
}

/** Of what was not sent, or refused, nothing is told. */
function isTold(record: Purchase): boolean {
  return record.is !== 'open' && !(record.is === 'failed' && record.billed === 'no')
}

/** Files under names, and files that were put aside. */
export function filesOn({ layout: { output }, folders: { kept }, medium }: Scene): {
  readonly outputs: readonly (readonly [path: string, bytes: Buffer])[]
  readonly kept: readonly (readonly [path: string, bytes: Buffer])[]
} {
  const files = [...medium.files()]
  const below = (folder: string) => files.filter(([path]) => path.startsWith(`${folder}/`))
  return {
    outputs: below(output).filter(([path]) => !path.startsWith(`${output}/.genrun/`)),
    kept: below(kept),
  }
}

/** Whose output each file is that lies somewhere, once for those of which there are copies. */
type Files = ReadonlyMap<string, { readonly id: string; readonly nth: number }>

function namesOn(scene: Scene): Files {
  const { outputs, kept } = filesOn(scene)
  const made = [...outputs, ...kept].flatMap(([, bytes]) => readFileBytes(bytes) ?? [])
  return new Map(made.map(each => [`${each.id} ${each.nth}`, each]))
}

/** The orders of which a file lies somewhere, by their serials. */
function ordersOn(scene: Scene): ReadonlySet<string> {
  return new Set([...namesOn(scene).values()].map(({ id }) => id))
}

/** Whether all files of an order lie somewhere. */
export function isWhole({ serial, count }: Charge, scene: Scene): boolean {
  const there = namesOn(scene)
  return Array.from({ length: count }, (_, nth) => `${serial} ${nth}`).every(name => there.has(name))
}

/** What of results is left. */
function lookAgain(scene: Scene): void {
  const there = ordersOn(scene)
  for (const charge of scene.service.charges) if (!there.has(charge.serial)) charge.isDelivered = false
}

/** The same, when what came again of what a person had deleted may be gone with it. */
export function lookAfterPowerCut(scene: Scene): void {
  lookAgain(scene)
  for (const charge of scene.service.charges)
    if (charge.wasThrownAway && !isWhole(charge, scene)) charge.isThrownAway = true
}

/** Every order of which a file lies somewhere, be it by a process that is not at its end. The files. */
export function lookFirst(scene: Scene): Files {
  const there = namesOn(scene)
  for (const { id } of there.values()) {
    const charge = scene.service.chargeOf(id)
    if (charge) charge.isDelivered = true
  }
  return there
}

/** The same after what a person did to files: who deletes one of an order's does without it. */
export function missFiles(scene: Scene, before: Files): void {
  lookAgain(scene)
  const left = namesOn(scene)
  for (const { id, nth } of before.values()) {
    const charge = left.has(`${id} ${nth}`) ? undefined : scene.service.chargeOf(id)
    if (charge) charge.isThrownAway = charge.wasThrownAway = true
  }
}

/**
 * Somebody threw records away, or put older ones in their place. Nobody can know any more what no record names, nor
 * fetch what is gone and has no run: then it is the user's doing that it is bought again. `before`: the files that lay there.
 */
export function forgetUnnamed(scene: Scene, before: Files = new Map()): void {
  missFiles(scene, before)
  for (const { attempt, charge, told, isGone } of toldOf(scene)) {
    if (told.length > 0 && !isGone) continue
    attempt.isOver = true
    if (charge) charge.isForgotten = true
  }
}

/**
 * What records say of each attempt; a run that none of them names nobody can fetch any more. `isGone`: there was a result, and it lies
 * nowhere and has no run.
 */
export function toldOf(scene: Scene) {
  const { witness, service } = scene
  const records = recordsIn(scene)
  return witness.attempts.map(attempt => {
    const told = records.get(attempt.key as PurchaseId) ?? [] // the key of an order is the name of its purchase
    const charge = attempt.charge ?? service.charges.find(({ key }) => key === attempt.key)
    const runs = told.flatMap(each => ('run' in each && each.run ? [each.run.id] : []))
    const isDone = told.some(({ is }) => is === 'done')
    const isGone = charge !== undefined && !charge.isDelivered && isDone && runs.length === 0
    if (charge && !runs.includes(charge.id)) witness.forgets(charge)
    return { attempt, charge, told, isGone }
  })
}
