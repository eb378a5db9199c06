import { join, resolve } from 'node:path'

/** The executable to be measured, absolute: it is started in other folders. The built one where none is named. */
export function executableAt(path = join(import.meta.dirname, '..', '..', 'dist', 'bin.cjs')) {
  return resolve(path)
}
