import { resolve } from 'node:path'
import { defined } from '../base/defined.ts'
import { failureMessage } from '../base/failure.ts'
import { counted } from '../base/measure.ts'
import type { JobAddress, PurchaseId } from '../base/names.ts'
import {
  type Decision,
  isResubmitted,
  type JournalRecord,
  type Purchase,
  purchaseLabel,
} from '../base/purchase.ts'
import { isThere, realPathAt } from '../disk/look.ts'
import type { Refused } from '../planning/make-plan.ts'
import { settingProblem } from '../planning/obstacles.ts'
import { stateFolder } from '../store/files/state-folder.ts'
import { StorageError } from '../store/files/storage-error.ts'
import { type JournalEntry, readJournal } from '../store/journal/journal.ts'
import { stateOf } from '../workspace/layout.ts'
import { thisMachine } from '../workspace/machine.ts'
import { placeOf } from '../workspace/read/place.ts'
import { type Damaged, damaged, journalEntries } from '../workspace/records/recorded.ts'

interface JournalRequest {
  /** Relative to `cwd`. It need not be right, only there. */
  readonly manifest: string
  readonly cwd: string
  /** The one of its rehearsals. */
  readonly rehearsal?: boolean
}

/** One record, as it stands and in words. */
export interface JournalLine {
  /** In milliseconds since 1970, by the clock of the machine that wrote it. */
  readonly at: number
  readonly kind: JournalRecord['kind']
  /** `hero@3ac0b4`: the job it was ordered for, and the purchase. Absent for records of the run. */
  readonly of?: string
  readonly says: string
  readonly record: JournalEntry
}

export type JournalResult =
  | Refused
  | Damaged
  | {
      readonly got: 'journal'
      /** Absolute; absent when there is none. */
      readonly file?: string
      readonly lines: readonly JournalLine[]
      /** What a crash left behind the last whole record. */
      readonly cutBytes: number
    }

/** What was written down before, while and after money was spent, in its order. Reads, and touches nothing. */
export function journalOf({ manifest, cwd, rehearsal = false }: JournalRequest): JournalResult {
  const path = resolve(cwd, manifest)
  if (!isThere(path)) {
    const message = 'there is no such manifest, and its journal lies beside it'
    return {
      got: 'refused',
      problems: [
        settingProblem({ name: 'manifest', value: manifest }, 'unreadable-file', message, 'look at its name'),
      ],
    }
  }
  try {
    const { journal } = stateFolder(stateOf(placeOf(realPathAt(path)), rehearsal))
    const reading = readJournal(journal, thisMachine.disk)
    const told = journalEntries(reading)
    if ('message' in told) return told
    return {
      got: 'journal',
      ...(reading.got === 'records' && reading.file !== undefined && { file: reading.file }),
      lines: linesOf(told.entries),
      cutBytes: reading.got === 'records' ? reading.tail.length : 0,
    }
  } catch (trouble) {
    if (!(trouble instanceof StorageError)) throw trouble
    return damaged(trouble)
  }
}

function linesOf(entries: readonly JournalEntry[]): JournalLine[] {
  const addresses = new Map<PurchaseId, JobAddress>()
  return entries.map(record => {
    const { at, kind } = record
    if (record.kind === 'INTENT') addresses.set(record.purchase, record.address)
    if (record.kind === 'STANDS') addresses.set(record.purchase, record.record.address)
    const id = 'purchase' in record ? record.purchase : undefined
    const address = id && addresses.get(id)
    const of = id && (address ? purchaseLabel({ id, address }) : id.slice(0, 6))
    return { at, kind, ...defined({ of }), says: wordsOf(record), record }
  })
}

function wordsOf(record: JournalRecord): string {
  switch (record.kind) {
    case 'OPEN':
      return `a run of ${record.tool} begins${record.lock ? '' : ', without a lock'}`
    case 'INTENT':
      return `to be ordered: ${record.recipe.model} by ${record.mode}${record.redo ? ', another take' : ''}`
    case 'SENDING':
      return 'its first byte leaves'
    case 'NOTSENT':
      return 'no byte of it left'
    case 'REFUSED':
      return `refused, and not billed: ${record.detail}`
    case 'DOUBT':
      return `in doubt: ${record.detail}`
    case 'ACCEPTED':
      return `accepted as run ${record.run.id}`
    case 'RESULT':
      return `answered with ${counted(record.files.length, 'file')}`
    case 'PART':
      return 'a download was broken off, and can be gone on with'
    case 'SAVED':
      return 'a file of it is here'
    case 'DONE':
      return `done${record.aside ? ', for nobody' : ''}: ${record.files.map(({ path }) => path).join(', ')}`
    case 'FAILED':
      return `failed (billed: ${record.billed}): ${failureMessage(record.failure)}`
    case 'STANDS':
      if (isResubmitted(record.record)) return 'to be ordered anew, by the word of a person'
      return `stands as ${stateWords[record.record.is]}`
    case 'RESOLVE':
      return decisionText(record.decision)
    case 'REDO':
      return `\`redo\` is to bring ${record.takes.join(', ')}`
    case 'LOCK':
      return 'the lock is about to be written'
    case 'CLOSE':
      return 'the run came to its end'
  }
}

const stateWords: { readonly [is in Purchase['is']]: string } = {
  open: 'open',
  'under-way': 'under way',
  done: 'done',
  failed: 'failed',
  doubt: 'in doubt',
}

function decisionText(decision: Decision): string {
  switch (decision.is) {
    case 'adopt':
      return `settled by a person: it is run ${decision.run.id}`
    case 'over':
      return 'settled by a person: it may be ordered again'
    case 'abandon':
      return 'settled by a person: given up'
  }
}
