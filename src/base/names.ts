/** Any JSON value. Numbers are finite. */
export type Json = null | boolean | number | string | readonly Json[] | { readonly [key: string]: Json }

export type JsonObject = { readonly [key: string]: Json }

declare const brand: unique symbol
type Branded<Name extends string> = string & { readonly [brand]: Name }

/** The name of one expanded job: `poster`, `poster[fox,noir]`, `poster[fox,noir]#2`. */
export type JobAddress = Branded<'JobAddress'>

/** The service's name of a submitted run: 1 to 256 printable ASCII characters, never `.` or `..`. */
export type RunId = Branded<'RunId'>

/** The name of one purchase for good: the idempotency key that every attempt of its order sends. */
export type PurchaseId = Branded<'PurchaseId'>

/** `sha256:` and 64 lower-case hexadecimal digits. */
export type Digest = Branded<'Digest'>

/** A JSON pointer (RFC 6901) into a job's parameters: `/imageUrls/0`. */
export type Pointer = Branded<'Pointer'>

export function jobAddress(text: string): JobAddress {
  return text as JobAddress
}

/** Which of a job's files is the first that an order brings, from 0: 3 of `hero+4`, 0 of `hero`. */
export function restStart(address: JobAddress): number {
  return Number(/\+(\d+)$/.exec(address)?.[1] ?? 1) - 1
}

/** Undefined for text that no genrun ever took for one. */
export function purchaseId(text: string): PurchaseId | undefined {
  return /^[\w.-]{1,80}$/.test(text) ? (text as PurchaseId) : undefined
}

/** Undefined for text that could not safely stand in a URL path segment, a log or a file. */
export function runId(text: string): RunId | undefined {
  const isSafe = /^[\x21-\x7e]{1,256}$/.test(text) && text !== '.' && text !== '..'
  return isSafe ? (text as RunId) : undefined
}

export function sha256Digest(hex: string): Digest {
  // One text, not two that hold on to each other: each file and each order keeps one.
  return ['sha256:', hex].join('') as Digest
}

export function pointer(path: readonly (string | number)[]): Pointer {
  return path.map(step => `/${String(step).replaceAll('~', '~0').replaceAll('/', '~1')}`).join('') as Pointer
}

/** The steps of a pointer, unescaped; array indexes stay text. */
export function pointerSteps(at: Pointer): string[] {
  const steps = at.split('/').slice(1)
  // Few names are escaped, and every answer of the service is read by pointers.
  return at.includes('~') ? steps.map(step => step.replaceAll('~1', '/').replaceAll('~0', '~')) : steps
}
/** Names of services: words of the person's own settings that manifests and catalogs use. */
export function isServiceName(name: string): boolean {
  return /^[a-z0-9][a-z0-9_-]{0,63}$/.test(name)
}

/** What such a name is, in words. */
export const serviceNameForm = 'one word of lower case letters, digits, `-` and `_`'
