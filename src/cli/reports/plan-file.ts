import { resolve } from 'node:path'
import { display } from '../../base/display.ts'
import { statAt } from '../../disk/look.ts'
import { replaceFile, tryFolderOf } from '../../disk/write.ts'
import type { SavedPlan } from '../../planning/saved-plan.ts'
import { leadsAway, unwrittenReason } from '../../workspace/read/guarded.ts'
import type { Trouble } from '../service/service.ts'
import { whyOurs, whyTaken } from './file.ts'

/** Where a saved plan would take the place of something else; nothing is written. */
export function planTrouble(save: string, cwd: string): Trouble | undefined {
  const full = resolve(cwd, save)
  const why = whyOurs(full, cwd) ?? whyTaken(full, cwd, 'plan')
  if (why === undefined) return undefined
  const message = `${display(save)} cannot be written: ${why}`
  return { code: 'bad-report-path', message, hint: 'give it another path' }
}

/** Why it could not be written, if it could not. `inFolder`: its folder is made, too. */
export function writePlan(
  saved: SavedPlan,
  save: string,
  cwd: string,
  inFolder = false,
): Trouble | undefined {
  const full = resolve(cwd, save)
  if (leadsAway(full, cwd)) {
    const message = `${save} cannot be written: it is, or lies behind, a link that leads out of the project`
    return { code: 'unsaved-plan', message, hint: 'give it another path' }
  }
  try {
    if (inFolder) tryFolderOf(full)
    replaceFile(full, `${JSON.stringify(saved, undefined, 2)}\n`)
    return undefined
  } catch (cause) {
    const message = `${save} cannot be written: ${unwrittenReason(cause)}`
    const hint = '-o of plan names the file of a saved plan; --output-folder is for the folder of the results'
    return { code: 'unsaved-plan', message, ...(statAt(full)?.isDirectory() && { hint }) }
  }
}
