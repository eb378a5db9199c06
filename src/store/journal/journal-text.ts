import { hash } from 'node:crypto'
import { type JournalRecord, journalFormat } from '../../base/purchase.ts'
import { rememberLast } from '../files/remember-last.ts'
import { isEntry } from './journal-entry.ts'

/**
 * The format of a journal file (docs/contract.md section 3), pure. A record is
 *
 *     <line feed><16 hex digits of sha256(previous digest + payload)><space><payload>
 *
 * and the payload one JSON object: `{"length":97,"at":1767225600000,"kind":"SENDING",…}`. `length` counts the bytes that
 * follow its comma. It tells a record that was cut (and may be forgotten) from one that was altered (and may not be):
 * without it, a flipped quote at the end of the last record would look like a cut.
 */
export type JournalEntry = JournalRecord & {
  /** When it was written, in milliseconds since 1970. */
  readonly at: number
}

/** What the first record of a file is chained to. */
export const chainStart = '0'.repeat(16)

/** One record as bytes, and the digest that the next one is chained to. */
export function encodeRecord(
  previous: string,
  entry: JournalEntry,
): { readonly bytes: Uint8Array; readonly digest: string } {
  const { at, ...record } = entry
  const rest = JSON.stringify({ at, ...record }).slice(1)
  const payload = `${lengthStart}${Buffer.byteLength(rest)},${rest}`
  const digest = hash('sha256', previous + payload).slice(0, 16)
  return { bytes: Buffer.from(`\n${digest} ${payload}`), digest }
}

/** Records one after the other: from the beginning of a file, or chained to the one before. */
export function encodeJournal(
  entries: readonly JournalEntry[],
  previous = chainStart,
): { readonly whole: Uint8Array; readonly digest: string } {
  let digest = previous
  const pieces = entries.map(entry => {
    const record = encodeRecord(digest, entry)
    digest = record.digest
    return record.bytes
  })
  return { whole: Buffer.concat(pieces), digest }
}

type Decoded =
  | {
      readonly got: 'records'
      readonly entries: readonly JournalEntry[]
      /** What the next record is chained to. */
      readonly digest: string
      /** Bytes that are whole records; what follows them in the file was cut by a crash. */
      readonly whole: number
    }
  | JournalDamage
  /** Whole, and of an earlier version. `isClosed`: its last run came to its end, so that the lock knows all of it. */
  | { readonly got: 'older'; readonly isClosed: boolean }

/** `offset` is the first byte of the record that is wrong. */
export interface JournalDamage {
  readonly got: 'damaged'
  readonly offset: number
  readonly why: string
}

/**
 * All records of a file. A last record that was cut at any byte, and zeros at the end, are what a crash leaves: the
 * records before them are given. Everything else that does not fit the chain is damage. `file` is held on to, and nobody writes into it.
 */
export function decodeJournal(file: Uint8Array): Decoded {
  const last = lastDecoded.get()
  if (last && (last.file === file || Buffer.compare(last.file, file) === 0)) return last.decoded
  const decoded = decodeAnew(file)
  lastDecoded.keep({ file, decoded })
  return decoded
}

const lastDecoded = rememberLast<{ readonly file: Uint8Array; readonly decoded: Decoded }>()

function decodeAnew(file: Uint8Array): Decoded {
  const bytes = withoutZeros(file)
  const entries: JournalEntry[] = []
  let digest = chainStart
  let offset = 0
  while (offset < bytes.length) {
    if (bytes[offset] !== lineFeed) return damaged(offset, 'no record begins there')
    const next = bytes.indexOf(lineFeed, offset + 1)
    const line = bytes.subarray(offset + 1, next < 0 ? undefined : next)
    const payload = line.subarray(17)
    const found = line.subarray(0, 17).toString('latin1')
    if (found !== `${chained(digest, payload)} `) {
      if (next < 0 && isCut(line)) break
      return damaged(offset, 'a record was altered, lost, doubled or moved')
    }
    const entry = readEntry(payload)
    if (entry === 'older') return older(bytes)
    if (!entry) return damaged(offset, 'a record is of a kind that this genrun does not know')
    entries.push(entry)
    digest = found.slice(0, 16)
    offset = next < 0 ? bytes.length : next
  }
  return { got: 'records', entries, digest, whole: offset }
}

const lineFeed = 0x0a
const lengthStart = '{"length":'

/** Some disks give a file its new length before its contents: zeros. No record ends in one. */
function withoutZeros(file: Uint8Array): Buffer {
  let end = file.length
  while (end > 0 && file[end - 1] === 0) end--
  return Buffer.from(file.buffer, file.byteOffset, end)
}

function chained(previous: string, payload: Uint8Array): string {
  return hash('sha256', Buffer.concat([Buffer.from(previous), payload])).slice(0, 16)
}

/** Whether a line is the beginning of a record, and not the whole of one. */
function isCut(line: Buffer): boolean {
  const text = line.toString('latin1')
  if (/^[0-9a-f]{0,16}$/.test(text)) return true
  if (!/^[0-9a-f]{16} /.test(text)) return false
  const payload = text.slice(17)
  if (lengthStart.startsWith(payload)) return true
  const head = /^\{"length":(\d+)(?:,|$)/.exec(payload)
  if (!head) return false
  // Complete by its own braces: then it was its length that was altered.
  return payload.length - head[0].length < Number(head[1]) && readObject(line.subarray(17)) === undefined
}

function readObject(payload: Buffer): { readonly [key: string]: unknown } | undefined {
  try {
    return JSON.parse(payload.toString())
  } catch {
    return undefined
  }
}

/** Undefined for what a later genrun may have written, and for what none has. */
function readEntry(payload: Buffer): JournalEntry | 'older' | undefined {
  const { length: _, ...entry } = readObject(payload) ?? {}
  if (entry.kind === 'OPEN' && typeof entry.format === 'number' && entry.format < journalFormat)
    return 'older'
  return isEntry(entry) ? entry : undefined
}

/** By its last line alone: nothing else in it is understood here. */
function older(bytes: Buffer): Decoded {
  const last = bytes.subarray(bytes.lastIndexOf(lineFeed) + 1)
  return { got: 'older', isClosed: readObject(last.subarray(17))?.kind === 'CLOSE' }
}

function damaged(offset: number, why: string): JournalDamage {
  return { got: 'damaged', offset, why }
}

/**
 * When a record must be on the medium. `waited`: before anything is built on it. `soon`: within 100 ms, with the others.
 * `never`: whenever.
 */
export const kinds: { readonly [Kind in JournalRecord['kind']]: 'waited' | 'soon' | 'never' } = {
  OPEN: 'waited',
  INTENT: 'never',
  SENDING: 'waited',
  NOTSENT: 'soon',
  REFUSED: 'soon',
  DOUBT: 'waited',
  ACCEPTED: 'waited',
  RESULT: 'waited',
  PART: 'never',
  SAVED: 'waited',
  DONE: 'waited',
  FAILED: 'waited',
  STANDS: 'waited',
  RESOLVE: 'waited',
  REDO: 'waited',
  LOCK: 'never',
  CLOSE: 'waited',
}
