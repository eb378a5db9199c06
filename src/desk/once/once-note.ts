import { join } from 'node:path'
import type { Json, JsonObject } from '../../base/names.ts'
import type { RemoteFile, RunRef } from '../../base/state.ts'
import { type Journal, openJournal, readJournal } from '../../store/journal.ts'
import { foldJournal } from '../../store/memory.ts'
import { type Holder, whereabouts } from '../../store/process.ts'
import { openSpool } from '../../store/spool.ts'
import { StorageTrouble } from '../../store/trouble.ts'
import { writeWhole } from '../../store/whole.ts'
import type { Machine } from '../ground/machine.ts'
import { type OnceFolder, onceFolders } from './scratch.ts'

/** What is written down beside the journal of one generation, before anything is sent. */
export interface OnceNote {
  /** The files' name inside the output folder, without ending. */
  readonly name: string
  readonly model: string
  /** Whether the name was asked for, or is a new one each time. */
  readonly named: boolean
  readonly rehearsal: boolean
  /** The call that ordered it, where that is known: the same call is not ordered again while this is owed. */
  readonly asked?: string
  readonly by: Holder
  /** In milliseconds since 1970. */
  readonly since: number
}

/** What whoever orders says of it. */
export type OrderNote = Omit<OnceNote, 'by' | 'since'>

type MachineParts = Pick<Machine, 'disk' | 'clock' | 'random' | 'self'>

/** Writes the note and opens the journal of one generation; both are durable then. Rejects with StorageTrouble. */
export async function openNote(
  folder: string,
  note: OrderNote,
  { disk, clock, random, self }: MachineParts,
): Promise<Journal> {
  const whole: OnceNote = { ...note, by: self(), since: clock.now() }
  await writeWhole(disk, join(folder, noteName), JSON.stringify(whole), { mode: 0o600 })
  const journal = { folder: join(folder, 'journal'), lineage: random.token(), tool: 'genrun', disk, clock }
  const opened = await openJournal(journal)
  if (opened.got === 'journal') return opened.journal
  throw new StorageTrouble(opened.file, 'read', opened.why)
}

const noteName = 'order.json'

/** A generation that somebody paid for, or may have, and whose files are not in their places. */
export type LeftBehind = OnceNote & {
  /** Its folder inside the output folder, absolute. */
  readonly folder: string
  /** What it was ordered with, without files. */
  readonly params: JsonObject
  /** Of the service that has the order. */
  readonly origin: string
} & Owed

type Owed =
  | { readonly owes: 'run'; readonly run: RunRef }
  /** The answer has come, and lies in the folder or behind links. */
  | { readonly owes: 'files'; readonly files: readonly RemoteFile[]; readonly run?: RunRef }
  /** It was sent, and nobody knows what became of it. `raws`: what was received, by its path. */
  | { readonly owes: 'doubt'; readonly detail: string; readonly raws: readonly string[] }
  /** Its journal cannot be read. */
  | { readonly owes: 'unreadable'; readonly detail: string }

/** What generations that are over left in an output folder. Looks, and touches nothing. Throws StorageTrouble. */
export function leftBehind(output: string, machine: MachineParts): LeftBehind[] {
  return surveyed(output, machine).flatMap(({ owed }) => owed ?? [])
}

/** The same, after everything was taken away that nobody needs any more: of rehearsals, refused orders, done ones. */
export function sweepLeftBehind(output: string, machine: MachineParts): LeftBehind[] {
  return surveyed(output, machine).flatMap(({ folder, isGone, owed }) => {
    if (owed) return owed
    if (isGone) folder.clear()
    return []
  })
}

interface Surveyed {
  readonly folder: OnceFolder
  /** Certain: its process is over, or it was closed by it. */
  readonly isGone: boolean
  readonly owed: LeftBehind | undefined
}

function surveyed(output: string, machine: MachineParts): Surveyed[] {
  const here = machine.self()
  return onceFolders(output, machine.disk).flatMap(folder => {
    const note = readNote(join(folder.path, noteName), machine)
    if (note === 'none') return { folder, isGone: isOld(folder, machine), owed: undefined }
    const where = whereabouts(note.by, here)
    const reading = readJournal(join(folder.path, 'journal'), machine.disk)
    const isClosed = reading.got === 'records' && reading.entries.at(-1)?.kind === 'CLOSE'
    if (where === 'alive' && !isClosed) return []
    const isGone = where === 'gone' || isClosed
    if (note.rehearsal) return { folder, isGone, owed: undefined }
    return { folder, isGone, owed: owedBy(note, folder.path, reading, machine) }
  })
}

/** Between the folder and its note a process may have been killed; one that is at work is done with that in no time. */
function isOld({ changed }: OnceFolder, { clock }: MachineParts): boolean {
  return changed !== undefined && clock.now() - changed > 3_600_000
}

function owedBy(
  note: OnceNote,
  folder: string,
  reading: ReturnType<typeof readJournal>,
  { disk }: MachineParts,
): LeftBehind | undefined {
  if (reading.got === 'damaged') {
    const detail = `${reading.file}: ${reading.why}, at byte ${reading.offset}`
    return { ...note, folder, params: {}, origin: '', owes: 'unreadable', detail }
  }
  const [memory] = foldJournal(reading.entries).values()
  if (!memory) return undefined
  const about = {
    ...note,
    folder,
    params: memory.intent?.recipe.params ?? {},
    origin: memory.intent?.origin ?? '',
  }
  switch (memory.is) {
    case 'accepted':
      return { ...about, owes: 'run', run: memory.run }
    case 'result': {
      const files = filesNow(memory.files, folder, disk)
      const { run } = memory
      if (files) return { ...about, owes: 'files', files, ...(run && { run }) }
      if (run) return { ...about, owes: 'run', run }
      return { ...about, owes: 'unreadable', detail: 'its answer is no longer in the folder' }
    }
    case 'doubt': {
      const raws = memory.doubts.flatMap(({ raw }) => raw ?? [])
      return { ...about, owes: 'doubt', detail: memory.detail, raws }
    }
    case 'planned':
    case 'done':
    case 'failed':
      return undefined
  }
}

/** Only what lies in the folder itself: a journal that came with a checkout may name anything. */
function filesNow(
  files: readonly RemoteFile[],
  folder: string,
  disk: Machine['disk'],
): RemoteFile[] | undefined {
  const { find } = openSpool(join(folder, 'spool'), disk)
  const found = files.map(file => {
    if (file.from === 'link') return file
    const path = find(file.path)
    return path === undefined ? undefined : { ...file, path }
  })
  const there = found.filter(file => file !== undefined)
  return there.length === files.length ? there : undefined
}

function readNote(path: string, { disk }: MachineParts): OnceNote | 'none' {
  if (disk.look(path)?.is !== 'file') return 'none'
  try {
    const value: Json = JSON.parse(Buffer.from(disk.readAll(path)).toString())
    return isNote(value) ? value : 'none'
  } catch (trouble) {
    if (trouble instanceof SyntaxError) return 'none'
    throw trouble
  }
}

function isNote(value: unknown): value is OnceNote {
  const note = value as Partial<OnceNote> | null // each member is looked at
  return (
    typeof note === 'object' &&
    typeof note?.name === 'string' &&
    typeof note.model === 'string' &&
    typeof note.since === 'number' &&
    typeof note.by === 'object'
  )
}
