import { readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import {
  chainStart,
  decodeJournal,
  encodeRecord,
  type JournalEntry,
} from '../../src/store/journal/journal-text.ts'
import type { Bench } from './bench.ts'

/** As a copy of the state that was made earlier, or a disk that lost the rest. */
export function keepRecords(
  bench: Bench,
  isKept: (entry: JournalEntry) => boolean,
  change = (entry: JournalEntry) => entry,
): void {
  const folder = join(bench.folder, '.genrun/m/journal')
  const file = join(folder, readdirSync(folder)[0] ?? '')
  const decoded = decodeJournal(readFileSync(file))
  if (decoded.got !== 'records') throw new Error('no journal')
  let digest = chainStart
  const pieces = decoded.entries.filter(isKept).map(entry => {
    const record = encodeRecord(digest, change(entry))
    digest = record.digest
    return record.bytes
  })
  writeFileSync(file, Buffer.concat(pieces))
}
