import type { ProxyRules } from '../wire/proxy.ts'

/** The service to work with. The desk is told; it never looks for one. */
export interface Service {
  /** With the path that ends in `gw-v2`. */
  readonly baseUrl: string
  readonly key: string
  /** The embedded gateway: outputs, lock and state are kept apart from the real ones. */
  readonly rehearsal: boolean
  /** Other origins that a profile may send files to, named outside the checkout: `https://files.example`. */
  readonly uploadOrigins?: readonly string[]
  /** The proxy on the way to everything but this machine; see `proxyOf`. */
  readonly proxy?: ProxyRules
  /** Certificate authorities beside the usual ones, as PEM. */
  readonly ca?: string
}
