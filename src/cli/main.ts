import { resolve } from 'node:path'
import { exit } from '../base/exit.ts'
import { isThere } from '../disk/look.ts'
import { commands } from './declared/commands.ts'
import type { AnyArgs, Command } from './flags/command.ts'
import { type Out, openOut } from './io/out.ts'
import type { Sink, Surroundings } from './io/surroundings.ts'
import { version } from './io/version.ts'
import { wrapHelp } from './io/wrap.ts'
import { isJsonAsked } from './parser/misuse.ts'
import { readArgs } from './parser/read-args.ts'
import { refuseFor } from './words/problems.ts'

/** Does what the command line (without node and script) asks for, and returns the exit code. */
export async function main(argv: readonly string[], around: Surroundings): Promise<number> {
  const asked = readArgs(argv, path => isThere(resolve(around.cwd, path)))
  if (asked.do === 'command') return runCommand(asked.command, asked.args, around)
  const out = openOut(around, false)
  switch (asked.do) {
    case 'help':
      out.result(fittedHelp(asked.text, around.stdout))
      return exit.ok
    case 'version':
      out.result(version())
      return exit.ok
    case 'misused': {
      const { message, hint } = asked
      const error = { code: asked.code ?? ('usage' as const), message, hint }
      refuseFor(error, out, { json: isJsonAsked(argv) })
      const { reportMisused } = await import('./report-refused.ts')
      return reportMisused(argv, around, { out, problems: [], error })
    }
  }
}

async function runCommand(command: Command, args: AnyArgs, around: Surroundings): Promise<number> {
  if (command.ignoresSettings) {
    const out = openOut(around, args.noColor === true)
    if (args.debug) await showRequests(out)
    return command.run(args, around, out, commands)
  }
  const { heedSettings } = await import('./settings/heed.ts')
  const heeded = await heedSettings(command, args, around)
  if (heeded.got === 'refused') {
    const { reportRefused } = await import('./report-refused.ts')
    return reportRefused(command, args, around, heeded)
  }
  if (heeded.args.debug) await showRequests(heeded.out)
  return command.run(heeded.args, heeded.around, heeded.out, commands)
}

async function showRequests(out: Out): Promise<void> {
  const { openDebug } = await import('./io/debug.ts')
  openDebug(out)
}

function fittedHelp(text: string, { isTerminal, columns }: Sink): string {
  return isTerminal && columns !== undefined ? wrapHelp(text, columns) : text
}
