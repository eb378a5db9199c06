/** One header that carries the key. */
export interface AuthRule {
  readonly header: string
  /** The word before the key, as `Bearer`; undefined where the key stands alone. */
  readonly scheme: string | undefined
}

/** The headers that carry the key. They go to the service's own origin, and to those that the person names. */
export function authHeaders(rules: readonly AuthRule[], key: string): { readonly [header: string]: string } {
  return Object.fromEntries(
    rules.map(({ header, scheme }) => [header, scheme === undefined ? key : `${scheme} ${key}`]),
  )
}
