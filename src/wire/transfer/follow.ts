import type { Clock } from '../../base/clock.ts'
import { deadline } from '../http/deadline.ts'
import { exchange, type Opened, type Sender } from '../http/exchange.ts'
import type { WireLimits } from '../http/limits.ts'
import { nextHop } from '../http/link.ts'
import type { DownloadReply } from '../http/wire.ts'
import { isSignedAddress } from '../profile/poll-address.ts'
import { type Resumption, rangeHeaders } from './resumption.ts'
import { trouble } from './undelivered.ts'

export interface Follower {
  /** Checks where it dials. */
  readonly agent: Sender
  readonly base: URL
  /** The key, and what else the profile has for every request: sent to the base address's origin and nowhere else. */
  readonly auth: { readonly [header: string]: string }
  readonly clock: Clock
  readonly limits: WireLimits
}

/** Goes from redirect to redirect until an answer is none; every hop is checked before it is dialled. */
export async function follow(
  from: Follower,
  link: string,
  resumption: Resumption | undefined,
  { signal, cutOff }: { readonly signal: AbortSignal; readonly cutOff: (reason: string) => void },
): Promise<Opened | DownloadReply> {
  const { base, clock, limits, agent, auth } = from
  let next = nextHop(link, base)
  for (let hops = 0; hops <= limits.download.redirects; hops++) {
    if ('problem' in next) return trouble(next.problem)
    const { url } = next
    const limit = deadline(clock)
    limit.set(clock.now(), limits.download.firstHeaderMs, 'no answer', cutOff)
    const headers = {
      accept: '*/*',
      'accept-encoding': 'identity',
      ...(resumption && rangeHeaders(resumption)),
      ...(url.origin === base.origin && (isSignedAddress(url.href) ? besideSignature(auth) : auth)),
    }
    const sent = { origin: url.origin, path: `${url.pathname}${url.search}`, method: 'GET', headers } as const
    const answer = await exchange(agent, sent, clock, signal).finally(() => limit.stop())
    const { status, headers: said } = answer.head
    if (!isRedirect(status) || said.location === undefined) return answer
    answer.close()
    next = nextHop(said.location, base, url)
  }
  return trouble(`more than ${limits.download.redirects} redirects`)
}

/** An address that is signed has its own word, and another in its query would break it. */
function besideSignature(auth: Follower['auth']): Follower['auth'] {
  return Object.fromEntries(Object.entries(auth).filter(([name]) => !name.startsWith('?')))
}

function isRedirect(status: number): boolean {
  return [301, 302, 303, 307, 308].includes(status)
}
