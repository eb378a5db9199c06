import { expect, test } from 'vitest'
import { jobAddress } from '../../src/base/names.ts'
import type { JournalRecord } from '../../src/base/state.ts'
import { sweepSpool } from '../../src/desk/carry/sweep.ts'
import { chainStart, encodeRecord } from '../../src/store/journal-text.ts'
import { openSpool } from '../../src/store/spool.ts'
import { StorageTrouble } from '../../src/store/trouble.ts'
import { memoryDisk } from '../store/memory-disk.ts'

const address = jobAddress('hero')

/** A spool with three answers, and a journal of these records. */
function disk(records: readonly JournalRecord[], damage: (bytes: Buffer) => Buffer = bytes => bytes) {
  const made = memoryDisk()
  for (const folder of ['/spool', '/journal']) made.makeFolder(folder)
  let digest = chainStart
  const lines = records.map(record => {
    const encoded = encodeRecord(digest, { at: 1, ...record })
    digest = encoded.digest
    return encoded.bytes
  })
  const put = (path: string, bytes: Uint8Array) => {
    const file = made.open(path, 'create')
    made.write(file, bytes)
    made.close(file)
  }
  put('/journal/000001.jnl', damage(Buffer.concat(lines)))
  for (const name of ['doubtful', 'result', 'old']) put(`/spool/${name}`, Buffer.from('bytes'))
  return made
}

const keepers = {
  stop: new AbortController().signal,
  claim: { isMine: () => true },
  journal: { broken: undefined },
}

const opening: JournalRecord = { kind: 'OPEN', format: 1, lineage: 'l', tool: 'genrun' }
const records: readonly JournalRecord[] = [
  opening,
  { kind: 'DOUBT', address, attempt: 'a', detail: 'unreadable', raw: '/elsewhere/spool/doubtful' },
  {
    kind: 'RESULT',
    address: jobAddress('clip'),
    files: [{ from: 'spool', path: '/elsewhere/spool/result' }],
  },
]

test('answers that something depends on stay, the others go', () => {
  const made = disk(records)
  sweepSpool(openSpool('/spool', made), '/journal', made, keepers)
  expect(made.list('/spool').toSorted()).toEqual(['doubtful', 'result'])
})

test('nothing is thrown away when the journal cannot be read', () => {
  const made = disk(records, bytes => {
    bytes[40] = (bytes[40] ?? 0) ^ 1
    return bytes
  })
  sweepSpool(openSpool('/spool', made), '/journal', made, keepers)
  expect(made.list('/spool')).toHaveLength(3)
})

test.each([
  ['a stop, when an answer may be on its way', { stop: AbortSignal.abort() }],
  ['the claim was lost', { claim: { isMine: () => false } }],
  ['the journal broke', { journal: { broken: new StorageTrouble('/journal', 'sync', 'full') } }],
])('nothing is thrown away after %s', (_, changed) => {
  const made = disk(records)
  sweepSpool(openSpool('/spool', made), '/journal', made, { ...keepers, ...changed })
  expect(made.list('/spool')).toHaveLength(3)
})
