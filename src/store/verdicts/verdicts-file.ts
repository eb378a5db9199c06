import type { Disk } from '../files/disk.ts'
import { isStorageError, StorageError } from '../files/storage-error.ts'
import { readVerdicts, type Verdicts } from './verdicts-text.ts'
import type { WaitingPick } from './waiting-picks.ts'

/** What stands in a file that is to be picked, and is not yet; none where there is no file. Throws StorageError, also for a file that is damaged. */
export function loadPicks(path: string, disk: Disk): readonly WaitingPick[] {
  return loadAll(path, disk).picks ?? []
}

/** The same with the verdicts. */
export function loadAll(path: string, disk: Disk): Pick<Verdicts, 'verdicts' | 'picks'> {
  let text: string
  try {
    text = disk.readAll(path).toString()
  } catch (error) {
    if (isStorageError(error, 'ENOENT')) return { verdicts: [] }
    throw error
  }
  const reading = readVerdicts(text)
  if (reading.got === 'verdicts') return reading.verdicts
  const where = reading.line === undefined ? '' : ` (line ${reading.line})`
  throw new StorageError(path, 'read', `${reading.why}${where}`, putBack)
}

const putBack = {
  remedy:
    'put it back from version control; moved away, it lets everything be decided anew; with `genrun lock merge --install` two sides merge without conflicts',
}
