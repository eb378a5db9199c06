import type { Failure } from '../base/failure.ts'
import { failureMessage } from '../base/failure.ts'
import type { Claim } from '../store/claim/claim.ts'
import type { RunEvent } from '../wording/report.ts'
import type { Machine } from '../workspace/machine.ts'
import { takenOverText } from '../workspace/records/busy.ts'
import type { Setting } from '../workspace/workspace.ts'
import { lostClaim, type RecordKeepers, vanished } from './gate.ts'

/** Told at once, whatever becomes of the run: the other one stops by what was done here. */
export function tellTakenOver({ request, machine }: Setting, { from }: Claim): void {
  if (from) request.emit({ at: machine.clock.now(), event: 'warned', message: takenOverText(from) })
}

/** Watches over the records of a run while it works. */
export interface RecordsWatch {
  /** Set when they were taken away or replaced. */
  readonly lost: Failure | undefined
  close(): void
}

const lookEveryMs = 1000

/**
 * Looks every second whether claim, journal and lock are still this run's, and tells at once when they are not. That nothing
 * more is bought then, the gate sees to; what is paid for goes into the lock, or where the trouble with it says, and beside the
 * journal of whoever took the claim over.
 */
export function watchRecords(
  keepers: RecordKeepers,
  { clock }: Pick<Machine, 'clock'>,
  onLost: (told: RunEvent) => void,
): RecordsWatch {
  const over = new AbortController()
  let lost: Failure | undefined
  const look = () => {
    lost = vanished(keepers)
    const message = lost ? `${failureMessage(lost)}; ${lostText}` : lostClaim(keepers.claim) && takenText
    if (!message) return
    over.abort()
    onLost({ at: clock.now(), event: 'warned', message })
  }
  async function watch(): Promise<void> {
    while (!over.signal.aborted) {
      await clock.until(clock.now() + lookEveryMs, over.signal)
      if (!over.signal.aborted) look()
    }
  }
  void watch()
  return {
    get lost() {
      if (!lost && !over.signal.aborted) look()
      return lost
    },
    close: () => over.abort(),
  }
}

/** What follows from that, for a person. */
export const lostText = 'nothing more is bought, and what is paid for is written down'

const takenText =
  'another genrun has taken this manifest over; nothing more is ordered here, and what is paid for is left to its next run'
