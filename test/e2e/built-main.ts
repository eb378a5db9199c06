import { readdirSync } from 'node:fs'
import { createRequire } from 'node:module'
import { dirname, join } from 'node:path'
import { systemClock } from '../../src/base/clock.ts'
import type { main } from '../../src/cli/main.ts'
import { fakeSurroundings } from '../cli/fake.ts'
import { type Ended, executable, type Start } from './executable.ts'

/** The part of the executable that its first line loads. */
function builtMain(): typeof main {
  const parts = join(dirname(executable), 'chunks')
  const [name = 'no main'] = readdirSync(parts).filter(each => /^main-\w+\.js$/.test(each))
  // Loaded by Node itself, as it is.
  return createRequire(import.meta.url)(join(parts, name)).main
}

/**
 * What the executable under test does with these words, from its own files, in this process: all but how a process begins and ends and
 * where its streams lead. That takes most of the time of a command.
 */
export async function genrunHere(words: readonly string[], { cwd, env = {} }: Start): Promise<Ended> {
  const around = fakeSurroundings({
    cwd,
    env: { PATH: process.env.PATH, HOME: cwd, ...env },
    clock: systemClock,
  })
  const code = await builtMain()(words, around)
  return { code, stdout: around.stdout.text(), stderr: around.stderr.text() }
}
