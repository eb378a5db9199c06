/** One place that carries the key: a header, or what a person allows alone, the query of every address. */
export type AuthRule =
  | {
      readonly header: string
      /** The word before the key, as `Bearer`; undefined where the key stands alone. */
      readonly scheme: string | undefined
    }
  | { readonly query: string }

/** What carries the key, as `Sent` takes it. It goes to the service's own origin, and to those that the person names. */
export function authHeaders(rules: readonly AuthRule[], key: string): { readonly [header: string]: string } {
  return Object.fromEntries(
    rules.map(rule => {
      if ('query' in rule) return [`?${rule.query}`, key]
      return [rule.header, rule.scheme === undefined ? key : `${rule.scheme} ${key}`]
    }),
  )
}

/** Whether the key would stand in addresses, which proxies and logs keep. */
export function isKeyInQuery(rules: readonly AuthRule[]): boolean {
  return rules.some(rule => 'query' in rule)
}
