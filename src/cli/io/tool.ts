import { statAt } from '../../disk/look.ts'
import type { Surroundings } from './surroundings.ts'
import { version } from './version.ts'

/**
 * Which genrun this is, who runs it and on what: what it has found out holds for no other. A build of the same version
 * has another date. Undefined where there is no executable to look at.
 */
export function toolOf({ program }: Pick<Surroundings, 'program'>): string | undefined {
  if (!program) return undefined
  const stat = statAt(program.script)
  if (!stat) return undefined
  const { dev, ino, size, mtimeMs, ctimeMs } = stat
  const user = process.getuid?.() ?? ''
  return [version(), process.version, user, program.script, dev, ino, size, mtimeMs, ctimeMs].join(' ')
}
