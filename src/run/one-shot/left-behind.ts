import { basename } from 'node:path'
import { defined } from '../../base/defined.ts'
import type { DonePurchase, DoubtfulPurchase, Purchase, RunningPurchase } from '../../base/purchase.ts'
import type { RunRef } from '../../base/state.ts'
import { seeHolder } from '../../store/claim/claim.ts'
import { whereabouts } from '../../store/claim/process.ts'
import { findSaved } from '../../store/files/outputs.ts'
import { StorageError } from '../../store/files/storage-error.ts'
import { highestJournal, readJournal } from '../../store/journal/journal.ts'
import type { Machine } from '../../workspace/machine.ts'
import { readRecorded } from '../../workspace/records/recorded.ts'
import { readNote, type SignedNote } from './note.ts'
import { clearQuietly, type OwnFolder, ownFolders, type Workspaces, workspacesAt } from './own-folder.ts'
import { type Untold, untoldForMs } from './untold.ts'

/** A job that somebody paid for, or may have, and whose files are not in their places. */
export type LeftBehind = Noted &
  Owed & {
    readonly workspaces: Workspaces
    /** The lock that has it, absolute: what is recorded there stays. Without one it has a folder of its own. */
    readonly lock?: string
    /** By somebody who cannot be seen from here: a container that is gone, another machine. */
    readonly isHeld: boolean
  }

/** What is known of an order beside its records. */
type Noted = Pick<SignedNote, 'name' | 'model' | 'since' | 'asked'> &
  Partial<Pick<SignedNote, 'named'>> & {
    /** The note cannot be read. `records`: what is known stands in these; `nothing`: its name and its model are not known. */
    readonly noteLost?: 'records' | 'nothing'
  }

type Owed =
  | { readonly owes: 'run'; readonly purchase: RunningPurchase; readonly run: RunRef }
  /** The answer has come, and lies in the folder or behind links. */
  | { readonly owes: 'files'; readonly purchase: RunningPurchase }
  /** It was sent, and nobody knows what became of it. */
  | { readonly owes: 'doubt'; readonly purchase: DoubtfulPurchase }
  /** Its records cannot be read. */
  | { readonly owes: 'unreadable'; readonly detail: string }

/** What is looked at: an output folder, and where the user stands; both absolute. */
export interface SurveyedPlace {
  readonly output: string
  readonly cwd: string
}

/** What is owed to jobs that nobody works on any more. Looks, and touches nothing. Throws StorageError. */
export function leftBehind(where: SurveyedPlace, machine: Machine): LeftBehind[] {
  return surveyed(where, machine).flatMap(({ left }) => left ?? [])
}

/** What was made, and told to nobody, by processes that are over. Looks, and touches nothing. Throws StorageError. */
export function untold(where: SurveyedPlace, machine: Machine): Untold[] {
  return surveyed(where, machine).flatMap(({ untold: made, isOver }) => (made && isOver ? made : []))
}

/** A call as it was made: by its digest, and with the name that was asked for, if any. */
interface CallMade {
  readonly asked: string
  readonly name?: string
}

/** Whether an order is of this very call. The same under another name, or under one at all, is one more. */
export function isSameCall(
  left: Pick<Noted, 'asked' | 'named' | 'name'>,
  { asked, name }: CallMade,
): boolean {
  return left.asked === asked && (left.named ? left.name === name : name === undefined)
}

/** The same, after everything was taken away that nobody needs any more: of rehearsals, refused orders, done ones. */
export function sweepLeftBehind(where: SurveyedPlace, machine: Machine): LeftBehind[] {
  return surveyed(where, machine).flatMap(({ workspaces, isGone, left, untold }) => {
    if (left) return left
    if (isGone && !untold) clearQuietly(workspaces)
    return []
  })
}

/** What the records in a state folder say that is owed. Throws StorageError. */
function owedIn(workspaces: Workspaces): Owed | undefined {
  const { layout, folders, machine } = workspaces
  // Nothing of a rehearsal outlives its gateway.
  if (layout.rehearsal) return undefined
  // There is no lock that would know what it came to.
  if (readJournal(folders.journal, machine.disk).got === 'older')
    return { owes: 'unreadable', detail: 'an older genrun wrote it' }
  const recorded = readRecorded(workspaces)
  if ('got' in recorded) return { owes: 'unreadable', detail: recorded.message }
  return owedBy(recorded.purchases)
}

/** What is owed of purchases, the surest first. */
export function owedBy(purchases: readonly Purchase[]): Exclude<Owed, { owes: 'unreadable' }> | undefined {
  const purchase =
    purchases.find(each => each.is === 'under-way') ??
    purchases.flatMap(each => mayStillCome(each) ?? [])[0] ??
    purchases.find(each => each.is === 'doubt')
  if (purchase?.is === 'doubt') return { owes: 'doubt', purchase }
  if (purchase?.is !== 'under-way') return undefined
  const { run, files = [] } = purchase
  return files.length === 0 && run ? { owes: 'run', purchase, run } : { owes: 'files', purchase }
}

/** A run that the service did not know may have been billed, and only a person can say that it will not come. */
function mayStillCome(purchase: Purchase): RunningPurchase | undefined {
  if (purchase.is !== 'failed' || purchase.flaw.why !== 'gone' || !purchase.run) return undefined
  const { id, address, recipe, run, sent } = purchase
  return {
    id,
    address,
    recipe,
    ...defined({ sent }),
    is: 'under-way',
    run,
    acceptedAt: 0,
    saved: [],
    parts: [],
  }
}

/** Removes the folder of what is over. What is owed stays written down; what cannot be read is for whoever comes next. */
export function clearSettled(workspaces: Workspaces): void {
  try {
    if (!owedIn(workspaces)) clearQuietly(workspaces)
  } catch (trouble) {
    if (!(trouble instanceof StorageError)) throw trouble
  }
}

interface Surveyed {
  readonly workspaces: Workspaces
  /** Certain: its process is over, or has come to its end with it. */
  readonly isGone: boolean
  /** Its process is not there any more: one that is may be about to say what it made. */
  readonly isOver: boolean
  readonly left: LeftBehind | undefined
  readonly untold: Untold | undefined
}

function surveyed({ output, cwd }: SurveyedPlace, machine: Machine): Surveyed[] {
  return ownFolders(output, machine.disk).flatMap(folder => {
    const read = readNote(folder.path, machine)
    const note = read === 'unreadable' ? undefined : read
    const rehearsal = note?.rehearsal === true
    const workspaces = workspacesAt(folder.path, { output, cwd, rehearsal, machine })
    const where = whereaboutsOf(folder, note, workspaces)
    if (where === 'at work') return []
    // Without a note a run is fetched that somebody knows by its id; nothing is ordered.
    const owed = read && owedIn(workspaces)
    const untold = note && !owed && untoldIn(note, workspaces, folder)
    const noted = owed && (note ?? notedIn(owed, folder))
    return {
      workspaces,
      isGone: where === 'gone',
      isOver: !note || whereabouts(note.by, machine.self()) !== 'alive',
      left: owed && noted && { ...noted, ...owed, workspaces, isHeld: where === 'held' },
      untold: untold || undefined,
    }
  })
}

/** What a folder that owes nothing has to tell: its files are all where they were put, not long ago. */
function untoldIn(note: SignedNote, workspaces: Workspaces, { changed = 0 }: OwnFolder): Untold | undefined {
  const { layout, machine } = workspaces
  if (layout.rehearsal || machine.clock.wall() - Math.max(note.since, changed) > untoldForMs) return undefined
  const recorded = readRecorded(workspaces)
  if ('got' in recorded) return undefined
  const purchase = recorded.purchases.find((each): each is DonePurchase => each.is === 'done' && !each.aside)
  const isThere = purchase?.files.every(file => findSaved(file, layout.output, machine.disk) === 'same')
  return purchase && isThere ? { ...note, purchase, workspaces } : undefined
}

/** What the records tell of an order in place of its note. */
function notedIn(owed: Owed, { path, changed = 0 }: OwnFolder): Noted {
  if (owed.owes === 'unreadable')
    return { name: basename(path), model: 'an unknown model', since: changed, noteLost: 'nothing' }
  const { address, recipe } = owed.purchase
  return { name: address, model: recipe.model, since: changed, noteLost: 'records' }
}

/** Who works in a folder holds its claim, but for the moment between the note and the claim. */
function whereaboutsOf(
  { changed }: OwnFolder,
  note: SignedNote | undefined,
  { folders, machine }: Workspaces,
): 'at work' | 'held' | 'gone' | 'unknown' {
  const { disk, clock } = machine
  const self = machine.self()
  const holder = seeHolder(folders.claim, { disk, self })
  if (holder) return holder.is === 'alive' ? 'at work' : 'held'
  // The claim was given back, or its holder is gone.
  if (highestJournal(folders.journal, disk) > 0) return 'gone'
  if (!note) return changed !== undefined && clock.wall() - changed > hourMs ? 'gone' : 'unknown'
  const author = whereabouts(note.by, self)
  if (author === 'alive') return 'at work'
  return author === 'gone' ? 'gone' : 'unknown'
}

/** Between the folder and its note a process may have been killed; one that is at work is done with that in no time. */
const hourMs = 3_600_000
