import type { RunRef } from '../base/state.ts'
import type { Facts } from './facts.ts'

/** A run is asked for at the service that accepted it: somebody else's run may have the same id. */
export function elsewhere(run: RunRef | undefined, { origin, origins }: Facts, service: string | undefined) {
  if (!run) return undefined
  const asked = service === undefined ? origin : ownOf(origins, service)
  // Where services can be named, all of them are known that are asked.
  if (asked === undefined && origins === undefined) return undefined
  if (asked !== undefined && (run.origin ?? asked) === asked) return undefined
  const shown = asked ?? (service === undefined ? 'no usual service' : `no service called ${service}`)
  return {
    at: run.origin ?? service ?? shown,
    because: { why: 'other-service', run, origin: shown } as const,
  }
}

function ownOf(origins: Facts['origins'] = {}, service: string): string | undefined {
  return Object.hasOwn(origins, service) ? origins[service] : undefined
}
