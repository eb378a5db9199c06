import { defined } from '../../base/defined.ts'
import type { Talk } from '../flags/talk.ts'
import type { Out } from '../io/out.ts'
import { type Env, isActions, isCi, type Surroundings, variable } from '../io/surroundings.ts'
import { openLines } from './lines.ts'
import { silentView, type View } from './view.ts'

/** The view that fits: a picture where a person watches, lines for a log, nothing for those who want it quiet. */
export async function openView(talk: Talk, { stderr, env, clock }: Surroundings, out: Out): Promise<View> {
  const say = (line: string) => out.talk(line)
  if (talk === 'quiet') return silentView(say)
  const isVerbose = talk === 'verbose' || talk === 'debug'
  if (isVerbose || !isWatched({ stderr, env })) {
    const order = isActions(env) ? (line: string) => out.annotate(line) : undefined
    return openLines({ say, clock, isVerbose, ...defined({ order }) })
  }
  const { openLive } = await import('./live.ts')
  return openLive({
    sink: stderr,
    clock,
    paint: out.paint,
    clean: text => out.clean(text),
    isAscii: !isUtf8(env),
  })
}

/** Whether a person watches on a terminal that can show a picture. */
export function isWatched({ stderr, env }: Pick<Surroundings, 'stderr' | 'env'>): boolean {
  return stderr.isTerminal && env.TERM !== 'dumb' && !isCi(env)
}

/** The locale decides, in the order of POSIX. */
function isUtf8(env: Env): boolean {
  const locale = ['LC_ALL', 'LC_CTYPE', 'LANG']
    .map(name => variable(env, name))
    .find(value => value !== undefined)
  return /utf-?8/i.test(locale ?? '')
}
