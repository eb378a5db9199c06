import { defined } from '../../base/defined.ts'
import { type JobAddress, type Json, jobAddress, purchaseId, runId } from '../../base/names.ts'
import { type DonePurchase, fuller } from '../../base/purchase.ts'
import type { Recipe, RunRef } from '../../base/state.ts'
import { digestBytes } from '../files/digest.ts'
import { type Locked, readEntry, readRecipe } from './lock-entry.ts'
import { numbered } from './take-number.ts'

/** What can still be read of a lock that is damaged. */
interface Salvaged {
  readonly lineage?: string
  readonly purchases: readonly Locked[]
  /** Lines that tell of a purchase, and not the whole of it. */
  readonly broken: readonly BrokenLine[]
}

/** A line of a lock or an index that cannot be read, with what can be told of its purchase all the same. */
export interface BrokenLine {
  /** Counted from 1. */
  readonly line: number
  readonly entry?: Locked
}

/**
 * Every line that is a whole purchase, whatever stands around it: of both sides of a merge conflict the line of a purchase
 * counts that knows more of it, the last where both know as much, with a pick that only the other has where the job has no other; and a text
 * that was cut ends with the last whole line. Pure.
 */
export function salvageLock(text: string): Salvaged {
  const lineage = /"lineage":\s*"([0-9a-f]{32})"/.exec(text)?.[1]
  const purchases = new Map<string, Locked>()
  const broken: BrokenLine[] = []
  const replaced: Locked[] = []
  for (const [nth, raw] of linesOf(text).entries()) {
    const line = raw.trim().replace(/,$/, '')
    if (isAround(line)) continue
    const entry = entryIn(line)
    if (!entry) {
      broken.push(brokenLine(line, nth + 1))
      continue
    }
    const known = purchases.get(entry.id)
    if (known) replaced.push(known)
    purchases.set(entry.id, fuller(entry, known ?? entry))
  }
  for (const each of replaced) pickAgain(each, purchases)
  const unknown = broken.filter(({ entry }) => !entry || !purchases.has(entry.id))
  return { ...defined({ lineage }), purchases: [...purchases.values()], broken: unknown }
}

/** Of two sides one may have picked, and the other not have heard of it. */
function pickAgain(replaced: Locked, purchases: Map<string, Locked>): void {
  const now = purchases.get(replaced.id)
  if (!isPicked(replaced) || now?.is !== 'done' || now.aside) return
  const job = jobOf(replaced)
  if ([...purchases.values()].some(each => isPicked(each) && jobOf(each) === job)) return
  purchases.set(now.id, { ...now, picked: true, ...(replaced.byHand && { byHand: true }) })
}

function isPicked(entry: Locked): entry is DonePurchase {
  return entry.is === 'done' && entry.picked === true
}

function jobOf({ address }: Locked): string {
  return address.replace(numbered, '')
}

/** One purchase a line, also where somebody has set the whole differently. */
function linesOf(text: string): string[] {
  const lines = text.split('\n')
  if (lines.some(line => line.startsWith('{"address"'))) return lines
  const { jobs } = (parse(text) ?? {}) as { readonly jobs?: unknown } // looked at below
  if (!Array.isArray(jobs)) return lines
  try {
    return ['', ...jobs.map(job => JSON.stringify(job))]
  } catch {
    // It is read at any depth, and not written.
    return lines
  }
}

/** What stands around the purchases: header, end, marks of a merge. */
function isAround(line: string): boolean {
  return 'null]}'.startsWith(line) || /^(\ufeff?\{"genrun"|null$|[\]}[{],?$|<{7}|={7}|>{7}|\|{7})/.test(line)
}

export function brokenLine(text: string, line: number): BrokenLine {
  const entry = salvageEntry(text)
  return { line, ...defined({ entry }) }
}

/**
 * What a damaged line still says of its purchase, so that nobody buys past it: under way where run and recipe can be read,
 * else in doubt. Undefined for a line that names nothing.
 */
function salvageEntry(text: string): Locked | undefined {
  const recipe = recipeIn(text)
  const head = text.split(/"recipe|"workflow"/)[0] ?? ''
  const named = purchaseId(/"id":"([^"]*)"/.exec(head)?.[1] ?? '')
  const address = addressIn(head)
  const run = runIn(text)
  if (!named && address === undefined && !recipe && !run) return undefined
  const id = named ?? purchaseId(digestBytes(text).slice('sha256:'.length, 'sha256:'.length + 32))
  if (id === undefined) return undefined
  const order = { id, address: address ?? jobAddress('?') }
  if (recipe && run) return { ...order, recipe, is: 'under-way', run, saved: [], parts: [] }
  const detail = `its line could not be read${run ? `: it names the run ${run.id}` : ''}`
  return { ...order, recipe: recipe ?? unread, is: 'doubt', detail, raws: [] }
}

/** Stands for a recipe that cannot be read: no job asks for it. */
const unread: Recipe = { version: 1, model: '', params: {}, defaults: {}, inputs: {}, take: 1 }

export function isUnread({ model }: Recipe): boolean {
  return model === ''
}

function addressIn(head: string): JobAddress | undefined {
  const text = parse(/"address":("(?:[^"\\]|\\.)+")/.exec(head)?.[1] ?? '')
  return typeof text === 'string' ? jobAddress(text) : undefined
}

function runIn(text: string): RunRef | undefined {
  const [, workflow, name = '', origin] =
    /"workflow":"([^"]+)","id":"([^"]+)"(?:,"origin":"([^"]+)")?/.exec(text) ?? []
  const id = runId(name)
  if (workflow === undefined || id === undefined) return undefined
  return { workflow, id, ...defined({ origin }) }
}

/** The text up to the brace that closes it. */
function recipeIn(text: string): Recipe | undefined {
  const start = text.indexOf('"recipe":{')
  if (start < 0) return undefined
  const from = start + '"recipe":'.length
  let depth = 0
  for (const { 0: sign, index } of text.slice(from).matchAll(/"(?:[^"\\]|\\.)*"|[{}]/g)) {
    if (sign === '{') depth++
    if (sign !== '}' || --depth > 0) continue
    const recipe = readRecipe(parse(text.slice(from, from + index + 1)))
    return typeof recipe === 'string' ? undefined : recipe
  }
  return undefined
}

function entryIn(line: string): Locked | undefined {
  if (!line.startsWith('{')) return undefined
  const entry = readEntry(parse(line))
  return typeof entry === 'string' ? undefined : entry
}

function parse(text: string): Json | undefined {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}
