/** What the parser made of the options of a command line, by their names in camel case. */
export interface Values {
  readonly [name: string]: unknown
}

/** How much is said beside the result. `debug` is `verbose`, and what goes over the wire. */
export type Talk = 'quiet' | 'usual' | 'verbose' | 'debug'

export function talkOf(values: Values): Talk {
  if (values.debug === true) return 'debug'
  return values.verbose === true ? 'verbose' : values.quiet === true ? 'quiet' : 'usual'
}

export function text(value: unknown): string | undefined {
  return typeof value === 'string' ? value : undefined
}

export function texts(value: unknown): string[] {
  return Array.isArray(value) ? value.filter(each => typeof each === 'string') : []
}

export function number(value: unknown): number | undefined {
  return typeof value === 'number' ? value : undefined
}

/** What of the checkout is believed, by the command line. */
export interface TrustArgs {
  /** The profile that counts here was read, and is right. */
  readonly trust?: true
  /** The checkout may be a stranger's. */
  readonly untrusted?: true
}

export function trustIn({ trust, untrusted }: Values): TrustArgs {
  return { ...(trust === true && { trust }), ...(untrusted === true && { untrusted }) }
}

/** Files that declare models, of the command line; nothing where none is named. */
export function catalogIn({ catalog }: Values): { readonly catalog?: readonly string[] } {
  const files = texts(catalog)
  return files.length > 0 ? { catalog: files } : {}
}
