import type { Out } from '../io/out.ts'
import type { Surroundings } from '../io/surroundings.ts'
import type { FlagOption, Given, OptionName, SettingOption } from './given.ts'

/**
 * One command as data. The parser, the help screens, completion, the guide and the page of reference are loops over the
 * list of them.
 */
export interface Usage {
  /** As it is typed: `run`, `models info`; empty for genrun itself. */
  readonly name: string
  /** `<manifest>`, `<manifest> [jobs...]`. */
  readonly arguments?: string
  /** One line. */
  readonly says: string
  /** A command line and what it does. */
  readonly examples: readonly (readonly [line: string, does: string])[]
  /** Its options, in the order of its help; every command has `noColor` besides. */
  readonly flags: readonly FlagOption[]
  /** What help says of an option here, where that differs from what it says everywhere. */
  readonly saying?: { readonly [Name in FlagOption]?: string }
  /** What completion offers for an option here, where that differs from what it offers everywhere. */
  readonly offering?: { readonly [Name in FlagOption]?: readonly string[] }
  /** Flags that are not listed here are handed on with the arguments. */
  readonly anyFlags?: true
  /** What help says at its end. */
  readonly notes?: readonly string[]
  /** It only leads to others, and is not listed. */
  readonly isLeading?: true
  /** What the settings say is no matter for it. */
  readonly ignoresSettings?: true
  /** How many orders it may give: for `many` somebody has to cap what a stranger's checkout may spend. */
  readonly orders?: 'many' | 'one'
}

/** The command line itself is wrong. */
export interface Misused {
  /** `usage` where it is absent. */
  readonly code?: 'duplicate-flag'
  readonly message: string
  readonly hint?: string | undefined
}

/** What `<manifest> [jobs...]` come to. */
type ArgumentsIn<Text extends string> = Text extends `${infer First} ${infer Others}`
  ? ArgumentIn<First> & ArgumentsIn<Others>
  : ArgumentIn<Text>

type ArgumentIn<Word extends string> = Word extends `<${infer Name}...>` | `[${infer Name}...]`
  ? { readonly [Each in Name]: readonly string[] }
  : Word extends `<${infer Name}>`
    ? { readonly [Each in Name]: string }
    : Word extends `[${infer Name}]`
      ? { readonly [Each in Name]: string | undefined }
      : unknown

/** What the code of a command gets: its arguments, its options, and what the settings say of all others. */
type ArgsOf<Text extends string, Flag extends OptionName> = ArgumentsIn<Text> &
  Given<Flag | SettingOption | 'noColor'>

type Run<Args> = (
  args: Args,
  around: Surroundings,
  out: Out,
  commands: readonly Usage[],
) => number | Promise<number>

interface Declaration<Text extends string, Flag extends FlagOption, Own> extends Usage {
  readonly arguments?: Text
  readonly flags: readonly Flag[]
  /** Reads the words behind its name, where they are not for the usual parser. */
  readonly read?: (head: string, words: readonly string[]) => ReadLine<Given<Flag | 'noColor'> & Own>
  /** What no single option can tell is wrong with a line. */
  readonly check?: (args: ArgsOf<Text, Flag>) => Misused | undefined
  /** Its code is loaded when it is asked for: `validate` needs no network library, `models` no YAML. */
  readonly run: Run<ArgsOf<Text, Flag> & Own>
}

/** What a line comes to that is read by a command itself. */
export type ReadLine<Args> =
  | { readonly is: 'args'; readonly args: Args }
  | { readonly is: 'help'; readonly model: string | undefined }
  | { readonly is: 'misused'; readonly misused: Misused }

/** What was given to a command, for those who do not know which. */
export type AnyArgs = Partial<Given<OptionName>>

/** A command, whatever it takes. */
export interface Command extends Usage {
  readonly read?: (head: string, words: readonly string[]) => ReadLine<AnyArgs>
  readonly check?: (args: AnyArgs) => Misused | undefined
  readonly run: Run<AnyArgs>
}

/** Declares a command. */
export function command<const Text extends string = '', const Flag extends FlagOption = never, Own = unknown>(
  declaration: Declaration<Text, Flag, Own>,
): Command {
  // The parser gives each command what it declares, by the same names: that is what the types of `run` say.
  return declaration as unknown as Command
}

/** A word that is nothing without the next: `genrun lock merge`. */
export function leading(usage: Omit<Usage, 'flags'>, hint: string): Command {
  return command({
    ...usage,
    flags: [],
    isLeading: true,
    check: () => ({ message: `${usage.name} takes a word`, hint }),
    run: () => 0,
  })
}
