import type { Diagnostic } from '../../base/diagnostic.ts'
import type { Span } from '../../base/source.ts'
import type { Range } from '../../text/expression.ts'
import type { Coordinates } from '../shapes/coordinates.ts'
import type { Filled } from '../shapes/filled.ts'

/** What expressions may read. `span` turns a place inside the expression into one of the manifest. */
export interface Names {
  readonly span: (range: Range) => Span
  readonly variable: (name: string, at: Span) => Filled | undefined
  /** The variable that a name was probably meant to be. */
  readonly variableLike: (name: string) => string | undefined
  /** The cell that is being filled; `later` where none is known yet and nothing can be said. */
  readonly cell: () => CellNames | 'later' | undefined
  /** Ids of all jobs. */
  readonly jobs: ReadonlySet<string>
  /** The text of a file of the project; undefined when it cannot be read, which is told at `at`. */
  readonly textOf: (path: string, at: Span) => string | undefined
  /** Whether `n` and `take` are known: where an output is written. */
  readonly takesTokens: boolean
  readonly report: (problem: Diagnostic) => void
}

/** What `matrix`, `item` and `job` mean in one cell. */
export interface CellNames {
  readonly id: string
  readonly address: string
  /** Its keys, joined by `_`; empty where there are no axes. */
  readonly key: string
  readonly place: Coordinates
  /** Whether a name or a path into it is there in some cell of the job. */
  readonly isKnown: (path: readonly string[]) => boolean
  /** What may stand at the end of a path, over all cells. */
  readonly known: (path: readonly string[]) => readonly string[]
}

/** What an expression yields. Nothing when it could not be filled, which is told. */
export type Yield = Filled | Literal

export interface Literal {
  readonly kind: 'literal'
  readonly value: null | boolean | number | string
  /** Stands for a name that other cells have and this one has not. */
  readonly isAbsent?: true | undefined
  /** Stands for what is known only when files come; see `tokens.ts`. */
  readonly isToken?: true
}

export function literalOf(value: Literal['value']): Literal {
  return { kind: 'literal', value }
}

export const absent: Literal = { kind: 'literal', value: null, isAbsent: true }

/** A step of a path whose brackets are worked out. */
export type PathStep =
  /** In brackets rather than behind a dot. */
  | { readonly by: 'name'; readonly name: string; readonly isBracketed?: boolean; readonly at: Span }
  | { readonly by: 'index'; readonly index: number; readonly at: Span }
  | { readonly by: 'all'; readonly at: Span }

/** As it is written behind a dot or in brackets. */
export function placeText(place: PathStep): string {
  return place.by === 'name' ? place.name : place.by === 'index' ? String(place.index) : '*'
}

/** In UTF-16 units, what a template or a function makes: variables and calls that double each other end here. */
export const longestText = 1_000_000
