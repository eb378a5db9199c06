/** Something wrong with one model's parameters, by place and not yet by position in a text. */
export interface ParamProblem {
  readonly code: ParamCode
  readonly severity: 'error' | 'warning'
  /** Into the parameters: `['multiPrompt', 0, 'index']`. For a missing parameter, the place that lacks it. */
  readonly path: readonly (string | number)[]
  readonly part: 'key' | 'value'
  readonly message: string
  readonly hint?: string
}

/** `no-effect` and `contradiction` are warnings only; `bad-step` is one where the step is advice. */
export type ParamCode =
  | 'missing-param'
  | 'unknown-param'
  | 'unknown-member'
  | 'wrong-type'
  | 'bad-value'
  | 'blank-text'
  | 'too-long'
  | 'too-many'
  | 'out-of-range'
  | 'bad-step'
  | 'no-effect'
  | 'contradiction'
  | 'at-file'

/** A schema's keyword that did not hold, and where. */
export interface SchemaFinding {
  readonly keyword: string
  readonly path: readonly (string | number)[]
  /** The name of a missing or unknown property. */
  readonly property?: string
}
