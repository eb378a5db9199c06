import { CommanderError, Option as Flag, InvalidArgumentError, Command as Program } from 'commander'
import { exit } from '../../base/exit.ts'
import { commands, genrun } from '../declared/commands.ts'
import { completeCommand } from '../declared/set-up.ts'
import type { AnyArgs, Command, Usage } from '../flags/command.ts'
import type { FlagOption } from '../flags/given.ts'
import { formOf, isList, longName, type Option, type OptionForm } from '../flags/option.ts'
import { options } from '../flags/options.ts'
import { readFlag, wrongValue } from '../flags/read-value.ts'
import { isTopic } from '../words/topic-names.ts'
import { type AskedLine, blanks } from './asked.ts'
import { helpText } from './help.ts'
import { commonMisuse, duplicateFlag, parserMisuse, unknownCommand } from './misuse.ts'
import { specialLine } from './special-lines.ts'

/**
 * Reads a command line (without node and script). A first word that is no command is a manifest when it looks like a
 * path or `exists` knows it.
 */
export function readArgs(argv: readonly string[], exists: (path: string) => boolean): AskedLine {
  const [first, ...others] = argv
  // What a shell has typed so far may be anything.
  if (first === completeCommand.name) return asked(completeCommand, [others], {})
  // `help plan` is the help of `plan`; words that are topics, and flags, are for the command.
  if (first === 'help' && !isTopic(others[0]) && !others[0]?.startsWith('-'))
    return readArgs([...others, '--help'], exists)
  const misuse = commonMisuse(argv) ?? unknownCommand(first, exists)
  if (misuse) return { do: 'misused', ...misuse }
  const special = specialLine(argv)
  if (special) return 'again' in special ? readArgs(special.again, exists) : special
  let found: AskedLine | undefined
  let printed = ''
  const program = build(asked => {
    found = asked
  })
  for (const each of [
    program,
    ...program.commands,
    ...program.commands.flatMap(command => command.commands),
  ]) {
    each.exitOverride().configureOutput({ writeOut: text => (printed += text), writeErr: () => undefined })
  }
  try {
    program.parse(argv, { from: 'user' })
  } catch (trouble) {
    if (!(trouble instanceof CommanderError)) throw trouble
    return afterTrouble(trouble, printed, argv)
  }
  if (!found) throw new Error('the command line came to nothing')
  // Flags may stand before the word: `genrun --json valdate`.
  if (found.do !== 'command' || found.command.name !== 'run' || argv.includes('run')) return found
  const misnamed = unknownCommand(manifestIn(found.args), exists)
  return misnamed ? { do: 'misused', ...misnamed } : found
}

function manifestIn(args: object): string | undefined {
  return 'manifest' in args && typeof args.manifest === 'string' ? args.manifest : undefined
}

function afterTrouble(trouble: CommanderError, printed: string, argv: readonly string[]): AskedLine {
  if (trouble.code === 'commander.version') return { do: 'version' }
  if (trouble.code === 'commander.helpDisplayed') return { do: 'help', text: printed.trimEnd() }
  return { do: 'misused', ...parserMisuse(trouble, argv) }
}

function build(found: (asked: AskedLine) => void): Program {
  const program = programOf(new Program('genrun'), genrun).version('', '-V, --version').helpCommand(false)
  // A word that leads to others is there before them.
  for (const command of commands.toSorted((a, b) => depthOf(a) - depthOf(b))) {
    const [parent, child] = command.name.split(' ')
    const above = child ? program.commands.find(each => each.name() === parent) : program
    if (!above) throw new Error(`there is no ${parent} for ${command.name}`)
    const made = programOf(
      above.command(child ?? command.name, { isDefault: command.name === 'run' }),
      command,
    )
    if (command.arguments) made.arguments(command.arguments)
    if (command.anyFlags) made.allowUnknownOption()
    made.action((...given: unknown[]) => found(asked(command, given, made.optsWithGlobals())))
  }
  return program
}

function depthOf({ name }: Usage): number {
  return name.split(' ').length
}

function programOf(program: Program, usage: Usage): Program {
  program.configureHelp({ formatHelp: () => helpText(usage) }).helpOption('-h, --help')
  for (const name of flagsOf(usage)) program.addOption(flagOf(options[name]))
  return program
}

function flagsOf({ name, flags }: Usage): readonly FlagOption[] {
  return name === genrun.name ? flags : [...flags, 'noColor']
}

function flagOf(option: Option & { readonly flag: string; readonly not?: FlagOption }): Flag {
  const flag = new Flag(option.flag)
  if (option.not) flag.conflicts(flagOf(options[option.not]).attributeName())
  const form = formOf(option)
  if (form.is !== 'switch')
    flag.argParser((text, before: unknown) => {
      const value = valueOf(form, text)
      const others: readonly unknown[] = Array.isArray(before) ? before : []
      if (isList(form) ? others.some(other => isOtherValue(form, other, value)) : before !== undefined)
        throw new CommanderError(exit.refused, duplicateFlag, `--${longName(option)} ${nameIn(form, text)}`)
      return isList(form) ? [...others, value] : value
    })
  return flag
}

/** `season=winter` behind `season=summer`: one of the two would be lost without a word. */
function isOtherValue({ is }: OptionForm, one: unknown, other: unknown): boolean {
  if (is !== 'variables' || one === other) return false
  return nameIn({ is }, String(one)) === nameIn({ is }, String(other))
}

/** `season` of `season=winter`; nothing of other values. */
function nameIn({ is }: Pick<OptionForm, 'is'>, text: string): string {
  return is === 'variables' ? (text.split('=')[0]?.trim() ?? '') : ''
}

function valueOf(form: OptionForm, text: string): unknown {
  const read = readFlag(form, text)
  if ('value' in read) return read.value
  throw new InvalidArgumentError(wrongValue(read))
}

/** What commander found, by the names that the command declares. */
function asked(
  command: Command,
  given: readonly unknown[],
  values: { readonly [name: string]: unknown },
): AskedLine {
  const words = [...(command.arguments ?? '').matchAll(/[<[](\w+)/g)]
  const args: AnyArgs = {
    ...blanks,
    ...Object.fromEntries(words.map(([, name = ''], nth) => [name, given[nth]])),
    ...Object.fromEntries(flagsOf(command).map(name => [name, givenOf(options[name], values)])),
  }
  const misused = command.check?.(args)
  return misused ? { do: 'misused', ...misused } : { do: 'command', command, args }
}

function givenOf(
  option: Option & { readonly flag: string },
  values: { readonly [name: string]: unknown },
): unknown {
  const flag = new Flag(option.flag)
  const value = values[flag.attributeName()]
  const form = formOf(option)
  if (form.is === 'switch') return flag.negate ? value === false : value === true
  return value ?? (isList(form) ? [] : undefined)
}
