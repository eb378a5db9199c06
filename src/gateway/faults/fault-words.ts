import { defined } from '../../base/defined.ts'
import { listed, nearest } from '../../base/nearest.ts'
import { type Endpoint, type Fault, type FaultRule, homes } from './faults.ts'
import { oddKinds } from './odd-files.ts'

/** The header with which one request asks for faults, where the gateway has faults enabled. */
export const faultHeader = 'x-gateway-fault'

/** One way to write a fault, for the header and the command line. */
interface FaultWord {
  readonly does: Fault['does']
  /** How it is written, for help and messages. */
  readonly form: string
  readonly means: string
  /** The fault by the text behind `=`, empty when there is none; undefined when the text is no good. */
  read(value: string, options: Options): Fault | undefined
}

type Options = ReadonlyMap<string, string>

/** Every fault that can be asked for. */
export const faultWords: readonly FaultWord[] = [
  {
    does: 'delay',
    form: 'delay=300, delay=200..800, delay=~300',
    means: 'the answer takes so many milliseconds longer; ~ is the mean of a long tail',
    read: value => delay(value),
  },
  {
    does: 'refuse',
    form: 'refuse=429 retry-after=2',
    means: 'a status instead of the work; nothing is accepted or billed',
    read: (value, options) => refuse(value, options.get('retry-after')),
  },
  {
    does: 'spoil',
    form: 'spoil=502',
    means: 'accepted and billed, and then a status that says otherwise',
    read: value => withNumber(value || '502', 200, 599, status => ({ does: 'spoil', status })),
  },
  {
    does: 'lose',
    form: 'lose',
    means: 'accepted and billed, and then no answer',
    read: plain({ does: 'lose' }),
  },
  {
    does: 'reset',
    form: 'reset',
    means: 'the connection is reset before anything is done',
    read: plain({ does: 'reset' }),
  },
  {
    does: 'cut',
    form: 'cut=0.5',
    means: 'the answer breaks off at this share of its declared length',
    read: value => withNumber(value || '0.5', 0, 1, at => ({ does: 'cut', at })),
  },
  {
    does: 'clip',
    form: 'clip=0.5',
    means: 'the answer ends at this share, and its declared length hides that',
    read: value => withNumber(value || '0.5', 0, 1, at => ({ does: 'clip', at })),
  },
  {
    does: 'drip',
    form: 'drip=1024',
    means: 'the answer comes at so many bytes a second',
    read: value => withNumber(value || '1024', 1, 1e9, bytesPerSecond => ({ does: 'drip', bytesPerSecond })),
  },
  {
    does: 'html',
    form: 'html=video/mp4',
    means: 'a page where a file should be, declared as this type or as text/html',
    read: value => ({ does: 'html', type: value || 'text/html' }),
  },
  { does: 'expire', form: 'expire', means: 'the link has expired', read: plain({ does: 'expire' }) },
  {
    does: 'short',
    form: 'short=1',
    means: 'the run yields so many files fewer than asked',
    read: value => withNumber(value || '1', 1, 100, missing => ({ does: 'short', missing })),
  },
  {
    does: 'deliver',
    form: 'deliver=tiff',
    means: `the run yields files of another kind: ${listed(oddKinds)}`,
    read: value => {
      const kind = oddKinds.find(each => each === value)
      return kind && { does: 'deliver', kind }
    },
  },
  {
    does: 'gone',
    form: 'gone=404',
    means: 'the run was accepted, and asked for it is not known (404) or no longer kept (410)',
    read: value => withNumber(value || '404', 404, 410, status => ({ does: 'gone', status })),
  },
  { does: 'reject', form: 'reject', means: "the run's content is refused", read: plain({ does: 'reject' }) },
  { does: 'fail', form: 'fail', means: 'the run fails', read: plain({ does: 'fail' }) },
  { does: 'stall', form: 'stall', means: 'the run never ends', read: plain({ does: 'stall' }) },
]

/** Rules, or what is wrong with their text. */
type ReadRules = { readonly rules: readonly FaultRule[] } | { readonly problem: string }

/**
 * Reads rules as the header and the command line give them, separated by commas: a fault, then in any order
 * `on=submit|result`, `chance=0.1`, `first=2`, `tries=1`, `model=famc-*`:
 *
 *     refuse=429 retry-after=2 first=1, cut=0.5 on=file chance=0.2
 */
export function readRules(text: string): ReadRules {
  const rules: FaultRule[] = []
  for (const part of text.split(',').map(part => part.trim())) {
    if (part === '') continue
    const rule = readRule(part)
    if (typeof rule === 'string') return { problem: rule }
    rules.push(rule)
  }
  return { rules }
}

function readRule(text: string): FaultRule | string {
  const [head = '', ...rest] = text.split(/\s+/)
  const [name, value] = splitPair(head)
  const word = faultWords.find(({ does }) => does === name)
  if (!word)
    return unknown(
      'fault',
      name,
      faultWords.map(({ does }) => does),
    )
  const options = new Map(rest.map(splitPair))
  for (const option of options.keys())
    if (!optionNames.includes(option)) return unknown('option', option, optionNames)
  const fault = word.read(value, options)
  if (!fault) return `${head} cannot be read; it is written ${word.form}`
  return readOptions(fault, options)
}

const optionNames = ['on', 'chance', 'first', 'tries', 'model', 'retry-after']
const endpoints = Object.keys({ execute: 0, submit: 0, result: 0, file: 0 } satisfies Record<Endpoint, 0>)

function readOptions(fault: Fault, options: Options): FaultRule | string {
  const on = options.get('on')?.split('|')
  const stray = on?.find(endpoint => !endpoints.includes(endpoint))
  if (stray !== undefined) return unknown('kind of request', stray, endpoints)
  if (on && inRun.includes(fault.does) && !on.some(isPaid))
    return `${fault.does} is only for ${listed(homes[fault.does])}`
  for (const name of ['chance', 'first', 'tries']) {
    const value = options.get(name)
    if (value !== undefined && numberIn(value, 0, name === 'chance' ? 1 : 1e9) === undefined) {
      return `${name}=${value} is not a number that fits`
    }
  }
  const model = options.get('model')
  return {
    fault,
    // Every one of them was looked up above.
    ...(on && { on: on as Endpoint[] }),
    ...numbers(options),
    ...defined({ model }),
  }
}

// What happens to a run is decided when it is ordered.
const inRun: readonly Fault['does'][] = ['spoil', 'short', 'deliver', 'reject', 'fail', 'stall']

function isPaid(endpoint: string): boolean {
  return endpoint === 'execute' || endpoint === 'submit'
}

function numbers(options: Options): { chance?: number; first?: number; tries?: number } {
  const given = ['chance', 'first', 'tries'].filter(name => options.has(name))
  return Object.fromEntries(given.map(name => [name, Number(options.get(name))]))
}

function plain(fault: Fault): FaultWord['read'] {
  return value => (value === '' ? fault : undefined)
}

function delay(value: string): Fault | undefined {
  if (value.startsWith('~'))
    return withNumber(value.slice(1), 0, 1e7, mean => ({ does: 'delay', ms: { mean } }))
  const [low = '', high = low] = value.split('..')
  const [from, to] = [numberIn(low, 0, 1e7), numberIn(high, 0, 1e7)]
  return from === undefined || to === undefined || to < from ? undefined : { does: 'delay', ms: { from, to } }
}

function refuse(value: string, after: string | undefined): Fault | undefined {
  const retryAfterSeconds = after === undefined ? undefined : numberIn(after, 0, 1e6)
  if (after !== undefined && retryAfterSeconds === undefined) return undefined
  return withNumber(value || '503', 300, 599, status => ({
    does: 'refuse',
    status,
    ...defined({ retryAfterSeconds }),
  }))
}

function withNumber(
  text: string,
  least: number,
  most: number,
  make: (number: number) => Fault,
): Fault | undefined {
  const number = numberIn(text, least, most)
  return number === undefined ? undefined : make(number)
}

function numberIn(text: string, least: number, most: number): number | undefined {
  const number = /^\d+(\.\d+)?$/.test(text) ? Number(text) : Number.NaN
  return number >= least && number <= most ? number : undefined
}

function splitPair(text: string): [string, string] {
  const at = text.indexOf('=')
  return at < 0 ? [text, ''] : [text.slice(0, at), text.slice(at + 1)]
}

function unknown(kind: string, word: string, known: readonly string[]): string {
  const near = nearest(word, known)
  const hint = near === undefined ? `known are ${listed(known)}` : `did you mean ${near}?`
  return `${word} is no ${kind} (${hint})`
}
