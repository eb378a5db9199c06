import { display } from '../../base/display.ts'
import { redactor } from '../../base/redact.ts'
import { knownSecrets } from './out.ts'
import { type Env, variable } from './surroundings.ts'
import { version } from './version.ts'

/** EX_SOFTWARE of sysexits.h: genrun itself is at fault. None of the exit codes of `base/exit.ts`. */
export const bugExit = 70

/** What a user reads of an exception that nobody expected: one line to report, the stack only on request. */
export function bugText(bug: unknown, env: Env): string {
  const redact = redactor(knownSecrets(env))
  const message = display(redact(bug instanceof Error ? bug.message : String(bug)))
  const line = `genrun: internal error: ${message}`
  if (variable(env, 'GENRUN_DEBUG') === undefined)
    return `${line} (genrun ${version()}, node ${process.versions.node}: ${advice})`
  const stack = bug instanceof Error ? (bug.stack ?? '') : ''
  return [
    line,
    ...redact(stack)
      .split('\n')
      .slice(1)
      .map(each => display(each)),
  ].join('\n')
}

const advice = 'a bug; GENRUN_DEBUG=1 shows where, please report that'
