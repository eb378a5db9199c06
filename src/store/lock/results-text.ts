import type { PurchaseId } from '../../base/names.ts'
import { type Locked, readEntry } from './lock-entry.ts'
import { type BrokenLine, brokenLine } from './lock-salvage.ts'

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
  /**
   * By the last line that names one: results move along with a manifest that was renamed. Without a name where no line says
   * so any more.
   */
  readonly owner: ResultsOwner
  /** How each purchase stands by its last line. */
  readonly purchases: ReadonlyMap<PurchaseId, Locked>
  /** Those lines, as they were read. */
  readonly texts: ReadonlyMap<PurchaseId, string>
  /** Nothing of them is owed, and nothing of them is there. */
  readonly over: ReadonlySet<PurchaseId>
  /** Lines that cannot be read, with what can be told of their purchases; those that a whole line tells of are left out. */
  readonly broken: readonly BrokenLine[]
  /** The format of a newer genrun, that wrote it: what can be read of it counts. */
  readonly newer?: number
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

/**
 * Anyone who can write to the output folder can write anything here: a line is checked as one of a lock is. One that is
 * torn says what can be read of it. `lineage`: by the file's name, for a text that names no owner. Pure.
 */
export function readResults(text: string, lineage: string): ResultsReading {
  let owner: ResultsOwner = { manifest: '', folder: '', lineage }
  let newer: number | undefined
  let lines = 0
  const broken: BrokenLine[] = []
  const purchases = new Map<PurchaseId, Locked>()
  const texts = new Map<PurchaseId, string>()
  const over = new Set<PurchaseId>()
  for (const [nth, line] of text.split('\n').entries()) {
    if (line.trim() === '') continue
    const value = parse(line)
    if (!value) {
      broken.push(namedLine(line, nth + 1))
      continue
    }
    if (Object.hasOwn(value, 'genrun')) {
      owner = ownerOf(value) ?? owner
      newer = typeof value.genrun === 'number' && value.genrun > format ? value.genrun : undefined
      continue
    }
    if (typeof value.over === 'string') {
      const id = value.over as PurchaseId // compared with ids only
      purchases.delete(id)
      texts.delete(id)
      over.add(id)
      lines++
      continue
    }
    const entry = readEntry(value)
    if (typeof entry === 'string') {
      broken.push(namedLine(line, nth + 1))
      continue
    }
    // The last line of a purchase is its place as well.
    purchases.delete(entry.id)
    purchases.set(entry.id, entry)
    texts.set(entry.id, line)
    over.delete(entry.id)
    lines++
  }
  return { owner, purchases, texts, over, broken: broken.filter(isUntold), lines, ...(newer && { newer }) }

  function isUntold({ entry }: BrokenLine): boolean {
    return !entry || !(purchases.has(entry.id) || over.has(entry.id))
  }
}

/**
 * Only a line that names a purchase or its run speaks of one. A crash may have cut it short: the journal knows of that, and
 * without its whole name the same order would be taken for another one. Of what failed nothing is owed.
 */
function namedLine(text: string, line: number): BrokenLine {
  const isOwed = /"id":"[^"]+"/.test(text) && !/^\{"address":"(?:[^"\\]|\\.)*","state":"failed"/.test(text)
  return isOwed ? brokenLine(text, line) : { line }
}

function ownerOf({ genrun, manifest, folder, lineage }: Line): ResultsOwner | undefined {
  const isWhole =
    typeof manifest === 'string' && typeof lineage === 'string' && /^[0-9a-f]{32}$/.test(lineage)
  if (typeof genrun !== 'number' || genrun < format || !isWhole || /[/\\]/.test(manifest)) return undefined
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
