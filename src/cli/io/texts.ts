import { join, resolve } from 'node:path'
import { asFarAsSeen, nameAt, realPathAt, statAt } from '../../disk/look.ts'
import { DiskRefusal, readRegular } from '../../disk/open.ts'
import type { Texts } from '../../run/one-shot/ask-flags.ts'
import { leadsAway } from '../../workspace/read/guarded.ts'
import { placeOf } from '../../workspace/read/place.ts'
import { readTextAt } from '../../workspace/read/texts.ts'
import type { Surroundings } from './surroundings.ts'

const longest = 1024 * 1024

/** Files and the pipe, as texts. */
export function namedTexts(
  { cwd, stdin }: Pick<Surroundings, 'cwd' | 'stdin'>,
  mostBytes: number = longest,
): Texts {
  return {
    read(path) {
      const full = resolve(cwd, path)
      if (asFarAsSeen(() => nameAt(full)) && leadsAway(full, cwd))
        return { problem: `${path} is not read: it is a link that leads out of the project` }
      return textOf(path, () => {
        const stat = statAt(full)
        if (stat?.isDirectory()) return { problem: `${path} is a folder` }
        if (stat?.isFile() === false) return { problem: `${path} is a device or a pipe, and no file` }
        if (!stat) return { problem: `there is no file ${path}` }
        return readRegular(full, { mostBytes })
      })
    },
    stdin: () => (stdin ? textOf('<stdin>', stdin) : { problem: 'nothing is piped in' }),
  }
}

/**
 * The texts that an imported file names. It may be anybody's, and what it takes in is shown: only what lies in its project is read.
 * `file` is its path; absent for what is piped in.
 */
export function projectTexts(around: Pick<Surroundings, 'cwd' | 'stdin'>, file?: string): Texts {
  const { cwd } = around
  const place = placeOf(file === undefined ? join(realPathAt(cwd), 'stdin') : realPathAt(resolve(cwd, file)))
  const named = namedTexts(around)
  return {
    ...named,
    read(path) {
      const { is } = readTextAt(resolve(cwd, path), place, cwd)
      if (is === 'outside' || is === 'hidden')
        return { problem: `${path} is not read: it lies outside the project, or is hidden in it` }
      return named.read(path)
    },
  }
}

function textOf(
  name: string,
  read: () => Uint8Array | { readonly problem: string },
): ReturnType<Texts['read']> {
  let bytes: ReturnType<typeof read>
  try {
    bytes = read()
  } catch (cause) {
    const isLarge = cause instanceof DiskRefusal && cause.is === 'large'
    return { problem: isLarge ? `${name} is too large` : `${name} cannot be read` }
  }
  if ('problem' in bytes) return bytes
  // Spreadsheets write it, and half of it is zeros.
  if (bytes.includes(0)) return { problem: `${name} is not UTF-8 text: it looks like UTF-16` }
  try {
    return { name, text: new TextDecoder('utf-8', { fatal: true }).decode(bytes) }
  } catch {
    return { problem: `${name} is not UTF-8 text: it looks like Latin-1 or Windows-1252` }
  }
}
