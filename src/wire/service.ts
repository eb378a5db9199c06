import type { Clock } from '../base/clock.ts'
import type { Failure } from '../base/failure.ts'
import type { Endpoints } from './http/address.ts'
import type { Way } from './http/dial.ts'
import type { Asker } from './http/http.ts'
import type { WireLimits } from './http/limits.ts'
import type { Profile } from './profile/profile.ts'
import type { SpoolPlace } from './transfer/receive-answer.ts'

/** The service that a wire speaks to, and how it is spoken to. */
export interface Service {
  readonly base: URL
  readonly way: Way
  readonly origin: string
  readonly profile: Profile
  readonly clock: Clock
  readonly limits: WireLimits
  readonly endpoints: Endpoints
  readonly authorization: string
  readonly spoolPlace: SpoolPlace
  readonly asker: Asker
}

/** A name that `endpointsUnder` has no address for. */
export function notServed(workflow: string): Failure {
  return { why: 'not-served', workflow, detail: 'its name cannot stand in an address' }
}
