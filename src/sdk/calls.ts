import type { WireMode } from '../base/state.ts'
import type { RunEvent } from '../wording/report.ts'

/** Where the files of a call go, and how it is heard and stopped. */
export interface SaveOptions {
  /** The folder for the files, in place of the one of `createGenrun`. */
  readonly output?: string
  /** The files' name without ending; one of the prompt when it is absent. A name that is taken is refused. */
  readonly name?: string
  /** Aborted: nothing more is bought. What is at the service goes on there; the error's `generation.run` names it. */
  readonly signal?: AbortSignal
  /** Hears what happens, in order: `sending`, `accepted` with the run's id, `progress`, `settled` and more. */
  readonly onEvent?: (event: RunEvent) => void
}

/** What an order may say beside the parameters. */
export interface GenerateOptions extends SaveOptions {
  /** Other than the model usually goes: `execute` waits for the answer, `submit` asks for it again and again. */
  readonly mode?: WireMode
  /** How long the job may take, in milliseconds; the usual time of its kind when it is absent. */
  readonly timeoutMs?: number
  /** More than this is not spent, by the prices of `createGenrun`. */
  readonly maxCost?: number
  /** Warnings count as errors. */
  readonly strict?: boolean
  /**
   * The path of a lock: the job is bought once under its `name`, which must be given. As long as model, parameters and
   * inputs stay the same, further calls keep the files or fetch them again, and `again` of the result says so. The files
   * lie in the lock's folder or below. A journal is always kept beside it, and `collect` is not needed: the same call
   * goes on with what was stopped or killed. Calls with one lock go one after the other.
   */
  readonly lock?: string
}
