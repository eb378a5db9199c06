import { resolve } from 'node:path'
import { statAt } from '../../disk/look.ts'
import { DiskRefusal, readRegular } from '../../disk/open.ts'
import type { Texts } from '../../run/one-shot/ask-flags.ts'
import type { Surroundings } from './surroundings.ts'

const longest = 1024 * 1024

/** Files and the pipe, as texts. */
export function namedTexts({ cwd, stdin }: Pick<Surroundings, 'cwd' | 'stdin'>): Texts {
  return {
    read(path) {
      const full = resolve(cwd, path)
      if (statAt(full)?.isFile() !== true) return { problem: `there is no file ${path}` }
      return textOf(path, () => readRegular(full, { mostBytes: longest }))
    },
    stdin: () => (stdin ? textOf('<stdin>', stdin) : { problem: 'nothing is piped in' }),
  }
}

function textOf(name: string, read: () => Uint8Array): ReturnType<Texts['read']> {
  try {
    return { name, text: new TextDecoder('utf-8', { fatal: true }).decode(read()) }
  } catch (cause) {
    if (cause instanceof DiskRefusal && cause.is === 'large')
      return { problem: `${name} is larger than 1 MiB` }
    return { problem: cause instanceof TypeError ? `${name} is not UTF-8 text` : `${name} cannot be read` }
  }
}
