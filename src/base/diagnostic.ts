import type { Code } from './codes.ts'
import { defined } from './defined.ts'
import { lineAt, positionAt, type Span } from './source.ts'

export type { Code } from './codes.ts'

/** Something wrong with the text or the settings. Wording: lower case, no full stop, advice only in `hint`. */
export interface Diagnostic {
  readonly code: Code
  readonly severity: 'error' | 'warning'
  readonly message: string
  readonly at: Span
  readonly notes?: readonly Note[]
  readonly hint?: string
}

/** Another place that belongs to the problem: the first of two duplicates, the default that is wrong here. */
export interface Note {
  readonly message: string
  readonly at: Span
}

/** A stage's result: the value, when the text allows one, and everything that was found on the way. */
export interface Checked<T> {
  readonly value: T | undefined
  readonly problems: readonly Diagnostic[]
}

export function error(code: Code, at: Span, message: string, hint?: string): Diagnostic {
  return { code, severity: 'error', message, at, ...(hint && { hint }) }
}

export function warning(code: Code, at: Span, message: string, hint?: string): Diagnostic {
  return { ...error(code, at, message, hint), severity: 'warning' }
}

/** The same, with what other places have to do with it, if any has. */
export function withNotes(problem: Diagnostic, notes: readonly Note[] | undefined): Diagnostic {
  return { ...problem, ...defined({ notes }) }
}

export function hasErrors(problems: readonly Diagnostic[]): boolean {
  return problems.some(problem => problem.severity === 'error')
}

/** More errors than anybody reads: whatever is wrong further on is wrong in the same way, or told when these are mended. */
export const mostErrors = 5000

/**
 * Runs a check that takes note of problems, for as long as there are not too many errors: then it ends where it is, with a word
 * about that, and undefined. A text of a few megabytes can hold a million of them.
 */
export function upToMostErrors<T>(
  problems: Diagnostic[],
  check: (report: (problem: Diagnostic) => void) => T,
): T | undefined {
  let errors = 0
  try {
    return check(problem => {
      if (problem.severity === 'error' && ++errors > mostErrors) throw new TooManyErrors(problem.at)
      problems.push(problem)
    })
  } catch (stop) {
    if (!(stop instanceof TooManyErrors)) throw stop
    problems.push(tooMany(stop.at))
    return undefined
  }
}

class TooManyErrors extends Error {
  readonly at: Span

  constructor(at: Span) {
    super('too many errors')
    this.at = at
  }
}

function tooMany(at: Span): Diagnostic {
  const message = `there are more than ${mostErrors} errors, and the check ended here`
  return error('too-many-errors', at, message, 'mend those first')
}

/** In order of place, each said once. */
export function sortProblems(problems: readonly Diagnostic[]): Diagnostic[] {
  const seen = new Set<string>()
  return problems
    .filter(problem => {
      const key = [
        problem.code,
        problem.at.file.name,
        problem.at.start,
        problem.at.end,
        problem.message,
      ].join('\0')
      return !seen.has(key) && seen.add(key)
    })
    .toSorted(
      (a, b) =>
        a.at.file.name.localeCompare(b.at.file.name, 'en') || a.at.start - b.at.start || a.at.end - b.at.end,
    )
}

/** A problem as `validate --json` prints it. Lines and columns count from 1; the end is exclusive. */
export interface ProblemRecord {
  readonly code: Code
  readonly severity: 'error' | 'warning'
  readonly message: string
  readonly file: string
  readonly line: number
  readonly column: number
  readonly endLine: number
  readonly endColumn: number
  readonly hint?: string
}

/** A problem in one line, with its place where that is one in a file: `campaign.yaml:12: no job is called hero`. */
export function problemText({ message, at: { file, start } }: Diagnostic): string {
  // What stands in no file points into a setting's own text.
  const isInFile = file.text !== '' && /\.(ya?ml|json)$/i.test(file.name)
  return isInFile ? `${file.name}:${lineAt(file, start)}: ${message}` : message
}

/** A problem as plain data: its place in numbers, its file by name. */
export function problemRecord(problem: Diagnostic): ProblemRecord {
  const { code, severity, message, at, hint } = problem
  const start = positionAt(at.file, at.start)
  const end = positionAt(at.file, at.end)
  return {
    code,
    severity,
    message,
    file: at.file.name,
    line: start.line,
    column: start.column,
    endLine: end.line,
    endColumn: end.column,
    ...(hint && { hint }),
  }
}
