import type { SplitLine } from '../../convert/import.ts'
import type { LineWord } from '../../run/one-shot/ask-flags.ts'
import type { ReadLine } from './command.ts'
import { type CommandLine, commandLine } from './command-line.ts'
import type { Given } from './given.ts'
import { formOf, formsOf, isList, longName, type Option } from './option.ts'
import { options } from './options.ts'
import { readFlag, wrongValue } from './read-value.ts'
import { talkFlags } from './selections.ts'

/** What `generate` takes beside the model's own flags. None of them is a flag of any model. */
export const generateFlags = [
  'model',
  'outputPath',
  'lock',
  'open',
  'check',
  'strict',
  'catalog',
  'local',
  'mode',
  'service',
  'profile',
  'ca',
  'verify',
  'prices',
  'maxCost',
  'json',
  ...talkFlags,
] as const

const ownOptions = [...generateFlags, 'noColor'] as const

type OwnGiven = Given<(typeof ownOptions)[number]>

/** The line of one job, as written: the model's own flags are not read yet. */
export interface GenerateLine {
  readonly line: CommandLine
  readonly modelWord: LineWord | undefined
  /** What is not an option of `generate` itself. */
  readonly words: readonly LineWord[]
}

/** Reads the words behind `generate`. `head` is what was typed before them. */
export function readGenerate(head: string, given: readonly string[]): ReadLine<OwnGiven & GenerateLine> {
  return readBy(splitLine, head, given)
}

/** The same of a line of the service's client. */
export function readClientGenerate(
  head: string,
  given: readonly string[],
): ReadLine<OwnGiven & GenerateLine> {
  return readBy(splitClientLine, head, given)
}

function readBy(split: SplitLine, head: string, given: readonly string[]): ReadLine<OwnGiven & GenerateLine> {
  const line = commandLine(head, given)
  const found = split(line.words)
  if ('code' in found) {
    const { code, message } = found
    return { is: 'misused', misused: { message, ...(code === 'duplicate-flag' && { code }) } }
  }
  const { own, words } = found
  if (own.has('help')) return { is: 'help', model: own.get('model')?.text }
  const values: { [name: string]: unknown } = {}
  for (const name of ownOptions) {
    const option: Option = options[name]
    const read = readOwn(option, own.get(longName(option))?.text)
    if ('problem' in read) return { is: 'misused', misused: { message: read.problem } }
    values[name] = read.value
  }
  // Each value was read by its own form.
  const args = values as unknown as OwnGiven
  return { is: 'args', args: { ...args, line, modelWord: own.get('model'), words } }
}

function readOwn(
  option: Option,
  text: string | undefined,
): { readonly value: unknown } | { readonly problem: string } {
  const form = formOf(option)
  if (form.is === 'switch') return { value: text !== undefined }
  if (text === undefined) return { value: isList(form) ? [] : undefined }
  const read = readFlag(form, text)
  if ('value' in read) return { value: isList(form) ? [read.value] : read.value }
  return { problem: `${text} is no value for --${longName(option)}: ${wrongValue(read)}` }
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
  [...ownOptions.map((name): Option => options[name]), { flag: '-h, --help', says: '' }].flatMap(option => {
    const own = { name: longName(option), takes: formOf(option).is !== 'switch' }
    return formsOf(option).map(form => [form, own] as const)
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
