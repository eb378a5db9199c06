import type { LineWord } from '../desk/ask-flags.ts'
import { type Verify, verifies } from '../desk/verifies.ts'
import type { CommandLine } from './command-line.ts'
import { commandLine } from './command-line.ts'
import { generateOptions } from './face-usage.ts'

/** `genrun generate`, as written: the model's own flags are not read yet. */
export interface GenerateAsked {
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
  readonly json: boolean
  readonly talk: 'quiet' | 'usual' | 'verbose'
  readonly noColour: boolean
}

export interface ResultAsked {
  readonly do: 'result'
  readonly run: string | undefined
  readonly model: string | undefined
  readonly workflow: string | undefined
  readonly output: string | undefined
  readonly forget: boolean
  readonly profile: string | undefined
  readonly ca: string | undefined
  readonly json: boolean
  readonly talk: 'quiet' | 'usual' | 'verbose'
  readonly noColour: boolean
}

export interface ConvertAsked {
  readonly do: 'convert'
  readonly manifest: string
  readonly address: string
  readonly to: string
  readonly profile: string | undefined
  readonly noColour: boolean
}

export interface ImportAsked {
  readonly do: 'import'
  readonly file: string
  readonly from: string | undefined
  readonly output: string | undefined
  readonly noColour: boolean
}

export interface McpAsked {
  readonly do: 'mcp'
  readonly http: boolean
  readonly port: number | undefined
  readonly local: boolean
  readonly ca?: string | undefined
  readonly readOnly: boolean
  readonly maxPaid: number | undefined
  readonly maxCost: number | undefined
  readonly prices: string | undefined
  readonly profile: string | undefined
  readonly output: string | undefined
  readonly noColour: boolean
}

export interface ProfileAsked {
  readonly do: 'profile-check'
  readonly path: string
  /** A file with models beside the built-in ones. */
  readonly catalog: string | undefined
  readonly model: string | undefined
  readonly json: boolean
  readonly noColour: boolean
}

export type FaceAsked = GenerateAsked | ResultAsked | ConvertAsked | ImportAsked | McpAsked | ProfileAsked

interface Misused {
  readonly do: 'misused'
  readonly message: string
  readonly hint?: string
}

/** What the words behind `generate` come to. */
export type GenerateRead =
  | GenerateAsked
  | { readonly do: 'generate-help'; readonly model: string | undefined }
  | Misused

/** Reads a command of this file that the usual parser knows; undefined for every other name. */
export function facesRead(
  name: string,
  [first, second]: readonly unknown[],
  values: { readonly [name: string]: unknown },
): FaceAsked | Misused | undefined {
  const noColour = values.color === false
  const text = (value: unknown) => (typeof value === 'string' ? value : undefined)
  const number = (value: unknown) => (typeof value === 'number' ? value : undefined)
  const [profile, prices, output] = [text(values.profile), text(values.prices), text(values.output)]
  switch (name) {
    case 'result':
      return {
        do: 'result',
        run: text(first),
        model: text(values.model),
        workflow: text(values.workflow),
        output,
        forget: values.forget === true,
        profile,
        ca: text(values.ca),
        json: values.json === true,
        talk: values.verbose === true ? 'verbose' : values.quiet === true ? 'quiet' : 'usual',
        noColour,
      }
    case 'convert':
      return {
        do: 'convert',
        manifest: String(first),
        address: String(second),
        to: text(values.to) ?? 'cli',
        profile,
        noColour,
      }
    case 'import':
      return { do: 'import', file: String(first), from: text(values.from), output, noColour }
    case 'profile':
      return {
        do: 'misused',
        message: 'profile takes a word',
        hint: 'there is `genrun profile check <file>`',
      }
    case 'profile check':
      return {
        do: 'profile-check',
        path: String(first),
        catalog: text(values.catalog),
        model: text(values.model),
        json: values.json === true,
        noColour,
      }
    case 'mcp':
      return {
        do: 'mcp',
        http: values.http === true,
        port: number(values.port),
        local: values.local === true,
        ca: text(values.ca),
        readOnly: values.readOnly === true,
        maxPaid: number(values.maxPaid),
        maxCost: number(values.maxCost),
        prices,
        profile,
        output,
        noColour,
      }
    default:
      return undefined
  }
}

/** Reads the words behind `generate`. `head` is what was typed before them. */
export function generateAsked(head: string, given: readonly string[]): GenerateRead {
  const line = commandLine(head, given)
  const own = new Map<string, LineWord>()
  const words: LineWord[] = []
  for (let nth = 0; nth < line.words.length; nth++) {
    const word = line.words[nth] as LineWord // within bounds
    const option = optionOf(word.text)
    if (!option) {
      words.push(word)
      // A value is never taken for an option of ours: `-p --json` is a prompt.
      const next = line.words[nth + 1]
      if (next && takesNext(word.text, next.text)) {
        words.push(next)
        nth++
      }
      continue
    }
    const value = option.inline ?? (option.takes ? line.words[nth + 1]?.text : '')
    if (value === undefined) return { do: 'misused', message: `${word.text} is given without its value` }
    if (own.has(option.name)) return { do: 'misused', message: `--${option.name} is given twice` }
    const at = option.takes && option.inline === undefined ? (line.words[++nth] as LineWord) : word
    own.set(option.name, { ...at, text: value })
  }
  return readOwn(line, own, words)
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
    json: own.has('json'),
    talk: own.has('verbose') ? 'verbose' : own.has('quiet') ? 'quiet' : 'usual',
    noColour: own.has('no-color'),
  }
}

interface OwnOption {
  readonly name: string
  readonly takes: boolean
  readonly inline?: string
}

/** `-m`, `--model`, `--model=famc-v3`. */
function optionOf(word: string): OwnOption | undefined {
  const sign = word.startsWith('--') ? word.indexOf('=') : -1
  const form = sign < 0 ? word : word.slice(0, sign)
  const option = forms.get(form)
  if (!option || (sign >= 0 && !option.takes)) return undefined
  return sign < 0 ? option : { ...option, inline: word.slice(sign + 1) }
}

const forms: ReadonlyMap<string, OwnOption> = new Map(
  [...generateOptions, { flags: '-h, --help', says: '' }].flatMap(({ flags }) => {
    const name = /--([a-z-]+)/.exec(flags)?.[1] ?? ''
    const option = { name, takes: flags.includes('<') }
    return [...flags.matchAll(/(?<=^|, )--?[a-z-]+/g)].map(([form]) => [form, option] as const)
  }),
)

/** Whether the word behind a flag that is none of ours can only be its value. A switch has none but true and false. */
function takesNext(word: string, next: string): boolean {
  if (!word.startsWith('-') || word.includes('=')) return false
  return !next.startsWith('-') || next === '-' || /^-\d/.test(next) || textFlags.has(word)
}

// What a prompt begins with is nobody's business.
const textFlags = new Set(['-p', '--prompt', '--neg', '--neg-prompt', '--negative-prompt'])
