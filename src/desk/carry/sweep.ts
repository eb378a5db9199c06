import { basename } from 'node:path'
import type { Disk } from '../../store/disk.ts'
import { readJournal } from '../../store/journal.ts'
import { foldJournal } from '../../store/memory.ts'
import type { Spool } from '../../store/spool.ts'
import { type Gatekeepers, gate } from './gate.ts'

/**
 * Takes away spooled answers that nothing depends on any more: those of jobs that are done, refused or accepted. What a
 * doubt received stays, an id may be inside. Nothing goes after a stop (an answer may be on its way), without the claim, or
 * when what was received may not be in the journal.
 */
export function sweepSpool(spool: Spool, journalFolder: string, disk: Disk, keepers: Gatekeepers): void {
  if (gate(keepers)) return
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
