import { basename } from 'node:path'
import type { JobAddress } from '../../base/names.ts'
import { writeAtomically } from '../files/atomic-write.ts'
import { type Disk, looksTheSame } from '../files/disk.ts'
import { isStorageError, StorageError } from '../files/storage-error.ts'
import {
  type PersonsVerdict,
  readVerdicts,
  saysSomething,
  type Verdicts,
  writeVerdicts,
} from './verdicts-text.ts'

/** The verdicts that stand in a file; none where there is no file. Throws StorageError, also for a file that is damaged. */
export function loadVerdicts(path: string, disk: Disk): readonly PersonsVerdict[] {
  let text: string
  try {
    text = Buffer.from(disk.readAll(path)).toString()
  } catch (error) {
    if (isStorageError(error, 'ENOENT')) return []
    throw error
  }
  const reading = readVerdicts(text)
  if (reading.got === 'verdicts') return reading.verdicts.verdicts
  const where = reading.line === undefined ? '' : ` (line ${reading.line})`
  throw new StorageError(path, 'read', `${reading.why}${where}`, putBack)
}

const putBack = {
  remedy:
    'put it back from version control; moved away, it lets everything be decided anew; with `genrun lock merge --install` two sides merge without conflicts',
}

/**
 * Puts verdicts into a file, each in the place of the one that stood there of the same take, and gives all that stand there then;
 * one that says nothing stays as well where it takes something back, as it is newer than files that somebody sends later. Two who write at once both have their say. They are on the medium when it resolves. Rejects
 * with StorageError, and leaves a damaged file alone.
 */
export async function putVerdicts(
  { path, manifest, disk }: { readonly path: string; readonly manifest: string; readonly disk: Disk },
  given: readonly PersonsVerdict[],
): Promise<readonly PersonsVerdict[]> {
  for (let tries = 0; tries < mostTries; tries++) {
    const before = disk.look(path)
    const verdicts = withVerdicts(loadVerdicts(path, disk), given)
    const text = writeVerdicts({ manifest: basename(manifest), verdicts })
    const isOurs = () => looksTheSame(disk.look(path), before)
    if (await writeAtomically(disk, path, text, { mayReplace: isOurs })) return verdicts
  }
  throw new StorageError(path, 'write', 'another text takes its place again and again')
}

const mostTries = 20

function withVerdicts(before: Verdicts['verdicts'], given: readonly PersonsVerdict[]): PersonsVerdict[] {
  const all = new Map<JobAddress, PersonsVerdict>(before.map(each => [each.address, each]))
  const known = new Set(before.map(({ seen }) => seen.join()))
  for (const verdict of given) {
    // What is taken back may stand under the name that the job had before.
    if (saysSomething(verdict) || all.has(verdict.address) || known.has(verdict.seen.join()))
      all.set(verdict.address, verdict)
  }
  return [...all.values()]
}
