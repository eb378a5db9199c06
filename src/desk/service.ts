/** The service to work with. The desk is told; it never looks for one. */
export interface Service {
  /** With the path that ends in `gw-v2`. */
  readonly baseUrl: string
  readonly key: string
  /** The embedded gateway: outputs, lock and state are kept apart from the real ones. */
  readonly rehearsal: boolean
  /** Other origins that a profile may send files to, named outside the checkout: `https://files.example`. */
  readonly uploadOrigins?: readonly string[]
}
