import { dirname } from 'node:path'
import type { PurchaseId } from '../../base/names.ts'
import type { Purchase } from '../../base/purchase.ts'
import { writeAtomically } from '../files/atomic-write.ts'
import { type Disk, writeAtEnd } from '../files/disk.ts'
import { inPieces } from '../files/pieces.ts'
import { StorageError, storageErrorOf } from '../files/storage-error.ts'
import type { Locked } from './lock-entry.ts'
import { lineOf } from './lock-text.ts'
import { readIndex, resultsPath } from './read-results.ts'
import { overLine, ownerLine, type ResultsOwner, type ResultsReading } from './results-text.ts'

/**
 * What lies in an output folder, and what it was made from: a third place beside lock and journal, which are the contract.
 * It is read only when both are gone (`genrun recover`), or the journal is and an order had no answer, so that no line waits for the
 * medium, and trouble with it is told and fails nothing.
 */
export interface ResultsIndex {
  /** How purchases stand now. */
  note(records: readonly Purchase[]): void
  /** Nothing of it is owed, and nothing of it is there. */
  forget(id: PurchaseId): void
  /** Has everything on the medium, written anew where most lines are old. Never rejects. */
  close(): Promise<void>
  /** Why it may not know everything. */
  readonly trouble: StorageError | undefined
}

/** Where nothing is to be found again: a rehearsal. */
export const noIndex: ResultsIndex = {
  note: () => undefined,
  forget: () => undefined,
  close: async () => undefined,
  trouble: undefined,
}

interface IndexOptions {
  /** The output folder. */
  readonly output: string
  readonly owner: ResultsOwner
  readonly disk: Disk
  /** Asked before it is written anew. May throw StorageError. */
  readonly mayReplace: () => boolean
}

/** The index of one lineage, for the run that writes there. Never throws for a disk. */
export function openResults({ output, owner, disk, mayReplace }: IndexOptions): ResultsIndex {
  const path = resultsPath(output, owner.lineage)
  // Of what was read only this is needed later, and it may be much.
  const { texts, broken, newer, isCut, ...found } = readIndex(disk, path, owner.lineage)
  // As its line was read, or as the record of which a line would be.
  const known = new Map<PurchaseId, string | Locked>(texts)
  const ended = new Set<PurchaseId>()
  let { lines, length } = found
  // Under another name it may be anybody's file, anywhere: it is not written to, and in the end replaced.
  const isShared = (disk.look(path)?.names ?? 1) > 1
  let trouble =
    newer !== undefined
      ? newerTrouble(path, newer)
      : isShared
        ? new StorageError(path, 'write', 'it has a second name')
        : undefined
  // What a crash cut in two is ended, so that it takes no other line along.
  let before = `${isCut ? '\n' : ''}${ownerLine(owner)}\n`
  let isChanged = false
  // By which it shows whether anybody else has written there: it is only added to, or replaced.
  let identity: string | undefined

  function add(added: readonly string[]): void {
    if (newer !== undefined || added.length === 0) return
    lines += added.length
    isChanged = true
    if (trouble) return
    attempt(() => {
      length += writeAtEnd(disk, path, `${before}${added.map(line => `${line}\n`).join('')}`, 0o644)
      before = ''
      identity ??= disk.look(path)?.identity
    })
  }

  function attempt(write: () => void): void {
    try {
      write()
    } catch (error) {
      trouble = troubleWith(path, error)
    }
  }

  return {
    note(records) {
      const added: string[] = []
      for (const record of records) {
        if (!isWorthKnowing(record)) {
          // It was under way, and came to nothing.
          if (known.delete(record.id)) added.push(overLine(record.id))
          continue
        }
        const before = known.get(record.id)
        if (before === record) continue
        const line = lineOf(record)
        if (before === undefined || textOf(before) !== line) added.push(line)
        // In either case: what was read from the file would keep all of its text.
        known.set(record.id, record)
      }
      add(added)
    },
    forget(id) {
      ended.add(id)
      if (known.delete(id)) add([overLine(id)])
    },
    async close() {
      if (!isChanged) return
      try {
        const isLong = lines > 2 * known.size
        if (trouble || isLong) await writeAnew()
        else await syncAll(disk, path)
      } catch (error) {
        trouble ??= troubleWith(path, error)
      }
    },
    get trouble() {
      return trouble
    },
  }

  /** With what another checkout of the same lock has written there meanwhile, and what is left of damaged lines. */
  async function writeAnew(): Promise<void> {
    const there = isOurs() ? { broken, purchases: [] } : readIndex(disk, path, owner.lineage)
    const others = new Map([...there.broken.flatMap(namedIn), ...there.purchases])
    for (const id of [...ended, ...known.keys()]) others.delete(id)
    const all = function* () {
      yield ownerLine(owner)
      for (const each of others.values()) yield lineOf(each)
      for (const each of known.values()) yield textOf(each)
    }
    await writeAtomically(disk, path, inPieces(all()), { mayReplace })
    trouble = undefined
  }

  function isOurs(): boolean {
    const look = disk.look(path)
    return look !== undefined && look.identity === identity && look.bytes === length
  }
}

function textOf(known: string | Locked): string {
  return typeof known === 'string' ? known : lineOf(known)
}

function newerTrouble(path: string, format: number): StorageError {
  return new StorageError(path, 'write', `a newer genrun wrote it (format ${format})`)
}

function namedIn({ entry }: ResultsReading['broken'][number]): (readonly [PurchaseId, Locked])[] {
  return entry ? [[entry.id, entry]] : []
}

/** What was bought, or may have been. */
function isWorthKnowing(record: Purchase): record is Locked {
  return record.is !== 'open' && !(record.is === 'failed' && record.billed === 'no')
}

function troubleWith(path: string, error: unknown): StorageError {
  if (!(error instanceof StorageError)) throw error
  return storageErrorOf(path, 'write', error)
}

async function syncAll(disk: Disk, path: string): Promise<void> {
  const file = disk.open(path, 'append', 0o644)
  try {
    await disk.sync(file)
  } finally {
    disk.close(file)
  }
  await disk.syncFolder(dirname(path))
}
