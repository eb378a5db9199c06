import type { PurchaseId } from '../base/names.ts'
import { type Locked, readEntry } from './lock-entry.ts'
import { lineOf } from './lock-text.ts'

/** Whose results an index tells of. */
export interface ResultsOwner {
  /** The manifest's file name: `teapots.yaml`. */
  readonly manifest: string
  /** The manifest's folder as seen from the output folder, with forward slashes: `../..`. */
  readonly folder: string
  /** Of the lock that knows the same. */
  readonly lineage: string
}

export interface ResultsReading {
  /** By the last line that names one: results move along with a manifest that was renamed. */
  readonly owner: ResultsOwner
  /** How each purchase stands by its last line. */
  readonly purchases: ReadonlyMap<PurchaseId, Locked>
  /** Nothing of them is owed, and nothing of them is there. */
  readonly over: ReadonlySet<PurchaseId>
  /** Lines that tell of a purchase, those included that others have replaced. */
  readonly lines: number
}

/**
 * The index of an output folder as text: one JSON object a line. A line with `genrun` says whose results follow, one with
 * `over` ends a purchase, and every other is a purchase as the lock has it. Lines are only added; the last one of a
 * purchase counts.
 */
export function ownerLine({ manifest, folder, lineage }: ResultsOwner): string {
  return JSON.stringify({ genrun: format, manifest, folder, lineage })
}

const format = 2

export function overLine(id: PurchaseId): string {
  return JSON.stringify({ over: id })
}

export function writeResults(owner: ResultsOwner, purchases: Iterable<Locked>): string {
  return [ownerLine(owner), ...[...purchases].map(lineOf)].map(line => `${line}\n`).join('')
}

/**
 * Anyone who can write to the output folder can write anything here: a line is checked as one of a lock is. One that is
 * torn, or that a later genrun wrote, says nothing. Undefined for a text that names no owner. Pure.
 */
export function readResults(text: string): ResultsReading | undefined {
  let owner: ResultsOwner | undefined
  let lines = 0
  const purchases = new Map<PurchaseId, Locked>()
  const over = new Set<PurchaseId>()
  for (const line of text.split('\n')) {
    const value = parse(line)
    if (!value) continue
    if ('genrun' in value) {
      owner = ownerOf(value) ?? owner
      continue
    }
    if (typeof value.over === 'string') {
      const id = value.over as PurchaseId // compared with ids only
      purchases.delete(id)
      over.add(id)
      lines++
      continue
    }
    const entry = readEntry(value)
    if (typeof entry === 'string') continue
    // The last line of a purchase is its place as well.
    purchases.delete(entry.id)
    purchases.set(entry.id, entry)
    over.delete(entry.id)
    lines++
  }
  return owner && { owner, purchases, over, lines }
}

function ownerOf({ genrun, manifest, folder, lineage }: Line): ResultsOwner | undefined {
  const isWhole =
    typeof manifest === 'string' && typeof lineage === 'string' && /^[0-9a-f]{32}$/.test(lineage)
  if (genrun !== format || !isWhole || /[/\\]/.test(manifest)) return undefined
  return { manifest, folder: typeof folder === 'string' ? folder : '', lineage }
}

interface Line {
  readonly [key: string]: unknown
}

function parse(line: string): Line | undefined {
  if (!line.startsWith('{')) return undefined
  try {
    return JSON.parse(line)
  } catch {
    return undefined
  }
}
