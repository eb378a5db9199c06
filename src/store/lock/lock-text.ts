import { defined } from '../../base/defined.ts'
import type { Json, JsonObject } from '../../base/names.ts'
import { type Flaw, paidFiles } from '../../base/purchase.ts'
import type { Recipe, RunRef, SavedFile } from '../../base/state.ts'
import { conflictAt } from '../files/conflict.ts'
import { isJsonList } from '../files/digest.ts'
import { inPieces } from '../files/pieces.ts'
import { rememberLast } from '../files/remember-last.ts'
import { isRecord, type Locked, type lockStates, readEntry } from './lock-entry.ts'

export type { Locked } from './lock-entry.ts'

/** What was made, or is under way, from what. Committed with the manifest. */
export interface Lock {
  /** 32 hexadecimal digits, made once: ties the lock to its journal. */
  readonly lineage: string
  /** The manifest's file name: `teapots.yaml`. */
  readonly manifest: string
  /** One for each purchase; any order, written sorted. */
  readonly jobs: readonly Locked[]
}

export type LockReading = { readonly got: 'lock'; readonly lock: Lock } | LockDamage

export interface LockDamage {
  readonly got: 'damaged'
  readonly damage:
    | 'empty'
    | 'encoding'
    | 'conflict'
    | 'cut'
    | 'foreign'
    | 'newer'
    | 'other-manifest'
    | 'entry'
  /** What is wrong, after the file's name: `it ends in the middle`. */
  readonly why: string
  /** Counted from 1, where one line is to blame. */
  readonly line?: number
  /** That of `other-manifest`. */
  readonly manifest?: string
}

/**
 * The lock as text: valid JSON, a header line, one purchase a line sorted by address (by UTF-16 units, whatever the
 * language) and id, and a closing `null`, which lets every job end in a comma, so that git merges by line. Equal locks are equal
 * texts; nothing in it depends on when or where it was written.
 */
export function writeLock(lock: Lock): string {
  return [...lockPieces(lock)].join('')
}

/** The same text in pieces: of 100,000 purchases it has 50 MB, which nobody needs at once. */
export function lockPieces(lock: Lock): Iterable<string> {
  return inPieces(linesOf(lock))
}

function* linesOf({ lineage, manifest, jobs }: Lock): Generator<string, void> {
  yield `{"genrun":${format},"lineage":${JSON.stringify(lineage)},"manifest":${JSON.stringify(manifest)},"jobs":[`
  for (const job of inOrder(jobs)) yield `${lineOf(job)},`
  yield 'null]}'
}

export function inOrder(jobs: readonly Locked[]): Locked[] {
  return jobs.toSorted((a, b) => (isBefore(a, b) ? -1 : 1))
}

/** Locks of format 1 knew a purchase by its job alone, and are still read. */
const format = 2

function isBefore(a: Locked, b: Locked): boolean {
  return a.address === b.address ? a.id < b.id : a.address < b.address
}

/** Reads what `writeLock` wrote, also when git changed its line ends. Everything else is damage, in words. Pure. */
export function readLock(text: string, manifest?: string): LockReading {
  const last = lastLock.get()
  if (last?.text === text) return otherManifest(last.lock, manifest) ?? { got: 'lock', lock: last.lock }
  const reading = readAnew(text, manifest)
  if (reading.got === 'lock') lastLock.keep({ text, lock: reading.lock })
  return reading
}

const lastLock = rememberLast<{ readonly text: string; readonly lock: Lock }>()

function readAnew(text: string, manifest: string | undefined): LockReading {
  const plain = text.replace(/^\ufeff/, '')
  const whole = parse(plain)
  // Nothing of what is looked for there can stand in JSON, and a lock may be long.
  if (whole === undefined) return unparsed(plain)
  return readWhole(whole, plain, manifest)
}

function readWhole(whole: unknown, text: string, manifest: string | undefined): LockReading {
  const { genrun, lineage, manifest: name, jobs } = isRecord(whole) ? whole : {}
  if (typeof genrun === 'number' && genrun > format) {
    return damage('newer', `it was written by a newer genrun (format ${genrun}, this one knows ${format})`)
  }
  const isHead =
    (genrun === 1 || genrun === format) && typeof lineage === 'string' && /^[0-9a-f]{32}$/.test(lineage)
  if (!isHead || typeof name !== 'string' || !Array.isArray(jobs))
    return damage('foreign', 'it is not a lock of genrun')
  const other = otherManifest({ manifest: name }, manifest)
  if (other) return other
  if (jobs.at(-1) !== null) return damage('cut', 'its last line is missing')
  return readJobs(jobs.slice(0, -1), text, { lineage, manifest: name })
}

/** What is wrong with the lock when it is to be that of a manifest. */
function otherManifest(
  { manifest: name }: Pick<Lock, 'manifest'>,
  manifest: string | undefined,
): LockDamage | undefined {
  if (manifest === undefined || name === manifest) return undefined
  return {
    ...damage('other-manifest', `it belongs to the manifest ${name}, not to ${manifest}`),
    manifest: name,
  }
}

function readJobs(found: readonly unknown[], text: string, head: Omit<Lock, 'jobs'>): LockReading {
  const jobs = new Map<string, Locked>()
  for (const [index, each] of found.entries()) {
    const entry = readEntry(each)
    const why =
      typeof entry === 'string'
        ? entry
        : jobs.has(entry.id) && `a purchase of the job ${entry.address} stands in it twice`
    // Written by us, the first job stands in the second line.
    if (why !== false)
      return damage('entry', why, index + 2 <= text.split('\n').length ? index + 2 : undefined)
    if (typeof entry !== 'string') jobs.set(entry.id, entry)
  }
  return { got: 'lock', lock: { ...head, jobs: [...jobs.values()] } }
}

/** Text that is no JSON: two sides of a merge stand in it, its end is missing, or something in it was altered. */
function unparsed(text: string): LockDamage {
  if (text.trim() === '') return damage('empty', 'it is empty')
  // Of UTF-16 every other byte of its first words is none.
  if (/^(\ufffd|.?\0)/.test(text)) return damage('encoding', 'it is not UTF-8 text')
  const conflict = conflictAt(text)
  if (conflict >= 0)
    return damage('conflict', 'it holds the marks of a merge conflict', lineAt(text, conflict))
  const head = text.trim().slice(0, '{"genrun"'.length)
  if (!'{"genrun"'.startsWith(head)) return damage('foreign', 'it is not a lock of genrun')
  const zero = text.indexOf('\0')
  if (zero >= 0) return damage('entry', 'it holds a byte of zero, which no text has', lineAt(text, zero))
  if (!/\bnull\s*\]\s*\}\s*$/.test(text)) return damage('cut', 'it ends in the middle')
  const bad = text.split('\n').findIndex((line, index) => index > 0 && line.startsWith('{') && !isJob(line))
  return damage('entry', 'it is not valid JSON', bad < 0 ? undefined : bad + 1)
}

function isJob(line: string): boolean {
  return parse(line.trimEnd().replace(/,$/, '')) !== undefined
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}

function lineAt(text: string, offset: number): number {
  return text.slice(0, offset).split('\n').length
}

function damage(kind: LockDamage['damage'], why: string, line?: number): LockDamage {
  return { got: 'damaged', damage: kind, why, ...defined({ line }) }
}

// Of most batches each save finds the lines of the one before. Of a hundred thousand they would be the largest part of what finished jobs
// leave in memory, so that only the first of a process are held: later ones are made anew at each save.
const lines = new WeakMap<Locked, string>()
const mostHeld = 30_000
let held = 0

/** One purchase as its line has it, without the comma. */
export function lineOf(entry: Locked): string {
  const known = lines.get(entry)
  if (known !== undefined) return known
  const line = newLine(entry)
  if (held++ < mostHeld) lines.set(entry, line)
  return line
}

function newLine(entry: Locked): string {
  const { address, id, recipe, acceptedAs, redo, credits } = entry
  const run = 'run' in entry ? entry.run : undefined
  return JSON.stringify({
    address,
    state: stateOf(entry),
    id,
    recipe: recipeMembers(recipe),
    acceptedAs: acceptedAs && recipeMembers(acceptedAs),
    run: run && runMembers(run),
    files: paidFiles(entry).map(fileMembers),
    picked: entry.is === 'done' && entry.picked ? true : undefined,
    byHand: entry.is === 'done' && entry.byHand ? true : undefined,
    redo: redo ? true : undefined,
    past: entry.is === 'failed' && entry.isPast ? true : undefined,
    credits: measured(credits),
    flaw: flawOf(entry),
  })
}

function stateOf(entry: Locked): (typeof lockStates)[number] {
  if (entry.is === 'under-way') return 'running'
  return entry.is === 'done' && entry.aside ? 'aside' : entry.is
}

function flawOf(entry: Locked): Flaw | undefined {
  switch (entry.is) {
    case 'done':
    case 'failed':
      return entry.flaw && { why: entry.flaw.why, message: entry.flaw.message }
    case 'doubt':
      return { why: 'in-doubt', message: entry.detail }
    case 'under-way':
      return undefined
  }
}

// Each member is named in the order of the text; a purchase is what several places made, and has its members in theirs.

function recipeMembers({ version, model, service, params, defaults, inputs, take }: Recipe): Recipe {
  return {
    version,
    model,
    service,
    params: sorted(params),
    defaults: sorted(defaults),
    inputs: sorted(inputs),
    take,
  } as Recipe // `service: undefined` is not written
}

function runMembers({ workflow, id, origin }: RunRef): RunRef {
  return { workflow, id, origin } as RunRef // as above
}

function fileMembers({ path, digest, bytes, type, width, height, seconds, looked, link }: SavedFile): object {
  return {
    path,
    digest,
    bytes,
    type,
    width: measured(width),
    height: measured(height),
    seconds: measured(seconds),
    looked: looked && sorted(looked as unknown as JsonObject), // JSON throughout
    link,
  }
}

/** What is no number JSON does not have, and would read as damage. */
function measured(value: number | undefined): number | undefined {
  return Number.isFinite(value) ? value : undefined
}

/**
 * The same with all keys sorted by UTF-16 units; most are, and are given back as they are. Whole numbers stand before other keys, as
 * everywhere in JavaScript.
 */
function sorted(value: JsonObject): JsonObject
function sorted(value: Json): Json
function sorted(value: Json): Json {
  if (value === null || typeof value !== 'object' || isSorted(value)) return value
  if (isJsonList(value)) return value.map(each => sorted(each))
  const members = Object.entries(value).map(([key, member]) => [key, sorted(member)] as const)
  return Object.fromEntries(members.toSorted(([a], [b]) => (a < b ? -1 : 1)))
}

function isSorted(value: Json): boolean {
  if (value === null || typeof value !== 'object') return true
  if (isJsonList(value)) return value.every(isSorted)
  const keys = Object.keys(value)
  return keys.every((key, nth) => key >= (keys[nth - 1] ?? '')) && Object.values(value).every(isSorted)
}
