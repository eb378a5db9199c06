import { Command, CommanderError, InvalidArgumentError, Option } from 'commander'
import type { Asked, Plain, RunAsked } from './asked.ts'
import { helpText } from './help.ts'
import { commonMisuse, parserMisuse, unknownCommand } from './misuse.ts'
import { commands, genrun, type OptionUsage, type Usage } from './usage.ts'

/**
 * Reads a command line (without node and script). A first word that is no command is a manifest when it looks like a
 * path or `exists` knows it.
 */
export function readArgs(argv: readonly string[], exists: (path: string) => boolean): Asked {
  const [first, ...others] = argv
  if (first === 'help') return readArgs([...others, '--help'], exists)
  const misuse = commonMisuse(argv) ?? unknownCommand(first, exists)
  if (misuse) return misuse
  let asked: Asked | undefined
  let printed = ''
  const program = build(found => {
    asked = found
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
    return afterTrouble(trouble, printed)
  }
  if (!asked) throw new Error('the command line came to nothing')
  // Flags may stand before the word: `genrun --json valdate`.
  if (asked.do !== 'run' || argv.includes('run')) return asked
  return unknownCommand(asked.manifest, exists) ?? asked
}

function afterTrouble(trouble: CommanderError, printed: string): Asked {
  if (trouble.code === 'commander.version') return { do: 'version' }
  if (trouble.code === 'commander.helpDisplayed') return { do: 'help', text: printed.trimEnd() }
  return parserMisuse(trouble)
}

type Found = (asked: Asked) => void
type Values = { readonly [name: string]: unknown }

function build(found: Found): Command {
  const program = command(new Command('genrun'), genrun).version('', '-V, --version').helpCommand(false)
  for (const usage of commands) {
    const [parent, child] = usage.name.split(' ')
    const above = child ? program.commands.find(each => each.name() === parent) : program
    if (!above) throw new Error(`${usage.name} stands before ${parent}`)
    const made = command(above.command(child ?? usage.name, { isDefault: usage.name === 'run' }), usage)
    if (usage.args) made.argument(usage.args)
    made.action((...given: unknown[]) => found(reading(usage.name, given, made.optsWithGlobals())))
  }
  return program
}

function command(made: Command, usage: Usage): Command {
  const below = usage.name === '' ? commands : []
  made.configureHelp({ formatHelp: () => helpText(usage, below) }).helpOption('-h, --help')
  for (const option of usage.options)
    if (!option.flags.includes('--version')) made.addOption(optionOf(option))
  return made
}

function optionOf({ flags, takes, not }: OptionUsage): Option {
  const option = new Option(flags)
  if (not) option.conflicts(not)
  if (takes === 'count') option.argParser(text => wholeNumber(text, 1, 10_000))
  if (takes === 'port') option.argParser(text => wholeNumber(text, 0, 65_535))
  return option
}

function wholeNumber(text: string, least: number, most: number): number {
  const value = /^\d{1,6}$/.test(text) ? Number(text) : Number.NaN
  if (value >= least && value <= most) return value
  throw new InvalidArgumentError(`it must be a whole number from ${least} to ${most}`)
}

function reading(name: string, given: readonly unknown[], values: Values): Asked {
  const plain = { noColour: values.color === false }
  const json = values.json === true
  // Commander has checked that the arguments which a command declares are there.
  const [first] = given as [string]
  switch (name) {
    case 'run':
      return { do: 'run', manifest: first, ...plain, json, ...runValues(values) }
    case 'validate':
      return { do: 'validate', manifest: first, ...plain, json, strict: values.strict === true }
    case 'models':
      return { do: 'models', words: given[0] as string[], ...plain, json }
    case 'models info':
      return { do: 'model-info', id: first, ...plain, json }
    case 'serve':
      return {
        do: 'serve',
        ...plain,
        port: number(values.port),
        host: text(values.host),
        outputs: text(values.outputs),
      }
    default:
      throw new Error(`nobody reads ${name}`)
  }
}

function runValues(values: Values): Omit<RunAsked, 'do' | 'manifest' | 'json' | keyof Plain> {
  return {
    output: text(values.output),
    local: values.local === true,
    failed: values.failed === true,
    rebuy: values.rebuy === true,
    execute: number(values.execute),
    submit: number(values.submit),
    talk: values.verbose === true ? 'verbose' : values.quiet === true ? 'quiet' : 'usual',
  }
}

function text(value: unknown): string | undefined {
  return typeof value === 'string' ? value : undefined
}

function number(value: unknown): number | undefined {
  return typeof value === 'number' ? value : undefined
}
