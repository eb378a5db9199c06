import type { WireMode } from '../base/state.ts'

/** What reached the gateway under one name. `billed` counts those it accepted. */
export interface Tally {
  readonly requests: number
  readonly billed: number
}

/** Paid requests, counted where money would be charged: what the promise to buy once is measured by. */
export interface LedgerCounts {
  readonly requests: { readonly [mode in WireMode]: number }
  readonly billed: { readonly [mode in WireMode]: number }
  /** By the value of the Idempotency-Key header. */
  readonly byKey: { readonly [key: string]: Tally }
  /** By the value of the X-Gateway-Job header, which names the job for the sake of this count. */
  readonly byJob: { readonly [job: string]: Tally }
}

/** Whom a paid request is counted for. */
export interface Payer {
  readonly mode: WireMode
  readonly key?: string
  readonly job?: string
}

export interface GatewayLedger {
  note(payer: Payer, entry: keyof Tally): void
  counts(): LedgerCounts
}

export function openGatewayLedger(): GatewayLedger {
  const totals = { requests: { execute: 0, submit: 0 }, billed: { execute: 0, submit: 0 } }
  const byKey = new Map<string, Tally>()
  const byJob = new Map<string, Tally>()
  return {
    note({ mode, key, job }, entry) {
      totals[entry][mode]++
      if (key !== undefined) add(byKey, key, entry)
      if (job !== undefined) add(byJob, job, entry)
    },
    counts: () => ({
      requests: { ...totals.requests },
      billed: { ...totals.billed },
      byKey: Object.fromEntries(byKey),
      byJob: Object.fromEntries(byJob),
    }),
  }
}

function add(tallies: Map<string, Tally>, name: string, entry: keyof Tally): void {
  const tally = tallies.get(name) ?? { requests: 0, billed: 0 }
  tallies.set(name, { ...tally, [entry]: tally[entry] + 1 })
}
