import type { RunRequest } from '../../workspace/workspace.ts'
import type { Env } from '../io/surroundings.ts'

type GivenVars = NonNullable<RunRequest['vars']>

const prefix = 'GENRUN_VAR_'

/** Values of the environment (`GENRUN_VAR_SEASON`), then those of `--var season=winter`, which win. */
export function varsFrom(written: readonly string[], env: Env): GivenVars {
  const ambient = Object.entries(env)
    .filter(([name, value]) => name.startsWith(prefix) && value !== undefined)
    .map(([from, value]) => ({ name: from.slice(prefix.length), value: value ?? '', from, isAmbient: true }))
  const given = written.map(text => {
    const at = text.indexOf('=')
    return { name: text.slice(0, at).trim(), value: text.slice(at + 1), from: '--var' }
  })
  return [...ambient, ...given]
}
