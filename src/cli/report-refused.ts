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
  const { sarifFile } = args
  // Of those that write reports `validate` has one alone, which it prints for `-`.
  const isCheck = !flags.includes('summaryFile')
  if (isCheck && (!flags.includes('sarifFile') || sarifFile === undefined)) return exit.refused
  if (isCheck && sarifFile === '-') {
    if (!args.json) await printLog(problems, out)
    return exit.refused
  }
  const choices = { ...args, json: args.json === true, manifest: subjectOf(args) }
  const reports = await openChosen(choices, around, out)
  // What is told already is what has to be mended first.
  if ('code' in reports) return exit.refused
  return reports.end({ exit: exit.refused, problems, ...(error && { error }) })
}

/** The same of a line that cannot be read, as far as it names reports. */
export async function reportMisused(
  argv: readonly string[],
  around: Surroundings,
  unheeded: Unheeded,
): Promise<number> {
  const { commandMeant, reportsAsked } = await import('./parser/misuse.ts')
  const [command, args] = [commandMeant(argv), reportsAsked(argv)]
  if (!command || Object.keys(args).length === 0) return exit.refused
  return reportRefused(command, args, around, unheeded)
}

async function printLog(problems: Unheeded['problems'], out: Unheeded['out']): Promise<void> {
  const [{ sarifLog }, { version }, { aboutCode }] = await Promise.all([
    import('../reports/sarif.ts'),
    import('./io/version.ts'),
    import('./words/about-code.ts'),
  ])
  out.json(sarifLog(problems, version(), aboutCode))
}

/** The manifest, the first of several, or the saved plan that is named. */
function subjectOf(args: object): string {
  const { manifest, manifests, plan }: { manifest?: unknown; manifests?: unknown; plan?: unknown } = args
  const [first]: readonly unknown[] = Array.isArray(manifests) ? manifests : []
  return [manifest, first, plan].find(each => typeof each === 'string') ?? ''
}
