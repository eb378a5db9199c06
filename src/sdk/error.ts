import { type Diagnostic, type ProblemRecord, problemRecord } from '../base/diagnostic.ts'
import { renderProblem } from '../base/excerpt.ts'
import type { Failure } from '../base/failure.ts'
import { cleaned, hiderOf } from '../base/redact.ts'
import type { Generation } from '../run/one-shot/generation.ts'

/**
 * What the verbs throw when there is no result: for something wrong with the call, or for trouble on the way.
 *
 * @example
 * try {
 *   await genrun.generate('famc-v3', { prompt: 'Steam' })
 * } catch (error) {
 *   if (!(error instanceof GenrunError)) throw error
 *   console.error(error.code, error.message, error.hint ?? '')
 *   if (error.generation?.ending === 'detached') console.error(`run ${error.generation.run?.id} goes on`)
 * }
 */
export class GenrunError extends Error {
  override readonly name = 'GenrunError'
  /** `refused`: nothing was sent, see `problems`. `failed`: see `failure`. `busy`, `damaged`: see the message. */
  readonly code: 'refused' | 'failed' | 'busy' | 'damaged'
  /** Everything that is wrong with the call, each with its place. */
  readonly problems: readonly ProblemRecord[]
  /** Why the job did not end well. */
  readonly failure: Failure | undefined
  /** What became of the job: its run, what was paid. */
  readonly generation: Generation | undefined
  /** What to do next, where that is certain. */
  readonly hint: string | undefined

  /** @internal */
  constructor(message: string, about: About) {
    super(message)
    this.code = about.code
    this.problems = about.problems ?? []
    this.failure = about.generation?.failure
    this.generation = about.generation
    this.hint = about.hint ?? about.generation?.hint
  }
}

interface About {
  readonly code: GenrunError['code']
  readonly problems?: readonly ProblemRecord[]
  readonly generation?: Generation
  readonly hint?: string
}

/** For problems: all of them are told, with the text they point at. */
export function refusal(problems: readonly Diagnostic[]): GenrunError {
  return new GenrunError(problems.map(problem => renderProblem(problem)).join('\n'), {
    code: 'refused',
    problems: problems.map(problemRecord),
  })
}

export function callTrouble({
  got,
  message,
  hint,
}: {
  got: 'busy' | 'damaged'
  message: string
  hint: string
}): GenrunError {
  return new GenrunError(message, { code: got, hint })
}

/** What is thrown, and told, by a client: without its key, whatever text it comes from. */
interface Quiet {
  readonly say: <T>(value: T) => T
  /** What it throws is a GenrunError without the key. */
  readonly now: <T>(work: () => T) => T
  readonly later: <T>(work: () => Promise<T>) => Promise<T>
}

export function quietOf(keys: readonly string[]): Quiet {
  const hide = hiderOf(keys)
  const say = <T>(value: T) => cleaned(value, hide)
  const without = (trouble: unknown) => (trouble instanceof GenrunError ? withTexts(trouble, say) : trouble)
  return {
    say,
    now(work) {
      try {
        return work()
      } catch (trouble) {
        throw without(trouble)
      }
    },
    async later(work) {
      try {
        return await work()
      } catch (trouble) {
        throw without(trouble)
      }
    },
  }
}

function withTexts(error: GenrunError, say: Quiet['say']): GenrunError {
  const { code, problems, generation, hint } = error
  const about = { code, problems, ...(generation && { generation }), ...(hint !== undefined && { hint }) }
  return new GenrunError(say(error.message), say(about))
}
