import type { Failure } from '../base/failure.ts'
import type { Claim, ClaimStanding } from '../store/claim/claim.ts'
import type { Spool } from '../store/files/spool.ts'
import { StorageError } from '../store/files/storage-error.ts'
import type { Journal } from '../store/journal/journal.ts'
import type { Ledger } from './ledger/ledger.ts'

/** Who may keep a paid request back. */
export interface Gatekeepers {
  readonly stop: AbortSignal
  readonly claim: Pick<Claim, 'standing'>
  readonly journal: Pick<Journal, 'broken' | 'isThere'>
  readonly ledger: Pick<Ledger, 'displaced'>
  readonly spool: Pick<Spool, 'broken'>
}

/** Where the records of a run are. */
export type RecordKeepers = Omit<Gatekeepers, 'stop' | 'spool'>

/** docs/contract.md section 2, steps 1 and 4: asked in the connector, before SENDING is written and right before the first byte. */
export function gate({ stop, ...keepers }: Gatekeepers): Failure | undefined {
  if (stop.aborted) return { why: 'stopped' }
  const broken = keepers.journal.broken ?? keepers.spool.broken
  if (broken) return unsaved(broken)
  return lostRecords(keepers)
}

/** The records of this run were taken away, replaced or taken over while it works. One look at the claim tells all three. */
export function lostRecords(keepers: RecordKeepers): Failure | undefined {
  return ofDisk(() => {
    const standing = keepers.claim.standing()
    return replaced(keepers, standing) ?? takenOver(standing)
  })
}

/** The records of this run were taken away or replaced while it works: what they no longer hold must not be bought. */
export function vanished(keepers: RecordKeepers): Failure | undefined {
  return ofDisk(() => replaced(keepers, keepers.claim.standing()))
}

/** What another genrun took over is that one's to go on with. */
export function lostClaim(claim: Pick<Claim, 'standing'>): Failure | undefined {
  return ofDisk(() => takenOver(claim.standing()))
}

function replaced(
  { journal, ledger }: Pick<Gatekeepers, 'journal' | 'ledger'>,
  standing: ClaimStanding,
): Failure | undefined {
  if (ledger.displaced) return unsaved(ledger.displaced)
  if (standing === 'taken' || (standing === 'mine' && journal.isThere())) return undefined
  return { why: 'unsaved', path: 'the state folder', detail: 'it was taken away while genrun was at work' }
}

function takenOver(standing: ClaimStanding): Failure | undefined {
  return standing === 'taken' ? { why: 'stopped' } : undefined
}

function ofDisk(look: () => Failure | undefined): Failure | undefined {
  try {
    return look()
  } catch (trouble) {
    if (!(trouble instanceof StorageError)) throw trouble
    return unsaved(trouble)
  }
}

function unsaved({ path, detail }: StorageError): Failure {
  return { why: 'unsaved', path, detail }
}
