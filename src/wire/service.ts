import type { Clock } from '../base/clock.ts'
import type { Failure } from '../base/failure.ts'
import type { Way } from './http/dial.ts'
import type { Asker } from './http/http.ts'
import type { WireLimits } from './http/limits.ts'
import type { Endpoints } from './profile/endpoints.ts'
import type { Profile } from './profile/profile.ts'
import type { SpoolPlace } from './transfer/receive-answer.ts'

/** The service that a wire speaks to, and how it is spoken to. */
export interface SpokenService {
  readonly base: URL
  readonly way: Way
  readonly origin: string
  readonly profile: Profile
  readonly clock: Clock
  readonly limits: WireLimits
  readonly endpoints: Endpoints
  /** That the person names beside the service's own. */
  readonly origins: readonly string[]
  /** The headers that carry the key. */
  readonly auth: { readonly [header: string]: string }
  readonly spoolPlace: SpoolPlace
  /** Takes the key out of a text. */
  readonly hide: (text: string) => string
  readonly holdsKey: (text: string) => boolean
  /** Who asks at an origin: the service's own, or one that the person names. */
  readonly askerAt: (origin: string) => Asker
}

/** What the profile has no address for. */
export function notServed(workflow: string, detail: string): Failure {
  return { why: 'not-served', workflow, detail, unasked: true }
}
