import type { Literal } from './names.ts'

/**
 * Names of an output that are numbers only when files come: `n` is the file's among several, `take` that of the take. In a
 * filled text they stand between two characters of private use, which no name of a file has; a job's output says them as `<n>` and `<n:3>`
 * (three digits).
 */
const tokenNames = ['n', 'take'] as const

export type TokenName = (typeof tokenNames)[number]

const [open, close] = ['\uE000', '\uE001']
const inText = /\uE000(n|take):(\d*)\uE001/g

export function isTokenName(name: string): name is TokenName {
  return tokenNames.some(known => known === name)
}

export function tokenOf(name: TokenName): Literal {
  return { kind: 'literal', value: `${open}${name}:${close}`, isToken: true }
}

/** The token with so many digits; undefined for a text that is none. */
export function padToken(text: string, digits: number): string | undefined {
  const match = /^\uE000(n|take):\d*\uE001$/.exec(text)
  return match ? `${open}${match[1]}:${digits}${close}` : undefined
}

/** Every token as `of` puts it. */
export function replaceTokens(text: string, of: (name: TokenName, digits: string) => string): string {
  return text.replaceAll(inText, (_, name: TokenName, digits: string) => of(name, digits))
}
