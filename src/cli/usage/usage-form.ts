/**
 * The command line as data: the parser, the help screens and (later) the completions are loops over it.
 * Flags are written as they stand in help: `-q, --quiet`, `--output <folder>`.
 */
export interface Usage {
  /** As it is typed: `run`, `models info`; empty for genrun itself. */
  readonly name: string
  /** `<manifest>`, `<manifest> [jobs...]`. */
  readonly args?: string
  /** One line. */
  readonly says: string
  /** A command line and what it does. */
  readonly examples: readonly (readonly [line: string, does: string])[]
  readonly options: readonly OptionUsage[]
  /** Flags that are not listed here are handed on with the arguments. */
  readonly anyFlags?: true
  /** What help says at its end. */
  readonly notes?: readonly string[]
}

export interface OptionUsage {
  readonly flags: string
  readonly says: string
  /** What its value must be; a text where it is absent. `list` may be given several times. */
  readonly takes?: 'date' | 'count' | 'port' | 'list' | 'var' | 'paid' | 'amount' | 'size' | 'verify'
  /** The values it may have, for completion. */
  readonly values?: readonly string[]
  /** The option that cannot be given beside it, by its name without dashes. */
  readonly not?: string
}
