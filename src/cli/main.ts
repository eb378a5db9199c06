import { existsSync } from 'node:fs'
import { resolve } from 'node:path'
import { exit } from '../base/exit.ts'
import { readArgs } from './args.ts'
import type { Asked } from './asked.ts'
import { type Out, openOut } from './out.ts'
import { troubleText } from './problems.ts'
import type { Surroundings } from './surroundings.ts'
import { version } from './version.ts'

/** Does what the command line (without node and script) asks for, and returns the exit code. */
export async function main(argv: readonly string[], around: Surroundings): Promise<number> {
  const asked = readArgs(argv, path => existsSync(resolve(around.cwd, path)))
  return carryOut(asked, around, openOut(around, 'noColour' in asked && asked.noColour))
}

// Every command is loaded when it is asked for: `validate` needs no network library, `models` no YAML.
async function carryOut(asked: Asked, around: Surroundings, out: Out): Promise<number> {
  switch (asked.do) {
    case 'run':
      return (await import('./commands/run.ts')).run(asked, around, out)
    case 'validate':
      return (await import('./commands/validate.ts')).validate(asked, around, out)
    case 'models':
      return (await import('./commands/models.ts')).showModels(asked, out)
    case 'model-info':
      return (await import('./commands/models.ts')).showModel(asked, out)
    case 'serve':
      return (await import('./commands/serve.ts')).serve(asked, around, out)
    case 'help':
      out.result(asked.text)
      return exit.ok
    case 'version':
      out.result(version())
      return exit.ok
    case 'misused':
      out.talk(troubleText({ code: 'usage', message: asked.message, hint: asked.hint }, out.paint))
      return exit.refused
  }
}
