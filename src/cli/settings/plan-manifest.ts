import { dirname, resolve } from 'node:path'
import { asFarAsSeen } from '../../disk/look.ts'
import { readGuarded } from '../../workspace/read/guarded.ts'

/** The path of the manifest that a saved plan is of. Whatever is wrong with it is told by whoever carries it out. */
export function manifestOfPlan(plan: unknown, cwd: string): string | undefined {
  const path = resolve(cwd, String(plan))
  const read = readGuarded(path, cwd, longestPlan)
  const saved = asFarAsSeen((): unknown => ('text' in read ? JSON.parse(read.text) : undefined))
  const named = saved instanceof Object && 'manifest' in saved ? saved.manifest : undefined
  return typeof named === 'string' ? resolve(dirname(path), named) : undefined
}

const longestPlan = 256 * 1024 * 1024
