import { type Code, codes } from '../base/codes.ts'
import { nearest } from '../base/nearest.ts'
import { rows } from '../wording/explanations.ts'

/** What a code means, and a text that brings it about. */
export interface Explanation {
  readonly code: Code
  readonly about: string
  /** Wrong, as in a manifest or on a command line. */
  readonly example: string
}

type Explained =
  | { readonly got: 'explanation'; readonly explanation: Explanation }
  | { readonly got: 'nothing'; readonly near?: string }

/** Describes the code that stands in brackets behind a message. */
export function explain(code: string): Explained {
  const known = codes.find(each => each === code)
  if (known) return { got: 'explanation', explanation: explanationOf(known) }
  const near = nearest(code, codes)
  return { got: 'nothing', ...(near !== undefined && { near }) }
}

/** Every code, in alphabetical order. */
export function explanations(): Explanation[] {
  return codes.map(explanationOf)
}

function explanationOf(code: Code): Explanation {
  const [about, example] = rows[code]
  return { code, about, example }
}
