import type { SplitLine } from '../../convert/import.ts'
import type { LineWord } from '../../run/one-shot/ask-flags.ts'
import { type Verify, verifies } from '../../workspace/verifies.ts'
import { generateOptions } from '../usage/face-usage.ts'
import { type CommandLine, commandLine } from './command-line.ts'
import { type Talk, talkOf } from './values.ts'

/** `genrun generate`, as written: the model's own flags are not read yet. */
export interface GenerateArgs {
  readonly do: 'generate'
  /** Files that declare models. */
  readonly catalog?: readonly string[]
  readonly line: CommandLine
  readonly model: LineWord | undefined
  /** What is not an option of `generate` itself. */
  readonly words: readonly LineWord[]
  readonly output: string | undefined
  readonly check: boolean
  /** Shows the files when they are there. */
  readonly open: boolean
  readonly strict: boolean
  readonly verify?: Verify | undefined
  readonly local: boolean
  readonly ca?: string | undefined
  readonly mode: string | undefined
  readonly profile: string | undefined
  readonly prices: string | undefined
  readonly maxCost: number | undefined
  readonly lock?: string | undefined
  readonly json: boolean
  readonly talk: Talk
  readonly noColour: boolean
}

interface Misused {
  readonly do: 'misused'
  readonly message: string
  readonly hint?: string
}

/** What the words behind `generate` come to. */
export type GenerateRead =
  | GenerateArgs
  | { readonly do: 'generate-help'; readonly model: string | undefined }
  | Misused

/** Reads the words behind `generate`. `head` is what was typed before them. */
export function generateArgs(head: string, given: readonly string[], split = splitLine): GenerateRead {
  const line = commandLine(head, given)
  const found = split(line.words)
  return 'code' in found ? { do: 'misused', message: found.message } : readOwn(line, found.own, found.words)
}

/** Takes the options of `generate` itself from between the model's flags. */
export const splitLine: SplitLine = given => splitBy(forms, given)

/**
 * The same of a line of the service's client, which has options of its own. What they ask for is done without being asked, but
 * for the file of a prompt, which is what `-p @file` names.
 */
export const splitClientLine: SplitLine = given => {
  const split = splitBy(clientForms, given)
  if ('code' in split) return split
  const file = split.own.get('prompt-file')
  if (!file) return split
  const prompt = { ...file, text: file.text === '-' ? '-' : `@${file.text}` }
  return { own: split.own, words: [...split.words, { ...file, text: '-p' }, prompt] }
}

function splitBy(known: ReadonlyMap<string, OwnOption>, given: readonly LineWord[]): ReturnType<SplitLine> {
  const own = new Map<string, LineWord>()
  const words: LineWord[] = []
  for (let nth = 0; nth < given.length; nth++) {
    const word = given[nth] as LineWord // within bounds
    const option = optionOf(word.text, known)
    if (!option) {
      words.push(word)
      // A value is never taken for an option of ours: `-p --json` is a prompt.
      const next = given[nth + 1]
      if (next && takesNext(word.text, next.text)) {
        words.push(next)
        nth++
      }
      continue
    }
    const value = option.inline ?? (option.takes ? given[nth + 1]?.text : '')
    if (value === undefined)
      return { code: 'missing-value', at: word, message: `${word.text} is given without its value` }
    if (own.has(option.name))
      return { code: 'duplicate-flag', at: word, message: `--${option.name} is given twice` }
    const isNext = option.inline === undefined && (option.takes || mayTake(option, given[nth + 1]))
    const at = isNext ? (given[++nth] as LineWord) : word
    own.set(option.name, { ...at, text: isNext ? at.text : value })
  }
  return { own, words }
}

function readOwn(
  line: CommandLine,
  own: ReadonlyMap<string, LineWord>,
  words: readonly LineWord[],
): GenerateRead {
  const text = (name: string) => own.get(name)?.text
  if (own.has('help')) return { do: 'generate-help', model: text('model') }
  const maxCost = text('max-cost')
  if (maxCost !== undefined && !/^\d{1,9}(\.\d{1,9})?$/.test(maxCost))
    return {
      do: 'misused',
      message: `${maxCost} is no value for --max-cost: it must be an amount, for instance 12.50`,
    }
  const mode = text('mode')
  if (mode !== undefined && mode !== 'execute' && mode !== 'submit')
    return { do: 'misused', message: `${mode} is no value for --mode: it is execute or submit` }
  const verify = text('verify')
  if (verify !== undefined && !verifies.some(each => each === verify))
    return { do: 'misused', message: `${verify} is no value for --verify: it is warn, fail or off` }
  return {
    do: 'generate',
    line,
    model: own.get('model'),
    words,
    output: text('output'),
    check: own.has('check'),
    open: own.has('open'),
    strict: own.has('strict'),
    ...(own.has('catalog') && { catalog: [text('catalog') ?? ''] }),
    verify: verifies.find(each => each === verify),
    local: own.has('local'),
    ca: text('ca'),
    mode,
    profile: text('profile'),
    prices: text('prices'),
    maxCost: maxCost === undefined ? undefined : Number(maxCost),
    lock: text('lock'),
    json: own.has('json'),
    talk: talkOf({ debug: own.has('debug'), verbose: own.has('verbose'), quiet: own.has('quiet') }),
    noColour: own.has('no-color'),
  }
}

interface OwnOption {
  readonly name: string
  readonly takes: boolean
  /** A value may stand behind it. */
  readonly mayTake?: true
  readonly inline?: string
}

function mayTake(option: OwnOption, next: LineWord | undefined): boolean {
  return option.mayTake === true && next !== undefined && !next.text.startsWith('-')
}

/** `-m`, `--model`, `--model=famc-v3`. */
function optionOf(word: string, known: ReadonlyMap<string, OwnOption>): OwnOption | undefined {
  const sign = word.startsWith('--') ? word.indexOf('=') : -1
  const form = sign < 0 ? word : word.slice(0, sign)
  const option = known.get(form)
  if (!option || (sign >= 0 && !option.takes && !option.mayTake)) return undefined
  return sign < 0 ? option : { ...option, inline: word.slice(sign + 1) }
}

const forms: ReadonlyMap<string, OwnOption> = new Map(
  [...generateOptions, { flags: '-h, --help', says: '' }].flatMap(({ flags }) => {
    const name = /--([a-z-]+)/.exec(flags)?.[1] ?? ''
    const option = { name, takes: flags.includes('<') }
    return [...flags.matchAll(/(?<=^|, )--?[a-z-]+/g)].map(([form]) => [form, option] as const)
  }),
)

/** Options of genrun's own mean what they mean there. */
const clientForms: ReadonlyMap<string, OwnOption> = new Map([
  ['--no-input', { name: 'no-input', takes: false }],
  ['--plain', { name: 'no-color', takes: false }],
  ['--debug', { name: 'debug', takes: false }],
  ['--download', { name: 'download', takes: false, mayTake: true }],
  ['--prompt-file', { name: 'prompt-file', takes: true }],
  ...forms,
])

/** Whether the word behind a flag that is none of ours can only be its value. A switch has none but true and false. */
function takesNext(word: string, next: string): boolean {
  if (!word.startsWith('-') || word.includes('=')) return false
  return !next.startsWith('-') || next === '-' || /^-\d/.test(next) || textFlags.has(word)
}

// What a prompt begins with is nobody's business.
const textFlags = new Set(['-p', '--prompt', '--neg', '--neg-prompt', '--negative-prompt'])
