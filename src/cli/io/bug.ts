import { display } from '../../base/display.ts'
import { exit } from '../../base/exit.ts'
import { redactor } from '../../base/redact.ts'
import { asFarAsSeen, statAt } from '../../disk/look.ts'
import { everySecret } from './out.ts'
import { inSources, ownPlace } from './source-lines.ts'
import { type Env, variable } from './surroundings.ts'
import { version } from './version.ts'

/** EX_SOFTWARE of sysexits.h: genrun itself is at fault. None of the exit codes of `base/exit.ts`. */
export const bugExit = 70

/** What is told last, and the exit code, of an exception that nobody caught; `cwd` is where genrun began. */
export function lastWords(
  bug: unknown,
  env: Env,
  cwd: string,
): { readonly text: string; readonly code: number } {
  const isLost = bug instanceof Error && 'code' in bug && bug.code === 'ENOENT'
  if (isLost && asFarAsSeen(() => statAt(cwd)) === undefined)
    return { text: movedText(cwd), code: exit.damaged }
  if (isRefusal(bug)) return { text: refusedText(bug, env), code: exit.damaged }
  return { text: bugText(bug, env), code: bugExit }
}

/** What the system keeps from this user, or has no more of, is nobody's bug, wherever it is met. */
function isRefusal(bug: unknown): bug is Error {
  const codes = [
    'EACCES',
    'EPERM',
    'EROFS',
    'EIO',
    'EMFILE',
    'ENFILE',
    'ENOSPC',
    'EDQUOT',
    'ENAMETOOLONG',
    'ELOOP',
  ]
  return bug instanceof Error && 'code' in bug && codes.includes(String(bug.code))
}

/** Of `EACCES: permission denied, stat '/x'` what a person reads. */
function refusedText({ message }: Error, env: Env): string {
  const [, detail = message, path] = /^[A-Z]+: (.*?)(?:, \w+(?: '(.*?)')?)?$/.exec(message) ?? []
  const told = path === undefined ? detail : `could not use ${path}: ${detail}`
  const line = `genrun: error: ${display(redactor(everySecret(env))(told))} [damaged]`
  return `${line}\n  = hint: mend the disk or its permissions, then run again; nothing is paid twice`
}

/** Nothing can be found any more where it was a moment ago: that is a person's doing, and no bug. */
function movedText(cwd: string): string {
  const folder = cwd === '' ? 'this folder' : `the folder ${display(cwd)}`
  const message = `genrun: error: ${folder} was moved or removed since genrun, or this shell, began`
  return `${message}\n  = hint: run again from where it is now; an order that had left by then stands there as in doubt`
}

/** What a user reads of an exception that nobody expected: one line to report, the stack only on request. */
export function bugText(bug: unknown, env: Env): string {
  const redact = redactor(everySecret(env))
  const message = display(redact(bug instanceof Error ? bug.message : String(bug)))
  const line = `genrun: internal error: ${message}`
  const stack = bug instanceof Error ? (bug.stack ?? '') : ''
  if (variable(env, 'GENRUN_DEBUG') === undefined) {
    const place = ownPlace(stack)
    const at = place === undefined ? '' : `, ${place}`
    return `${line} (genrun ${version()}, node ${process.versions.node}${at}: ${advice})`
  }
  return [
    line,
    ...redact(inSources(stack))
      .split('\n')
      .slice(1)
      .map(each => display(each)),
  ].join('\n')
}

const advice = 'a bug; GENRUN_DEBUG=1 shows where, please report that'
