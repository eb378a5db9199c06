import { exit } from '../base/exit.ts'
import type { AnyArgs, Command } from './flags/command.ts'
import { formsOf } from './flags/option.ts'
import { options } from './flags/options.ts'
import { reportFlags } from './flags/selections.ts'
import type { Surroundings } from './io/surroundings.ts'
import { version } from './io/version.ts'
import { commandMeant, flagsIn } from './parser/misuse.ts'
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
  const command = commandMeant(argv)
  const reports = command ? reportsAsked(flagsIn(argv), command) : {}
  if (!command || Object.keys(reports).length === 0) return exit.refused
  return reportRefused(command, reports, around, unheeded)
}

/** By the files they go to, as far as the command that is meant writes them. What looks like a flag is no file. */
function reportsAsked(words: readonly string[], { flags }: Command): AnyArgs {
  const files = reportFlags.flatMap(name => {
    const [form = ''] = formsOf(options[name])
    const at = words.findLastIndex(word => word === form || word.startsWith(`${form}=`))
    const file = words[at] === form ? words[at + 1] : words[at]?.slice(form.length + 1)
    const isFile = file !== undefined && file !== '' && (file === '-' || !file.startsWith('-'))
    return isFile && flags.includes(name) ? [[name, file] as const] : []
  })
  return Object.fromEntries(files)
}

async function printLog(problems: Unheeded['problems'], out: Unheeded['out']): Promise<void> {
  const [{ sarifLog }, { aboutCode }] = await Promise.all([
    import('../reports/sarif.ts'),
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
