import { nearest } from '../base/nearest.ts'
import { rows } from '../wording/explanations.ts'

/** What a code means, and a text that brings it about. */
export interface Explanation {
  readonly code: string
  readonly about: string
  /** Wrong, as in a manifest or on a command line. */
  readonly example: string
}

export type Explained =
  | { readonly got: 'explanation'; readonly explanation: Explanation }
  | { readonly got: 'nothing'; readonly near?: string }

/** Describes the code that stands in brackets behind a message. */
export function explain(code: string): Explained {
  const row = Object.hasOwn(rows, code) ? rows[code] : undefined
  if (row) {
    const [about, example] = row
    return { got: 'explanation', explanation: { code, about, example } }
  }
  const near = nearest(code, Object.keys(rows))
  return { got: 'nothing', ...(near !== undefined && { near }) }
}

/** Every code, in alphabetical order. */
export function explanations(): Explanation[] {
  return Object.entries(rows).map(([code, [about, example]]) => ({ code, about, example }))
}
