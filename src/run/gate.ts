import type { Failure } from '../base/failure.ts'
import type { Claim } from '../store/claim/claim.ts'
import { StorageError } from '../store/files/storage-error.ts'
import type { Journal } from '../store/journal/journal.ts'
import type { Ledger } from './ledger/ledger.ts'

/** Who may keep a paid request back. */
export interface Gatekeepers {
  readonly stop: AbortSignal
  readonly claim: Pick<Claim, 'standing'>
  readonly journal: Pick<Journal, 'broken' | 'isThere'>
  readonly ledger: Pick<Ledger, 'displaced'>
}

/** docs/contract.md section 2, steps 1 and 4: asked in the connector, before SENDING is written and right before the first byte. */
export function gate({ stop, ...keepers }: Gatekeepers): Failure | undefined {
  if (stop.aborted) return { why: 'stopped' }
  if (keepers.journal.broken) return unsaved(keepers.journal.broken)
  return vanished(keepers) ?? lostClaim(keepers.claim)
}

/** The records of this run were taken away or replaced while it works: what they no longer hold must not be bought. */
export function vanished({ claim, journal, ledger }: Omit<Gatekeepers, 'stop'>): Failure | undefined {
  return ofDisk(() => {
    if (ledger.displaced) return unsaved(ledger.displaced)
    const standing = claim.standing()
    if (standing === 'taken' || (standing === 'mine' && journal.isThere())) return undefined
    return { why: 'unsaved', path: 'the state folder', detail: 'it was taken away while genrun was at work' }
  })
}

/** What another genrun took over is that one's to go on with. */
export function lostClaim(claim: Pick<Claim, 'standing'>): Failure | undefined {
  return ofDisk(() => (claim.standing() === 'taken' ? { why: 'stopped' } : undefined))
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
