import { type Diagnostic, problemRecord } from '../../base/diagnostic.ts'
import { type ExitCode, exit } from '../../base/exit.ts'
import type { Out } from '../io/out.ts'
import { problemsText } from '../words/problems.ts'
import { refuse } from './result.ts'

/** Why a verb could not do its work. */
type Against =
  | { readonly got: 'refused'; readonly problems: readonly Diagnostic[] }
  | { readonly got: 'busy' | 'damaged'; readonly message: string; readonly hint: string }

/** Says what stands against it, as a run does, and gives the exit code. */
export function tellAgainst(against: Against, { json }: { readonly json: boolean }, out: Out): ExitCode {
  switch (against.got) {
    case 'refused': {
      // Of a single job the claim is told as a problem of its lock.
      const isBusy = against.problems.some(({ code }) => code === 'busy')
      const code = isBusy ? exit.claimed : exit.refused
      if (json) out.json({ ok: false, exit: code, problems: against.problems.map(problemRecord) })
      out.talk(problemsText(against.problems, out.paint))
      return code
    }
    case 'busy':
      return refuse({ code: 'busy', ...against }, exit.claimed, { json }, out)
    case 'damaged':
      return refuse({ code: 'damaged', ...against }, exit.damaged, { json }, out)
  }
}
