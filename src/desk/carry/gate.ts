import type { Failure } from '../../base/failure.ts'
import type { Claim } from '../../store/claim.ts'
import type { Journal } from '../../store/journal.ts'
import { StorageTrouble } from '../../store/trouble.ts'

/** Who may keep a paid request back. */
export interface Gatekeepers {
  readonly stop: AbortSignal
  readonly claim: Pick<Claim, 'isMine'>
  readonly journal: Pick<Journal, 'broken'>
}

/** RELIABILITY.md section 2, steps 1 and 4: asked in the connector, before SENDING is written and right before the first byte. */
export function gate({ stop, claim, journal }: Gatekeepers): Failure | undefined {
  if (stop.aborted) return { why: 'stopped' }
  if (journal.broken) return unsaved(journal.broken)
  return lostClaim(claim)
}

/** What another genrun took over is that one's to go on with. */
export function lostClaim(claim: Pick<Claim, 'isMine'>): Failure | undefined {
  try {
    return claim.isMine() ? undefined : { why: 'stopped' }
  } catch (trouble) {
    if (!(trouble instanceof StorageTrouble)) throw trouble
    return unsaved(trouble)
  }
}

function unsaved({ path, detail }: StorageTrouble): Failure {
  return { why: 'unsaved', path, detail }
}
