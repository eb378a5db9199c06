import { type ExitCode, exit, gravestExit } from '../base/exit.ts'
import { unwrittenReason } from '../workspace/read/guarded.ts'
import { openOut } from './io/out.ts'
import type { Surroundings } from './io/surroundings.ts'
import { troubleText } from './words/problems.ts'

/**
 * Says why the file that stdout goes to has not everything, and gives the exit code: whoever reads that file must not take a good
 * end for a whole result.
 */
export function tellLostStdout(cause: unknown, code: number, around: Surroundings): number {
  const out = openOut(around, false)
  const message = `the result could not be written to stdout: ${unwrittenReason(cause)}`
  const hint = 'make room, or write it elsewhere; what was made and saved before stays'
  out.talk(troubleText({ code: 'unsaved-report', message, hint }, out.paint))
  // What `main` returns are codes of this list.
  return gravestExit([code as ExitCode, exit.damaged])
}
