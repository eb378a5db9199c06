import { basename, join } from 'node:path'
import type { JobAddress } from '../../base/names.ts'
import type { SavedFile } from '../../base/state.ts'
import type { Memory } from '../../plan/facts.ts'
import { digestFileNow } from '../../store/digest.ts'
import type { Disk } from '../../store/disk.ts'
import { lineageOf, readJournal } from '../../store/journal.ts'
import { loadLock, newLock } from '../../store/lock.ts'
import { foldJournal } from '../../store/memory.ts'
import { findSaved } from '../../store/outputs.ts'
import { openSpool } from '../../store/spool.ts'
import type { Layout } from './layout.ts'
import { caughtUp, recall } from './recall.ts'
import { reconcile } from './reconcile.ts'
import type { Ground, Recorded } from './setting.ts'

/** State on disk is damaged or cannot be read. */
export interface Damaged {
  readonly got: 'damaged'
  readonly message: string
  readonly hint: string
}

/** What earlier runs left, read and not touched. Throws StorageTrouble. */
export function readRecorded({
  layout,
  place,
  folders,
  machine,
}: Pick<Ground, 'layout' | 'place' | 'folders' | 'machine'>): Recorded | Damaged {
  const { disk, random } = machine
  const name = basename(place.manifest)
  const loaded = loadLock(layout.lock, name, disk)
  if (loaded.got === 'damaged') {
    const where = loaded.line === undefined ? '' : ` (line ${loaded.line})`
    return {
      got: 'damaged',
      message: `${layout.lock}: ${loaded.why}${where}`,
      hint: 'put it back from version control, so that nothing is bought twice',
    }
  }
  const reading = readJournal(folders.journal, disk)
  if (reading.got === 'damaged') {
    return {
      got: 'damaged',
      message: `${reading.file}: ${reading.why}, at byte ${reading.offset}`,
      hint: 'put it back from a copy; or settle at the service what is paid for, and move it away: then the lock alone counts',
    }
  }
  const lineage = lineageOf(reading.entries)
  const lock = loaded.got === 'lock' ? loaded.lock : { ...newLock(name, random), ...(lineage && { lineage }) }
  const locked = new Map(lock.jobs.map(entry => [entry.address, entry]))
  const journal = reconcile(
    loaded.got === 'lock' ? lock.lineage : undefined,
    lineage,
    foldJournal(reading.entries),
  )
  const recalled = recall(locked, journal, {
    findSpooled: openSpool(folders.spool, disk).find,
    areThere: files => files.every(file => isThere(file, layout, disk)),
  })
  const memories = layout.rehearsal ? stillThere(recalled, layout, disk) : recalled
  return {
    lock,
    lockText: loaded.got === 'lock' ? loaded.text : undefined,
    entries: caughtUp(locked, memories, journal),
    memories,
    journal,
  }
}

function isThere(file: SavedFile, { output }: Layout, disk: Disk): boolean {
  return (
    findSaved(file, output, disk) === 'same' && digestFileNow(disk, join(output, file.path)) === file.digest
  )
}

/**
 * What a rehearsal remembers of those before: files that are there. Each has a gateway of its own, whose runs ended with
 * it, and nothing of it was paid for: what is gone or unfinished is simply made again.
 */
function stillThere(
  memories: ReadonlyMap<JobAddress, Memory>,
  { output }: Layout,
  disk: Disk,
): Map<JobAddress, Memory> {
  const isThere = (memory: Memory) =>
    memory.is === 'done' && memory.entry.files.every(file => findSaved(file, output, disk) !== 'missing')
  return new Map([...memories].filter(([, memory]) => isThere(memory)))
}
