import { join } from 'node:path'
import type { Disk } from '../files/disk.ts'
import { fileReader } from '../files/read-again.ts'
import { rememberLast } from '../files/remember-last.ts'
import { ownFolder } from '../files/safe-path.ts'
import { StorageError } from '../files/storage-error.ts'
import { type ResultsReading, readResults } from './results-text.ts'

/** All indexes of an output folder; without that of one lineage where it is named. Throws StorageError. */
export function readAllResults(output: string, disk: Disk, without?: string): ResultsReading[] {
  const folder = join(output, ownFolder)
  if (disk.look(folder)?.is !== 'folder') return []
  const lineages = disk.list(folder).flatMap(name => /^results-([0-9a-f]{32})\.jsonl$/.exec(name)?.[1] ?? [])
  return lineages
    .filter(lineage => lineage !== without)
    .map(lineage => readIn(readBytes(disk, resultsPath(output, lineage)), lineage))
}

/** Manifests may share an output folder, and two of them may be at work: each lineage has a file of its own. */
export function resultsPath(output: string, lineage: string): string {
  return join(output, ownFolder, `results-${lineage}.jsonl`)
}

/** `isCut`: its last line has no end. `length`: in bytes. */
type IndexRead = ResultsReading & { readonly isCut: boolean; readonly length: number }

/** One that cannot be read is as good as none. */
export function readIndex(disk: Disk, path: string, lineage: string): IndexRead {
  try {
    return readIn(readBytes(disk, path), lineage)
  } catch (error) {
    if (error instanceof StorageError) return readIn(Buffer.alloc(0), lineage)
    throw error
  }
}

const readBytes = fileReader()

const lastRead = rememberLast<{
  readonly bytes: Buffer
  readonly lineage: string
  readonly read: IndexRead
}>()

/** A run that buys looks for what is known elsewhere, and opens the index then. */
function readIn(bytes: Buffer, lineage: string): IndexRead {
  const last = lastRead.get()
  if (last?.lineage === lineage && (last.bytes === bytes || last.bytes.equals(bytes))) return last.read
  const isCut = bytes.length > 0 && bytes.at(-1) !== 0x0a
  const read = { ...readResults(bytes.toString(), lineage), isCut, length: bytes.length }
  lastRead.keep({ bytes, lineage, read })
  return read
}
