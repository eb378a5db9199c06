import { type Diagnostic, error, warning } from '../../base/diagnostic.ts'
import { bareLink } from '../../base/redact.ts'
import { spanOf } from '../../base/source.ts'
import type { Model } from '../../catalog/index.ts'
import { checkBaseUrl } from '../../wire/http/address.ts'
import { isLoopbackHost } from '../../wire/http/networks.ts'
import type { ProxyRules } from '../../wire/http/proxy.ts'
import type { Trust } from '../read/trust.ts'

export { checkBaseUrl } from '../../wire/http/address.ts'

/** The service to work with. The verbs are told; they never look for one. */
export interface Service {
  /** With the path that ends in `gw-v2`. */
  readonly baseUrl: string
  readonly key: string
  /** The embedded gateway: outputs, lock and state are kept apart from the real ones. */
  readonly rehearsal: boolean
  /** Tells the embedded gateway of models that the user declared: it serves them from then on. */
  readonly introduce?: (models: readonly Model[]) => void
  /** Other origins that a profile may send files to, named outside the checkout: `https://files.example`. */
  readonly uploadOrigins?: readonly string[]
  /** The key may stand in addresses, where a profile says so; said outside the checkout. */
  readonly keyInQuery?: boolean
  /** Hosts whose result links may lead to addresses of a private network, named outside the checkout. */
  readonly allowHosts?: readonly string[]
  /** Results are asked for at most so often a second, everything that asks this service together. */
  readonly pollsPerSecond?: number
  /** The proxy on the way to everything but this machine; see `proxyOf`. */
  readonly proxy?: ProxyRules
  /** Certificate authorities beside the usual ones, as PEM. */
  readonly ca?: string
  /** What of the checkout is believed; absent where everything is named by a program. */
  readonly trust?: Trust
  /** Those that jobs may name, by their names in the person's own settings. */
  readonly others?: NamedServices
  /** Nobody has said where jobs go that name no service: then none may be there. Its address leads nowhere. */
  readonly isNone?: true
  /** The one of `others` that takes the place of the usual one. */
  readonly name?: string
}

/** Where jobs go that name a service: it is the person's own settings that say it, never a file of the checkout. */
export interface NamedService extends Omit<Service, 'rehearsal' | 'others' | 'isNone' | 'name'> {
  /** The file of its profile, absolute; the built-in one when absent. */
  readonly profile?: string
  readonly limits?: ServiceLimits
}

/** What is wrong with a service that was declared: told by whoever would use it. */
export interface ServiceProblem {
  readonly problem: string
  readonly hint?: string | undefined
}

export type NamedServices = { readonly [name: string]: NamedService | ServiceProblem }

/** Of one service. What is spent there counts for the caps of the run as well. */
export interface ServiceLimits {
  readonly execute?: number
  readonly submit?: number
  readonly total?: number
  readonly perMinute?: number
  readonly maxPaid?: number
  readonly maxCost?: number
}

/** A service as the person's own settings declare it. Paths are absolute. */
export interface DeclaredService {
  readonly name: string
  readonly baseUrl: string
  readonly apiKeyFile?: string
  /** The variable of the environment that holds the key. */
  readonly apiKeyVariable?: string
  readonly profile?: string
  readonly uploadOrigins?: readonly string[]
  readonly keyInQuery?: boolean
  readonly allowHosts?: readonly string[]
  readonly ca?: string
  readonly pollsPerSecond?: number
  readonly limits?: ServiceLimits
}

/** Leads nowhere (RFC 2606): stands where there is no usual service. */
export const nowhere = 'https://none.invalid/gw-v2'

/** What is wrong, or odd, with the base address of a service. `name` is what the user knows it by. */
export function baseUrlProblems(
  { baseUrl, rehearsal }: Pick<Service, 'baseUrl' | 'rehearsal'>,
  name: string,
): Diagnostic[] {
  const checked = checkBaseUrl(baseUrl)
  // A user name and a password stand before an @ and are nobody's to see.
  const shown = bareLink(baseUrl).replace(/\/\/[^/]*@/, '//…@')
  const at = spanOf({ name, text: shown }, 0, shown.length)
  if ('problem' in checked) return [error('bad-base-url', at, `it ${checked.problem}`, checked.hint)]
  const isOdd = checked.warning !== undefined && !rehearsal
  return isOdd ? [warning('odd-base-url', at, `it ${checked.warning}`)] : []
}

/** How an address ends is the specification's word about its own service. */
export function asOtherService(problems: readonly Diagnostic[]): Diagnostic[] {
  return problems.filter(({ code }) => code !== 'odd-base-url')
}

/** What its runs are known by beside their ids. */
export function originOf({ baseUrl }: Pick<Service, 'baseUrl'>): string {
  return URL.canParse(baseUrl) ? new URL(baseUrl).origin : baseUrl
}

/** No run is asked about more often than this: a gateway of this machine has nothing to be spared. */
export function pollFloorMs({ rehearsal, baseUrl }: Pick<Service, 'rehearsal' | 'baseUrl'>): number {
  return rehearsal || isLoopbackHost(new URL(baseUrl).hostname) ? 50 : 1000
}

/** Every key that is at hand: none of them belongs into a text that others read. */
export function keysOf(service: Pick<Service, 'key' | 'others'> | undefined): readonly string[] {
  const others = Object.values(service?.others ?? {}).flatMap(each => ('problem' in each ? [] : [each.key]))
  return [service?.key ?? '', ...others].filter(key => key !== '')
}

/** What the person lets a service be paid that takes the place of the usual one. */
export function limitsAt({ name, others = {} }: Pick<Service, 'name' | 'others'>): ServiceLimits {
  const found = name !== undefined && Object.hasOwn(others, name) ? others[name] : undefined
  return (found && 'limits' in found && found.limits) || {}
}
