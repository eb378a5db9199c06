import { delimiter, isAbsolute, join } from 'node:path'
import { isProgram } from './look.ts'

/**
 * Where a program lies, by the folders of PATH; undefined when nowhere. A folder that is named from the folder of work is left aside:
 * what lies there may be a checkout's.
 */
export function programAt(name: string, path: string | undefined): string | undefined {
  const names = process.platform === 'win32' ? [`${name}.exe`, `${name}.cmd`] : [name]
  const folders = (path ?? '').split(delimiter).filter(isAbsolute)
  return folders.flatMap(folder => names.map(each => join(folder, each))).find(isProgram)
}
