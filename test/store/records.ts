import type { Clock } from '../../src/base/clock.ts'
import {
  type Digest,
  type JobAddress,
  jobAddress,
  type PurchaseId,
  purchaseId,
  runId,
} from '../../src/base/names.ts'
import { type JournalRecord, journalFormat } from '../../src/base/purchase.ts'
import type { Recipe, RunRef, SavedFile } from '../../src/base/state.ts'
import { chainStart, encodeRecord, type JournalEntry } from '../../src/store/journal/journal-text.ts'

export const hero = jobAddress('hero')
export const clip = jobAddress('clip[fox,noir]#2')

export function named(text: string): PurchaseId {
  const id = purchaseId(text)
  if (id === undefined) throw new Error(`not the name of a purchase: ${text}`)
  return id
}

/** The purchases that most tests are about. */
export const teapot = named('k1')
export const fox = named('k2')

export const recipe: Recipe = {
  version: 1,
  model: 'fama-imagine-image',
  params: { prompt: 'a teapot, “steaming”\n\\ ☕', count: 2 },
  defaults: {},
  inputs: {},
  take: 1,
}

export function run(id: string): RunRef {
  const safe = runId(id)
  if (safe === undefined) throw new Error(`not a run id: ${id}`)
  return { workflow: 'fama-imagine-image', id: safe }
}

export function saved(path: string, digit = 'a'): SavedFile {
  // As many digits as a digest has.
  return {
    path,
    digest: `sha256:${digit.repeat(64)}` as Digest,
    bytes: 10,
    type: 'image/png',
    width: 4,
    height: 2,
  }
}

export const open: JournalRecord & { kind: 'OPEN' } = {
  kind: 'OPEN',
  format: journalFormat,
  lineage: '0123456789abcdef'.repeat(2),
  tool: 'genrun 0.1.0',
}
export const close: JournalRecord & { kind: 'CLOSE' } = { kind: 'CLOSE' }

export function intent(
  attempt: string,
  purchase = teapot,
  address: JobAddress = hero,
): JournalRecord & { kind: 'INTENT' } {
  const request = `sha256:${'b'.repeat(64)}` as Digest // as many digits as a digest has
  return {
    kind: 'INTENT',
    purchase,
    address,
    attempt,
    recipe,
    request,
    workflow: 'w',
    mode: 'submit',
    origin: 'https://x',
  }
}

export function sending(attempt: string, purchase = teapot): JournalRecord {
  return { kind: 'SENDING', purchase, attempt }
}

/** One record of each kind that there is: a new kind does not compile until it stands here. */
export const everyKind: { readonly [Kind in JournalRecord['kind']]: JournalRecord & { kind: Kind } } = {
  OPEN: open,
  INTENT: intent('a1'),
  SENDING: { kind: 'SENDING', purchase: teapot, attempt: 'a1' },
  NOTSENT: { kind: 'NOTSENT', purchase: teapot, attempt: 'a1' },
  REFUSED: { kind: 'REFUSED', purchase: teapot, attempt: 'a1', detail: 'status 422: “no”' },
  DOUBT: {
    kind: 'DOUBT',
    purchase: fox,
    attempt: 'a2',
    detail: 'the connection was “lost”',
    raw: '/s/a2',
  },
  RESOLVE: { kind: 'RESOLVE', purchase: fox, decision: { is: 'adopt', run: run('r-2') } },
  ACCEPTED: { kind: 'ACCEPTED', purchase: teapot, attempt: 'a1', run: run('r-1') },
  RESULT: {
    kind: 'RESULT',
    purchase: teapot,
    files: [
      { from: 'link', url: 'https://x/1.png' },
      { from: 'spool', path: '/s/a1' },
    ],
    run: run('r-1'),
  },
  PART: {
    kind: 'PART',
    purchase: teapot,
    nth: 0,
    part: '/out/.genrun/p-0.part',
    beginning: {
      resource: 'https://x/1.png',
      etag: '"v1"',
      bytes: 4096,
      total: 9000,
      sha256: 'c'.repeat(64),
    },
  },
  SAVED: { kind: 'SAVED', purchase: teapot, nth: 0, file: saved('hero.png'), part: '/out/.genrun/p-0.part' },
  DONE: { kind: 'DONE', purchase: teapot, files: [saved('hero.png')], run: run('r-1') },
  FAILED: { kind: 'FAILED', purchase: fox, failure: { why: 'remote', detail: 'gone' }, billed: 'unknown' },
  STANDS: {
    kind: 'STANDS',
    purchase: fox,
    record: { id: fox, address: clip, is: 'done', recipe, files: [saved('clip.png')], aside: true },
  },
  REDO: { kind: 'REDO', takes: [clip] },
  LOCK: { kind: 'LOCK', lock: `sha256:${'d'.repeat(64)}` as Digest },
  CLOSE: close,
}

/** Entries one second apart, from 1000 ms on. */
export function stamped(records: readonly JournalRecord[]): JournalEntry[] {
  return records.map((record, nth) => ({ ...record, at: 1000 * (nth + 1) }))
}

/** A file of records, and where each ends. */
export function journalFile(entries: readonly JournalEntry[]): { bytes: Buffer; ends: number[] } {
  let digest = chainStart
  let bytes = Buffer.alloc(0)
  const ends: number[] = []
  for (const entry of entries) {
    const record = encodeRecord(digest, entry)
    digest = record.digest
    bytes = Buffer.concat([bytes, record.bytes])
    ends.push(bytes.length)
  }
  return { bytes, ends }
}

/** A clock that stands still until it is moved. */
interface HandClock extends Clock {
  move(ms: number): Promise<void>
}

export function handClock(start = 1000): HandClock {
  let now = start
  const waits: { date: number; wake: () => void }[] = []
  return {
    now: () => now,
    wall: () => now,
    until: (date, signal) =>
      new Promise(wake => {
        if (date <= now || signal?.aborted) return wake()
        waits.push({ date, wake })
        signal?.addEventListener('abort', () => wake(), { once: true })
      }),
    async move(ms) {
      now += ms
      for (const wait of waits.filter(each => each.date <= now)) wait.wake()
      await settled()
    },
  }
}

/** Lets everything happen that does not wait for time. */
export async function settled(): Promise<void> {
  for (let turn = 0; turn < 50; turn++) await Promise.resolve()
}
