import { Command, CommanderError, InvalidArgumentError, Option } from 'commander'
import { verifies } from '../../workspace/verifies.ts'
import { reportsArgs } from '../usage/report-args.ts'
import { commands, genrun, type OptionUsage, type Usage } from '../usage/usage.ts'
import type { Args, Plain, RunArgs } from './arguments.ts'
import { facesRead } from './face-args.ts'
import { faceArgs } from './faces.ts'
import { helpText } from './help.ts'
import { commonMisuse, parserMisuse, unknownCommand } from './misuse.ts'
import { ownArgs } from './own-args.ts'
import { recoveryArgs } from './recovery-args.ts'
import { runSelectionArgs, selectionArgsOf } from './selection-args.ts'
import { startArgs } from './start-args.ts'
import { catalogIn, number, talkOf, text, trustIn, type Values } from './values.ts'
import { verbArgs } from './verb-args.ts'

/**
 * Reads a command line (without node and script). A first word that is no command is a manifest when it looks like a
 * path or `exists` knows it.
 */
export function readArgs(argv: readonly string[], exists: (path: string) => boolean): Args {
  const [first, ...others] = argv
  // What a shell has typed so far may be anything.
  if (first === '__complete') return { do: 'complete', words: others }
  if (first === 'help') return readArgs([...others, '--help'], exists)
  const misuse = commonMisuse(argv) ?? unknownCommand(first, exists)
  if (misuse) return misuse
  const face = faceArgs(argv)
  if (face) return 'again' in face ? readArgs(face.again, exists) : face
  let command: Args | undefined
  let printed = ''
  const program = build(found => {
    command = found
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
  if (!command) throw new Error('the command line came to nothing')
  // Flags may stand before the word: `genrun --json valdate`.
  if (command.do !== 'run' || argv.includes('run') || argv.includes('redo')) return command
  return unknownCommand(command.manifest, exists) ?? command
}

function afterTrouble(trouble: CommanderError, printed: string, argv: readonly string[]): Args {
  if (trouble.code === 'commander.version') return { do: 'version' }
  if (trouble.code === 'commander.helpDisplayed') return { do: 'help', text: printed.trimEnd() }
  return parserMisuse(trouble, argv)
}

type Found = (command: Args) => void

function build(found: Found): Command {
  const program = command(new Command('genrun'), genrun).version('', '-V, --version').helpCommand(false)
  for (const usage of commands) {
    const [parent, child] = usage.name.split(' ')
    const above = child ? program.commands.find(each => each.name() === parent) : program
    if (!above) throw new Error(`${usage.name} stands before ${parent}`)
    const made = command(above.command(child ?? usage.name, { isDefault: usage.name === 'run' }), usage)
    if (usage.args) made.arguments(usage.args)
    if (usage.anyFlags) made.allowUnknownOption()
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
  if (takes === 'paid') option.argParser(text => wholeNumber(text, 0, 999_999))
  if (takes === 'date') option.argParser(date)
  if (takes === 'amount') option.argParser(amount)
  if (takes === 'size') option.argParser(bytes)
  if (takes === 'var') option.argParser(variables)
  if (takes === 'verify') option.argParser(verifying)
  if (takes === 'list') option.argParser((text, others: string[] | undefined) => [...(others ?? []), text])
  return option
}

function wholeNumber(text: string, least: number, most: number): number {
  const value = /^\d{1,6}$/.test(text) ? Number(text) : Number.NaN
  if (value >= least && value <= most) return value
  throw new InvalidArgumentError(`it must be a whole number from ${least} to ${most}`)
}

function verifying(text: string): string {
  if (verifies.some(each => each === text)) return text
  throw new InvalidArgumentError('it must be warn, fail or off')
}

function variables(text: string, others: string[] | undefined): string[] {
  if (/^[^=\s][^=]*=/s.test(text)) return [...(others ?? []), text]
  throw new InvalidArgumentError('it must be a name and a value, for instance season=winter')
}

function date(text: string): number {
  const value = /^\d{4}-\d{2}-\d{2}(T[\d:.]+(Z|[+-]\d{2}:\d{2})?)?$/.test(text)
    ? Date.parse(text)
    : Number.NaN
  if (!Number.isNaN(value)) return value
  throw new InvalidArgumentError('it must be a date, for instance 2026-01-31 or 2026-01-31T12:00Z')
}

function amount(text: string): number {
  if (/^\d{1,9}(\.\d{1,9})?$/.test(text)) return Number(text)
  throw new InvalidArgumentError('it must be an amount, for instance 12.50')
}

/** `500MB`, `5GB`; in powers of 1000. */
function bytes(text: string): number {
  const match = /^(\d{1,6}(?:\.\d{1,3})?) ?(kB|MB|GB|TB)$/i.exec(text)
  const power = ['kb', 'mb', 'gb', 'tb'].indexOf(match?.[2]?.toLowerCase() ?? '') + 1
  if (match) return Math.round(Number(match[1]) * 1000 ** power)
  throw new InvalidArgumentError('it must be a size, for instance 500MB or 5GB')
}

function reading(name: string, given: readonly unknown[], values: Values): Args {
  const plain = { noColour: values.color === false }
  const json = values.json === true
  const catalog = catalogIn(values)
  // Commander has checked that the arguments which a command declares are there.
  const [first] = given as [string]
  switch (name) {
    case 'run':
    case 'redo': {
      const selection = runSelectionArgs(given, values, name === 'redo')
      const second = selection?.selectors.find(word => /\.(ya?ml|json)$/i.test(word))
      if (second !== undefined) return twoManifests(second)
      return {
        do: 'run',
        manifest: first,
        ...plain,
        json,
        ...runValues(values),
        ...(selection && { selection }),
      }
    }
    case 'validate':
      return {
        do: 'validate',
        manifests: given[0] as string[],
        vars: Array.isArray(values.var) ? (values.var as string[]) : [], // Commander collects what is written.
        ...plain,
        json,
        sarif: values.sarif === true,
        strict: values.strict === true,
        ...(values.quiet === true && { isQuiet: true }),
        ...catalog,
      }
    case 'explain':
      return { do: 'explain', code: text(first), ...plain, json }
    case 'models':
      return {
        do: 'models',
        words: given[0] as string[],
        ...plain,
        ...textsIn(values, ['family', 'mode']),
        ...catalog,
        json,
      }
    case 'models info':
      return { do: 'model-info', id: first, ...plain, ...catalog, json }
    case 'serve':
      return {
        do: 'serve',
        ...plain,
        port: number(values.port),
        host: text(values.host),
        outputs: text(values.outputs),
        maxStore: text(values.maxStore),
        format: text(values.format),
        prices: text(values.prices),
        linkSeconds: text(values.linkSeconds),
        resultSeconds: text(values.resultSeconds),
        fault: text(values.fault),
        ledger: values.ledger === true || undefined,
        catalog: text(values.catalog),
        backend: text(values.backend),
        backendSeconds: text(values.backendSeconds),
      }
    default: {
      const command =
        verbArgs(name, given, values) ??
        recoveryArgs(name, given, values) ??
        startArgs(name, given, values, catalog.catalog) ??
        facesRead(name, given, values) ??
        ownArgs(name, given, values, selectionArgsOf(given, values))
      if (command) return command
      throw new Error(`nobody reads ${name}`)
    }
  }
}

function twoManifests(second: string): Args {
  const message = `${second} is a second manifest, and one run is about one`
  return { do: 'misused', message, hint: 'behind the manifest stand jobs; run genrun once for each manifest' }
}

function runValues(values: Values): Omit<RunArgs, 'do' | 'manifest' | 'json' | keyof Plain> {
  const reports = reportsArgs(values)
  return {
    output: text(values.output),
    local: values.local === true,
    ca: text(values.ca),
    failed: values.failed === true,
    rebuy: values.rebuy === true,
    execute: number(values.execute),
    submit: number(values.submit),
    ...(values.takeClaim === true && { takeClaim: true }),
    ...trustIn(values),
    talk: talkOf(values),
    ...(reports && { reports }),
  }
}

/** Those of the options that are given, as they were written. */
function textsIn<Name extends string>(
  values: Values,
  names: readonly Name[],
): { readonly [name in Name]?: string } {
  const given: { [name in Name]?: string } = {}
  for (const name of names) {
    const value = text(values[name])
    if (value !== undefined) given[name] = value
  }
  return given
}
