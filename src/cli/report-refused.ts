import { exit } from '../base/exit.ts'
import type { AnyArgs, Command } from './flags/command.ts'
import type { Surroundings } from './io/surroundings.ts'
import { openChosen } from './reports/open.ts'
import type { Unheeded } from './settings/heed.ts'

/**
 * Writes the reports of a command that is refused before it begins, as of one that is refused later: nobody shall read those of an
 * older run for its own. Returns the exit code.
 */
export async function reportRefused(
  { flags }: Command,
  args: AnyArgs,
  around: Surroundings,
  { out, problems, error }: Unheeded,
): Promise<number> {
  if (!flags.includes('summaryFile')) return exit.refused
  const choices = { ...args, json: args.json === true, manifest: subjectOf(args) }
  const reports = await openChosen(choices, around, out)
  // What is told already is what has to be mended first.
  if ('code' in reports) return exit.refused
  return reports.end({ exit: exit.refused, problems, ...(error && { error }) })
}

/** The manifest or the saved plan that is named. */
function subjectOf(args: object): string {
  const { manifest, plan }: { manifest?: unknown; plan?: unknown } = args
  return [manifest, plan].find(each => typeof each === 'string') ?? ''
}
