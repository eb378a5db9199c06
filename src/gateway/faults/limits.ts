import type { Endpoint, GatewayLimits } from './faults.ts'

/** What is under way, for limits that count it. */
interface Load {
  /** Execute requests in flight. */
  readonly executes: number
  /** Submitted runs that are not finished. */
  readonly runs: number
}

/** Seconds to wait before the request may come again; undefined when it may pass. */
export type LoadGate = (endpoint: Endpoint, load: Load) => number | undefined

/** Counts requests against limits. A refused request counts against no limit. */
export function openGate(limits: GatewayLimits, now: () => number): LoadGate {
  let passed: number[] = []
  return (endpoint, load) => {
    const isCrowded =
      (endpoint === 'execute' && load.executes >= (limits.executes ?? Number.POSITIVE_INFINITY)) ||
      (endpoint === 'submit' && load.runs >= (limits.runs ?? Number.POSITIVE_INFINITY))
    if (isCrowded) return limits.retryAfterSeconds ?? 1
    if (!limits.rate || endpoint === 'file') return undefined
    const windowMs = limits.rate.seconds * 1000
    passed = passed.filter(at => at > now() - windowMs)
    const oldest = passed[passed.length - limits.rate.requests]
    if (oldest !== undefined) return Math.max(1, Math.ceil((oldest + windowMs - now()) / 1000))
    passed.push(now())
    return undefined
  }
}
