import { Command, CommanderError, InvalidArgumentError, Option } from 'commander'
import { nearest } from '../base/nearest.ts'
import { helpText } from './help.ts'
import { commands, genrun, type OptionUsage, type Usage } from './usage.ts'

/** What the user asked for, as written: nothing is looked up or decided yet. */
export type Asked =
  | RunAsked
  | ValidateAsked
  | ModelsAsked
  | ModelInfoAsked
  | ServeAsked
  | { readonly do: 'help'; readonly text: string }
  | { readonly do: 'version' }
  /** The command line itself is wrong. */
  | { readonly do: 'misused'; readonly message: string; readonly hint?: string }

interface Plain {
  readonly noColour: boolean
}

export interface RunAsked extends Plain {
  readonly do: 'run'
  readonly manifest: string
  readonly output: string | undefined
  readonly local: boolean
  readonly failed: boolean
  readonly rebuy: boolean
  readonly execute: number | undefined
  readonly submit: number | undefined
  readonly json: boolean
  readonly talk: 'quiet' | 'usual' | 'verbose'
}

export interface ValidateAsked extends Plain {
  readonly do: 'validate'
  readonly manifest: string
  readonly json: boolean
  readonly strict: boolean
}

export interface ModelsAsked extends Plain {
  readonly do: 'models'
  readonly words: readonly string[]
  readonly json: boolean
}

export interface ModelInfoAsked extends Plain {
  readonly do: 'model-info'
  readonly id: string
  readonly json: boolean
}

export interface ServeAsked extends Plain {
  readonly do: 'serve'
  readonly port: number | undefined
  readonly host: string | undefined
  readonly outputs: string | undefined
}

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
  return { do: 'misused', ...wording(trouble) }
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

/** `genrun valdate x.yaml`: a word that is no path was meant as a command. */
function unknownCommand(word: string | undefined, exists: (path: string) => boolean): Asked | undefined {
  if (!word || word.startsWith('-') || names.includes(word)) return undefined
  if (/[./\\]/.test(word) || exists(word)) return undefined
  return { do: 'misused', message: `there is no command ${word}`, hint: meant(word, exists) }
}

function meant(word: string, exists: (path: string) => boolean): string {
  const file = ['yaml', 'yml', 'json'].map(extension => `${word}.${extension}`).find(exists)
  if (file) return `did you mean the manifest ${file}?`
  const known = nearest(word, [...names, 'help'])
  if (known) return `did you mean \`genrun ${known}\`?`
  return 'a manifest is given by its path, for instance campaign.yaml; `genrun --help` lists the commands'
}

const names = commands.map(usage => usage.name).filter(name => !name.includes(' '))

/** What many will try and what has an answer of its own. */
function commonMisuse(argv: readonly string[]): Asked | undefined {
  if (argv.length === 0) {
    return {
      do: 'misused',
      message: 'no manifest is given',
      hint: 'genrun campaign.yaml runs one; `genrun --help` shows what else there is',
    }
  }
  if (argv.some(word => /^--(api-)?key(=|$)/.test(word))) {
    return {
      do: 'misused',
      message: 'the key is not taken from the command line, where other users of the machine can read it',
      hint: 'set GENRUN_API_KEY, or GENRUN_API_KEY_FILE to a file that only you can read',
    }
  }
  return undefined
}

/** Commander's message in the house's form: no "error:", no quotes, the suggestion as a hint. */
function wording({ code, message }: CommanderError): { message: string; hint?: string } {
  const [head = '', suggestion] = message.replace(/^error: /, '').split('\n')
  const hint = suggestion?.replace(/^\(Did you mean (.*?)\?\)$/, 'did you mean $1?')
  const bare = head.replaceAll(/(^| )'([^']*)'/g, '$1$2').replace(/\.$/, '')
  switch (code) {
    case 'commander.missingArgument':
      return {
        message: `${/argument (\w+)/.exec(bare)?.[1] === 'id' ? 'no model id' : 'no manifest'} is given`,
        hint: seeHelp,
      }
    case 'commander.excessArguments':
      return {
        message: bare.replace(
          /^too many.* for (.*)\. Expected (\d).* got (\d+)$/,
          'too many words: $1 takes $2, $3 are given',
        ),
        hint: seeHelp,
      }
    case 'commander.optionMissingArgument':
      return {
        message: bare.replace(/^option (.*) argument missing$/, '$1 is given without its value'),
        hint: seeHelp,
      }
    case 'commander.invalidArgument':
      return {
        message: bare.replace(/^option (.*?) argument (.*) is invalid\. it/, '$2 is no value for $1: it'),
      }
    default:
      return { message: bare, hint: hint ?? seeHelp }
  }
}

const seeHelp = 'add --help to see what there is'
