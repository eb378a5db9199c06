import { basename } from 'node:path'
import type { Disk } from '../store/disk.ts'
import { readJournal } from '../store/journal.ts'
import { foldJournal } from '../store/memory.ts'
import type { Spool } from '../store/spool.ts'

/**
 * Takes away spooled answers that nothing depends on any more: those of jobs that are done, refused or accepted. What a
 * doubt received stays, an id may be inside. Only under the claim, when no request is on its way.
 */
export function sweepSpool(spool: Spool, journalFolder: string, disk: Disk): void {
  const reading = readJournal(journalFolder, disk)
  // A journal that cannot be read is no reason to throw away what was paid for.
  if (reading.got === 'damaged') return
  const needed = new Set<string>()
  for (const memory of foldJournal(reading.entries).values()) {
    for (const { raw } of memory.doubts) if (raw !== undefined) needed.add(basename(raw))
    if (memory.is !== 'result') continue
    for (const file of memory.files) if (file.from === 'spool') needed.add(basename(file.path))
  }
  spool.remove(spool.list().filter(path => !needed.has(basename(path))))
}
