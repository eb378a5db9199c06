import type { Json } from '../base/names.ts'
import type { LockEntry, Recipe, RunRef, SavedFile } from '../base/state.ts'
import { canonicalJson } from './digest.ts'
import { readEntry } from './lock-entry.ts'

/** What was made, or is under way, from what. Committed with the manifest. */
export interface Lock {
  /** 32 hexadecimal digits, made once: ties the lock to its journal. */
  readonly lineage: string
  /** The manifest's file name: `teapots.yaml`. */
  readonly manifest: string
  /** One entry per address; any order, written sorted. */
  readonly jobs: readonly LockEntry[]
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
}

/**
 * The lock as text: valid JSON, a header line, one job a line sorted by address (by UTF-16 units, whatever the
 * language), and a closing `null`, which lets every job end in a comma, so that git merges by line. Equal locks are equal
 * texts; nothing in it depends on when or where it was written.
 */
export function writeLock({ lineage, manifest, jobs }: Lock): string {
  const header = `{"genrun":1,"lineage":${JSON.stringify(lineage)},"manifest":${JSON.stringify(manifest)},"jobs":[`
  const sorted = jobs.toSorted((a, b) => (a.address < b.address ? -1 : 1))
  return `${header}\n${sorted.map(job => `${lineOf(job)},\n`).join('')}null]}\n`
}

/** Reads what `writeLock` wrote, also when git changed its line ends. Everything else is damage, in words. Pure. */
export function readLock(text: string, manifest?: string): LockReading {
  const plain = text.replace(/^\ufeff/, '')
  if (plain.trim() === '') return damage('empty', 'it is empty')
  if (/^\ufffd|\0/.test(plain)) return damage('encoding', 'it is not UTF-8 text')
  const conflict = plain.search(/^(<{7}|={7}|>{7}|\|{7})( |\r?$)/m)
  if (conflict >= 0)
    return damage('conflict', 'it holds the marks of a merge conflict', lineAt(plain, conflict))
  const whole = parse(plain)
  if (whole === undefined) return unparsed(plain)
  return readWhole(whole, plain, manifest)
}

function readWhole(whole: unknown, text: string, manifest: string | undefined): LockReading {
  const { genrun, lineage, manifest: name, jobs } = isRecord(whole) ? whole : {}
  if (typeof genrun === 'number' && genrun > 1) {
    return damage('newer', `it was written by a newer genrun (format ${genrun}, this one knows 1)`)
  }
  const isHead = genrun === 1 && typeof lineage === 'string' && /^[0-9a-f]{32}$/.test(lineage)
  if (!isHead || typeof name !== 'string' || !Array.isArray(jobs))
    return damage('foreign', 'it is not a lock of genrun')
  if (manifest !== undefined && name !== manifest) {
    return damage('other-manifest', `it belongs to the manifest ${name}, not to ${manifest}`)
  }
  if (jobs.at(-1) !== null) return damage('cut', 'its last line is missing')
  return readJobs(jobs.slice(0, -1), text, { lineage, manifest: name })
}

function readJobs(found: readonly unknown[], text: string, head: Omit<Lock, 'jobs'>): LockReading {
  const jobs = new Map<string, LockEntry>()
  for (const [index, each] of found.entries()) {
    const entry = readEntry(each)
    const why =
      typeof entry === 'string'
        ? entry
        : jobs.has(entry.address) && `the job ${entry.address} stands in it twice`
    // Written by us, the first job stands in the second line.
    if (why !== false)
      return damage('entry', why, index + 2 <= text.split('\n').length ? index + 2 : undefined)
    if (typeof entry !== 'string') jobs.set(entry.address, entry)
  }
  return { got: 'lock', lock: { ...head, jobs: [...jobs.values()] } }
}

/** Text that is no JSON: its end is missing, or something in it was altered. */
function unparsed(text: string): LockDamage {
  const head = text.trim().slice(0, '{"genrun"'.length)
  if (!'{"genrun"'.startsWith(head)) return damage('foreign', 'it is not a lock of genrun')
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

function isRecord(value: unknown): value is { readonly [key: string]: unknown } {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

function lineAt(text: string, offset: number): number {
  return text.slice(0, offset).split('\n').length
}

function damage(kind: LockDamage['damage'], why: string, line?: number): LockDamage {
  return { got: 'damaged', damage: kind, why, ...(line !== undefined && { line }) }
}

// A save writes all jobs, and most have not changed since the last one.
const lines = new WeakMap<LockEntry, string>()

function lineOf(entry: LockEntry): string {
  const known = lines.get(entry)
  if (known !== undefined) return known
  const line = object({
    address: canonicalJson(entry.address),
    state: canonicalJson(entry.state),
    recipe: recipeText(entry.recipe),
    run: entry.run && runText(entry.run),
    files: `[${entry.files.map(fileText).join()}]`,
    picked: entry.picked && 'true',
    flaw:
      entry.flaw &&
      object({ why: canonicalJson(entry.flaw.why), message: canonicalJson(entry.flaw.message) }),
  })
  lines.set(entry, line)
  return line
}

function recipeText({ version, model, params, defaults, inputs, take }: Recipe): string {
  return flat({ version, model, params, defaults, inputs, take })
}

function runText({ workflow, id }: RunRef): string {
  return flat({ workflow, id })
}

function fileText({ path, digest, bytes, type, width, height, seconds }: SavedFile): string {
  return flat({ path, digest, bytes, type, width, height, seconds })
}

/** An object with its members in the order given; inside them keys are sorted. */
function flat(members: { readonly [key: string]: Json | undefined }): string {
  return object(
    Object.fromEntries(
      Object.entries(members).map(([key, value]) => [
        key,
        value === undefined ? undefined : canonicalJson(value),
      ]),
    ),
  )
}

/** An object of members that are JSON text already. */
function object(members: { readonly [key: string]: string | undefined }): string {
  const written = Object.entries(members).flatMap(([key, text]) =>
    text === undefined ? [] : [`${JSON.stringify(key)}:${text}`],
  )
  return `{${written.join()}}`
}
