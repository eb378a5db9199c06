import type { Purchase } from '../../src/base/purchase.ts'
import { type Ledger, openLedger } from '../../src/run/ledger/ledger.ts'
import { newLock } from '../../src/store/lock/lock.ts'
import { handClock } from '../store/records.ts'

/** A ledger with these purchases that writes nothing down. */
export function stillLedger(purchases: readonly Purchase[]): Ledger {
  return openLedger({
    recorded: { lock: newLock('t.yaml'), purchases, hidden: new Set() },
    journal: { append: async () => undefined },
    saver: {
      save: () => undefined,
      soon: async () => undefined,
      flush: async () => undefined,
      saveAtExit: () => undefined,
      digest: () => undefined,
      displaced: undefined,
    },
    clock: handClock(),
  })
}
