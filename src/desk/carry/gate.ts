import type { Failure } from '../../base/failure.ts'
import type { Claim } from '../../store/claim.ts'
import type { Journal } from '../../store/journal.ts'
import { StorageTrouble } from '../../store/trouble.ts'

/** Who may keep a paid request back. */
export interface Gatekeepers {
  readonly stop: AbortSignal
  readonly claim: Pick<Claim, 'standing'>
  readonly journal: Pick<Journal, 'broken' | 'isThere'>
}

/** RELIABILITY.md section 2, steps 1 and 4: asked in the connector, before SENDING is written and right before the first byte. */
export function gate({ stop, claim, journal }: Gatekeepers): Failure | undefined {
  if (stop.aborted) return { why: 'stopped' }
  if (journal.broken) return unsaved(journal.broken)
  return vanished({ claim, journal }) ?? lostClaim(claim)
}

/** The records of this run were taken away while it works: what they no longer hold must not be bought. */
export function vanished({ claim, journal }: Pick<Gatekeepers, 'claim' | 'journal'>): Failure | undefined {
  return ofDisk(() => {
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
    if (!(trouble instanceof StorageTrouble)) throw trouble
    return unsaved(trouble)
  }
}

function unsaved({ path, detail }: StorageTrouble): Failure {
  return { why: 'unsaved', path, detail }
}
