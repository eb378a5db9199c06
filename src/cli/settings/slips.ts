import { type Diagnostic, warning } from '../../base/diagnostic.ts'
import { nearest } from '../../base/nearest.ts'
import { spanOf } from '../../base/source.ts'
import type { Env } from '../io/surroundings.ts'
import { isVariable, settingsDeclared, variablesDeclared } from './declared.ts'

const prefix = 'GENRUN_'

/** Variables that count for nothing, though somebody counts on them: a cap that is misspelled, or empty, caps nothing. */
export function slipsIn(env: Env): Diagnostic[] {
  return Object.entries(env).flatMap(([name, text = '']) => {
    if (!name.startsWith(prefix)) return []
    const at = spanOf({ name, text }, 0, text.length)
    const setting = settingsDeclared.find(each => each.variable === name)
    if (setting?.lowest && text === '') return warning('bad-setting', at, 'it is empty, and sets no limit')
    if (isVariable(name)) return []
    const bare = (variable: string) => variable.slice(prefix.length)
    const near = nearest(bare(name), variablesDeclared.map(bare))
    return near === undefined
      ? []
      : warning('unknown-key', at, 'no setting has this name', `did you mean ${prefix}${near}?`)
  })
}
