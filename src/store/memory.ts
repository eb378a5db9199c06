import type { Failure } from '../base/failure.ts'
import type { Digest, JobAddress } from '../base/names.ts'
import type { Beginning, Billed, RemoteFile, RunRef, SavedFile } from '../base/state.ts'
import type { JournalEntry } from './journal-text.ts'

/** What the journal knows of one job (RELIABILITY.md section 3, recovery). */
export type JobMemory = Standing & {
  /**
   * What was ordered last: recipe, idempotency key, and the date of the key's first use. Absent for a job whose order
   * stands in the lock only, and after the user decided that the order is over: then the next one has a new key.
   */
  readonly intent?: Intent
  /** Paid requests of which nobody knows what became. While there is one, the job must not be bought again. */
  readonly doubts: readonly Doubt[]
  /** Files that were verified on their way to their final names, in order of `nth`. */
  readonly saved: readonly SavedPart[]
  /** Downloads that broke off; absent when there are none. */
  readonly parts?: readonly BrokenPart[]
  /** What was made before the order that is open now, and may lie under its names; absent when nothing was. */
  readonly older?: readonly SavedFile[]
}

export type Standing =
  /** Nothing of it was ever bought: it may be ordered, with the key it has. */
  | { readonly is: 'planned' }
  /** The oldest of `doubts`, in words. */
  | { readonly is: 'doubt'; readonly detail: string; readonly since: number; readonly raw?: string }
  | { readonly is: 'accepted'; readonly run: RunRef }
  | { readonly is: 'result'; readonly files: readonly RemoteFile[]; readonly run?: RunRef }
  | {
      readonly is: 'done'
      readonly files: readonly SavedFile[]
      readonly run?: RunRef
      readonly flaw?: Failure
    }
  | {
      readonly is: 'failed'
      readonly failure: Failure
      readonly billed: Billed
      readonly run?: RunRef
      /** What was made last before the order that failed: it is still there. */
      readonly made?: JobMemory & { readonly is: 'done' }
    }

export type Intent = Omit<JournalEntry & { kind: 'INTENT' }, 'kind' | 'address' | 'attempt'>

export interface Doubt {
  readonly attempt: string
  readonly key: string | undefined
  /** When its first byte was let go, in milliseconds since 1970. */
  readonly since: number
  /** `told`: an answer came, and it proves nothing. `unanswered`: genrun stopped before any. */
  readonly is: 'told' | 'unanswered'
  readonly detail: string
  /** The spool file with what was received. */
  readonly raw?: string
}

export interface SavedPart {
  readonly nth: number
  readonly file: SavedFile
  readonly part: string
  /** Of the whole result; with its last file only. */
  readonly flaw?: Failure
}

export interface BrokenPart {
  readonly nth: number
  /** Absent in records of earlier versions: such a download begins anew. */
  readonly part?: string
  readonly beginning: Beginning
}

/** What an earlier run left of a job's file: all of it, verified, or its beginning. */
export type Remains =
  | { readonly is: 'whole'; readonly part: string; readonly digest: Digest }
  | { readonly is: 'begun'; readonly part: string; readonly beginning: Beginning }

export function remainsOf({ saved, parts = [] }: JobMemory, nth: number): Remains | undefined {
  const whole = saved.find(each => each.nth === nth)
  if (whole) return { is: 'whole', part: whole.part, digest: whole.file.digest }
  const begun = parts.find(each => each.nth === nth)
  if (begun?.part === undefined) return undefined
  return { is: 'begun', part: begun.part, beginning: begun.beginning }
}

/** What is known per job after all these records, in the order in which the jobs first appear. Pure. */
export function foldJournal(entries: Iterable<JournalEntry>): Map<JobAddress, JobMemory> {
  const lives = new Map<JobAddress, Life>()
  for (const entry of entries) {
    if (!('address' in entry)) continue
    lives.set(entry.address, after(lives.get(entry.address) ?? unknown, entry))
  }
  return new Map([...lives].map(([address, life]) => [address, memoryOf(life)]))
}

/** All that a job's records say, also for what will follow them: records that say the same can stand for each other. */
export function lifeAfter(entries: readonly JobEntry[]): Life {
  return entries.reduce(after, unknown)
}

/** A job in the middle of the records. */
interface Life {
  /** What is known for sure; doubts are told in its place at the end. */
  readonly known: Exclude<Standing, { is: 'doubt' }>
  readonly intent?: Intent
  readonly doubts: readonly Doubt[]
  readonly saved: readonly SavedPart[]
  readonly parts: readonly BrokenPart[]
  readonly older: readonly SavedFile[]
  /** What was known before the present order, which may come to nothing; not of what is done. */
  readonly before?: Life
}

const unknown: Life = { known: { is: 'planned' }, doubts: [], saved: [], parts: [], older: [] }

export type JobEntry = Extract<JournalEntry, { address: JobAddress }>

function after(life: Life, entry: JobEntry): Life {
  switch (entry.kind) {
    case 'INTENT':
      return intend(life, entry)
    case 'SENDING':
      return { ...life, doubts: [...life.doubts, openAttempt(life, entry)] }
    case 'NOTSENT':
    case 'REFUSED':
      // Proves something about this attempt only, and nothing once a doubt was told.
      return {
        ...life,
        doubts: life.doubts.filter(doubt => doubt.attempt !== entry.attempt || doubt.is === 'told'),
      }
    case 'DOUBT':
      return { ...life, doubts: tellDoubt(life, entry) }
    case 'ACCEPTED':
      return answered(life, { is: 'accepted', run: entry.run }, keyOf(life, entry.attempt))
    case 'RESULT':
      return answered(life, { is: 'result', files: entry.files, ...runOf(life, entry) })
    case 'PART': {
      const { nth, part, beginning } = entry
      const broken = { nth, ...(part !== undefined && { part }), beginning }
      return { ...life, parts: [...without(life.parts, nth), broken] }
    }
    case 'SAVED':
      // From now on its part may be the published file, which nobody may write to.
      return { ...life, saved: savePart(life.saved, entry), parts: without(life.parts, entry.nth) }
    case 'DONE':
      return done(answered(life, doneOf(life, entry)))
    case 'FAILED':
      return { ...fail(life, entry), saved: [], parts: [] }
    case 'RESOLVE':
      return resolve(life, entry)
  }
}

/** A new key begins a new order; what was known stays true until this order comes to something. */
function intend(life: Life, entry: JobEntry & { kind: 'INTENT' }): Life {
  if (life.intent?.key === entry.key) return life
  const { kind: _, address: __, attempt: ___, ...intent } = entry
  return { ...unknown, ...before(life), intent, doubts: life.doubts, older: made(life) }
}

/** What stays true when the present order comes to nothing. */
function before(life: Life): { readonly before?: Life } {
  const known = life.known.is === 'planned' ? life.before : life
  return known ? { before: known } : {}
}

/** What may lie under names of ours: what was verified got its name, or nearly. */
function made({ known, saved, older }: Life): readonly SavedFile[] {
  return known.is === 'done' ? known.files : [...older, ...saved.map(({ file }) => file)]
}

function openAttempt(life: Life, entry: JobEntry & { kind: 'SENDING' | 'NOTSENT' }): Doubt {
  const detail = 'genrun stopped before an answer came'
  return { attempt: entry.attempt, key: life.intent?.key, since: entry.at, is: 'unanswered', detail }
}

function tellDoubt(life: Life, entry: JobEntry & { kind: 'REFUSED' | 'DOUBT' }): Doubt[] {
  const { attempt, detail, raw, at } = entry
  const open = life.doubts.find(doubt => doubt.attempt === attempt)
  const told: Doubt = {
    attempt,
    key: open?.key ?? life.intent?.key,
    since: open?.since ?? at,
    is: 'told',
    detail,
    ...(raw !== undefined && { raw }),
  }
  return open ? life.doubts.map(doubt => (doubt === open ? told : doubt)) : [...life.doubts, told]
}

/** The service has the order: every attempt with its key is that one order. Older doubts stay. */
function answered(life: Life, known: Life['known'], key = life.intent?.key): Life {
  return { ...life, known, doubts: key === undefined ? [] : life.doubts.filter(doubt => doubt.key !== key) }
}

/** Its files have taken the places of all that was before. */
function done(life: Life): Life {
  const { before: _, ...rest } = life
  return { ...rest, saved: [], parts: [], older: [] }
}

/**
 * A run that failed is what the service made of its order: every attempt with its key is that one. That nothing was
 * bought proves it of the attempts that were not answered, and of no doubt that was told; then what was there before is
 * still the truth.
 */
function fail(life: Life, entry: JobEntry & { kind: 'FAILED' }): Life {
  const { failure, billed } = entry
  const { before } = life
  const isOther = (doubt: Doubt) => doubt.key !== life.intent?.key
  const doubts = life.doubts.filter(doubt => isOther(doubt) || (billed === 'no' && doubt.is === 'told'))
  if (billed === 'no' && before && doubts.every(isOther)) return { ...before, doubts }
  return { ...life, known: { is: 'failed', failure, billed, ...runOf(life, entry) }, doubts }
}

function resolve(life: Life, entry: JobEntry & { kind: 'RESOLVE' }): Life {
  const { decision } = entry
  switch (decision.is) {
    case 'adopt':
      return {
        ...unknown,
        ...before(life),
        known: { is: 'accepted', run: decision.run },
        older: made(life),
        ...(life.intent && { intent: life.intent }),
      }
    case 'rebuy':
      return withoutDebts(life)
    case 'abandon': {
      // A run that was accepted is no doubt: it is its result that never came.
      const why = life.known.is === 'accepted' || life.known.is === 'result' ? 'undelivered' : 'in-doubt'
      const failure: Failure = { why, detail: 'given up by hand' }
      const known = { is: 'failed', failure, billed: 'unknown', ...runOf(life, {}) } as const
      return {
        ...unknown,
        ...before(life),
        known,
        older: made(life),
        ...(life.intent && { intent: life.intent }),
      }
    }
  }
}

/** A doubt that is forgotten leaves the older result that was there before it; what has moved away leaves nothing. */
function withoutDebts(life: Life): Life {
  const older = life.known.is === 'planned' ? life.before : life
  const stays = life.doubts.length > 0 && (older?.known.is === 'done' || older?.known.is === 'result')
  return stays ? { ...older, doubts: [] } : unknown
}

function doneOf(life: Life, entry: JobEntry & { kind: 'DONE' }): Life['known'] {
  return { is: 'done', files: entry.files, ...runOf(life, entry), ...(entry.flaw && { flaw: entry.flaw }) }
}

function runOf(life: Life, entry: { readonly run?: RunRef }): { readonly run?: RunRef } {
  const run = entry.run ?? ('run' in life.known ? life.known.run : undefined)
  return run ? { run } : {}
}

function keyOf(life: Life, attempt: string): string | undefined {
  return life.doubts.find(doubt => doubt.attempt === attempt)?.key ?? life.intent?.key
}

function savePart(
  saved: readonly SavedPart[],
  { nth, file, part, flaw }: JobEntry & { kind: 'SAVED' },
): SavedPart[] {
  const present = { nth, file, part, ...(flaw && { flaw }) }
  return [...saved.filter(other => other.nth !== nth), present].toSorted((a, b) => a.nth - b.nth)
}

function without(parts: readonly BrokenPart[], nth: number): BrokenPart[] {
  return parts.filter(other => other.nth !== nth)
}

function memoryOf(life: Life): JobMemory {
  const { doubts } = life
  // An order that was never sent, or was refused, leaves what was there before it; one in doubt does not.
  const isOpen = doubts.some(doubt => doubt.key === life.intent?.key)
  const standing = life.known.is === 'planned' && !isOpen ? (life.before ?? life) : life
  const { known, intent, saved, parts, older } = standing
  const made = known.is === 'failed' ? lastMade(standing) : undefined
  const rest = {
    ...(made && { made }),
    ...(intent && { intent }),
    doubts,
    saved,
    ...(parts.length > 0 && { parts }),
    ...(older.length > 0 && { older }),
  }
  const [oldest] = doubts
  // What is paid for is fetched first, doubts or not; a failure or an older result must not hide them.
  if (!oldest || known.is === 'accepted' || known.is === 'result') return { ...known, ...rest }
  const { detail, since, raw } = oldest
  return { is: 'doubt', detail, since, ...(raw !== undefined && { raw }), ...rest }
}

function lastMade({ before }: Life): (JobMemory & { is: 'done' }) | undefined {
  for (let life = before; life; life = life.before) {
    const memory = life.known.is === 'done' ? memoryOf({ ...life, doubts: [] }) : undefined
    if (memory?.is === 'done') return memory
  }
  return undefined
}
