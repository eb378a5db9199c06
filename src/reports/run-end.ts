import type { Diagnostic } from '../base/diagnostic.ts'
import { cleaned } from '../base/redact.ts'
import type { Report } from '../wording/report.ts'

/** Trouble instead of a run, which no line of a manifest is to blame for. */
export interface Refusal {
  /** Kebab case, as in a Diagnostic. */
  readonly code: string
  readonly message: string
  readonly hint?: string | undefined
}

/** What a run came to, as every form of report needs it: the report, or why there is none. */
export interface RunEnd {
  /** As it was asked for. */
  readonly manifest: string
  /** Of genrun. */
  readonly version: string
  /** When it began, in milliseconds since 1970. */
  readonly began: number
  /** Of the process. */
  readonly exit: number
  readonly problems: readonly Diagnostic[]
  readonly report?: Report | undefined
  readonly error?: Refusal
  /** Of `verify`, which makes nothing. */
  readonly verdict?: EndVerdict
}

/** What a comparison of manifest, lock and files came to. */
export interface EndVerdict {
  /** All of it in one sentence. */
  readonly says: string
  /** Each job once: what is complained about, and how it differs all the same (`allowed`). */
  readonly jobs: readonly {
    readonly address: string
    readonly model: string
    readonly problems: readonly Diagnostic[]
    readonly allowed?: string
  }[]
  /** Those of the problems of the end that no job is to blame for. */
  readonly others: readonly Diagnostic[]
}

/** The same with every text cleaned: of secrets, before a format's own escapes can hide one. */
export function cleanedEnd(end: RunEnd, clean: (text: string) => string): RunEnd {
  const cleanedAll = (problems: readonly Diagnostic[]) =>
    problems.map(problem => cleanedProblem(problem, clean))
  const { manifest, version, began, exit, report, error, verdict } = end
  return {
    ...{ manifest, version, began, exit, problems: cleanedAll(end.problems) },
    ...(report && { report: cleaned(report, clean) }),
    ...(error && { error: cleaned(error, clean) }),
    ...(verdict && {
      verdict: {
        says: clean(verdict.says),
        jobs: verdict.jobs.map(({ problems, ...job }) => ({
          ...cleaned(job, clean),
          problems: cleanedAll(problems),
        })),
        others: cleanedAll(verdict.others),
      },
    }),
  }
}

function cleanedProblem({ at, notes, ...rest }: Diagnostic, clean: (text: string) => string): Diagnostic {
  return {
    ...cleaned(rest, clean),
    at,
    ...(notes && { notes: notes.map(note => ({ ...note, message: clean(note.message) })) }),
  }
}
