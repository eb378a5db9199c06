import { type Code, codes } from '../base/codes.ts'
import { defined } from '../base/defined.ts'
import { nearest } from '../base/nearest.ts'
import { rows } from '../wording/explanations.ts'
import { type Meaning, outcomesOf, outcomeWords } from '../wording/outcomes.ts'

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

/** All that one word means: a code, and the states of that name. */
export interface Meanings {
  readonly got: 'meanings'
  readonly explanation: Explanation | undefined
  readonly outcomes: readonly Meaning[]
}

/** Describes a code, the state of a job, a step of a plan, or an exit code. */
export function explainWord(word: string): Meanings | Extract<Explained, { got: 'nothing' }> {
  const explained = explain(word)
  const outcomes = outcomesOf(word)
  const explanation = explained.got === 'explanation' ? explained.explanation : undefined
  if (explanation ?? outcomes[0]) return { got: 'meanings', explanation, outcomes }
  const near = nearest(word, explainedWords())
  return { got: 'nothing', ...defined({ near }) }
}

/** Every word that `explainWord` explains. */
export function explainedWords(): string[] {
  return [...new Set([...codes, ...outcomeWords])]
}

/** Describes the code that stands in brackets behind a message. */
export function explain(code: string): Explained {
  const known = codes.find(each => each === code)
  if (known) return { got: 'explanation', explanation: explanationOf(known) }
  const near = nearest(code, codes)
  return { got: 'nothing', ...defined({ near }) }
}

/** Every code, in alphabetical order. */
export function explanations(): Explanation[] {
  return codes.map(explanationOf)
}

function explanationOf(code: Code): Explanation {
  const [about, example] = rows[code]
  return { code, about, example }
}
