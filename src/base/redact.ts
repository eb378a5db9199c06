import { wordTable } from './word-table.ts'

/**
 * Takes secrets out of text at the one writing point of a sink. One of eight characters and more is found in whatever form a
 * service may echo it: plain, in any case, with escapes of JSON, URLs and HTML, as hexadecimal digits, in base64 at every
 * alignment, and split by what nobody sees; a shorter one as it stands and encoded as a whole. The query of every URL is
 * cut, because links are signed.
 */
export function redactor(secrets: readonly string[]): (text: string) => string {
  const hide = hiderOf(secrets)
  return text => hide(text).replace(urlQuery, '$1?…')
}

/** The same, with links as they are: for what a program goes on working with. */
export function hiderOf(secrets: readonly string[]): (text: string) => string {
  const known = [...new Set(secrets)].filter(secret => secret.length >= 4)
  const short = known
    .filter(secret => secret.length < leastLength)
    .flatMap(shortShapes)
    .toSorted((a, b) => b.length - a.length)
  const long = known.filter(secret => secret.length >= leastLength)
  const patterns = long.map(secret => ({
    mayHold: screenOf(secret),
    expressions: onDemand(() => patternsOf(secret)),
  }))
  return text => {
    const plain = short.reduce((left, shape) => left.replaceAll(shape, hidden), text)
    return patterns.reduce(
      (left, { mayHold, expressions }) =>
        mayHold(left) ? expressions().reduce((rest, each) => rest.replace(each, hidden), left) : left,
      plain,
    )
  }
}

const hidden = '[secret]'

/** Where a secret begins in a text, in whatever form; undefined where it is not, and for a word that may stand there by chance. */
export function finderOf(secret: string): (text: string) => number | undefined {
  if (secret.length < leastLength) return () => undefined
  const mayHold = screenOf(secret)
  const patterns = onDemand(() =>
    patternsOf(secret).map(({ source, flags }) => new RegExp(source, flags.replace('g', ''))),
  )
  return text => {
    if (!mayHold(text)) return undefined
    const places = patterns().flatMap(pattern => pattern.exec(text)?.index ?? [])
    return places.length === 0 ? undefined : Math.min(...places)
  }
}

/** Tells whether a secret stands in any text of plain data, as it is: written as JSON it would look another way once more. */
export function holderOf(secrets: readonly string[]): (value: unknown) => boolean {
  const finders = secrets.map(finderOf)
  const holds = (value: unknown): boolean => {
    if (typeof value === 'string') return finders.some(find => find(value) !== undefined)
    if (typeof value !== 'object' || value === null) return false
    return Object.entries(value).some(([name, each]) => holds(name) || holds(each))
  }
  return holds
}

/** Plain data with every text in it cleaned. */
export function cleaned<T>(value: T, clean: (text: string) => string): T {
  if (typeof value === 'string') return clean(value) as T // a text stays a text
  if (Array.isArray(value)) return value.map(each => cleaned(each, clean)) as T // as long as before
  if (typeof value !== 'object' || value === null) return value
  const entries = Object.entries(value).map(([key, each]) => [key, cleaned(each, clean)])
  return Object.fromEntries(entries) as T // the same keys
}

/** The beginning of a text, up to where a word ends: half a secret is found by no redactor. */
export function cutAtWord(text: string, longest: number): string {
  if (text.length <= longest) return text
  return `${text.slice(0, longest).replace(/[^\s"'(){}<>,]*$/, '')}…`
}

/** Shorter words stand in many texts by chance. */
const leastLength = 8

function shortShapes(secret: string): string[] {
  return [
    secret,
    encodeURIComponent(secret),
    Buffer.from(secret).toString('base64'),
    JSON.stringify(secret).slice(1, -1),
  ]
}

/**
 * Tells of most texts that a secret cannot be in them. The expressions below would say so as well, but a process that prints ten
 * lines would spend a sixth of its time on having them compiled. Where nothing is escaped and everything can be seen, few forms
 * are left.
 */
function screenOf(secret: string): (text: string) => boolean {
  // Of other letters some have a case in ASCII, as the long s.
  if (!nothingHidden.test(secret) || /[\n\r\t]/.test(secret)) return () => true
  const letters = secret.toLowerCase()
  const digits = Buffer.from(secret).toString('hex')
  const base64 = base64Of(secret).map(usualAlphabet)
  return text => {
    // No form is shorter than the secret.
    if (text.length < secret.length) return false
    if (text.length > longestScreened || !nothingHidden.test(text)) return true
    const joined = text.replaceAll(/[\n\r\t]/g, '')
    const small = joined.toLowerCase()
    if (small.includes(letters) || small.replaceAll(/0x|[ :,]/g, '').includes(digits)) return true
    const coded = usualAlphabet(joined)
    return base64.some(each => coded.includes(each))
  }
}

/** Of longer texts more copies are made here than the expressions take to read them: a lock of 6 MB in 280 ms, or in 30. */
const longestScreened = 65_536

/** Made when it is wanted first: only to read the expressions of a key takes as long as a manifest. */
function onDemand<T>(make: () => T): () => T {
  let made: { readonly is: T } | undefined
  return () => (made ??= { is: make() }).is
}

/** Printable ASCII without what escapes begin with, and what ends lines. */
const nothingHidden = /^[\n\r\t !-$'-[\]-~]*$/

function usualAlphabet(text: string): string {
  return text.replaceAll('-', '+').replaceAll('_', '/')
}

function patternsOf(secret: string): RegExp[] {
  const letters = [...secret].map(lettersOf).join(unseen)
  const digits = Buffer.from(secret).toString('hex').match(/../g) ?? []
  const inBase64 = (text: string) => [...text].map(eitherAlphabet).join(unseen)
  const [whole = '', ...parts] = base64Of(secret).map(inBase64)
  const base64 = [`${whole}=*`, ...parts]
  return [
    new RegExp(`${letters}|${digits.join(between)}`, 'giu'),
    new RegExp(base64.toSorted((a, b) => b.length - a.length).join('|'), 'gu'),
  ]
}

// Whoever wrote the text may mean no good: nothing below can be read in two ways, and runs of backslashes have an end, so that
// an expression takes no longer than its text is long.
const invisible = String.raw`\p{Cf}\p{Cc}\u034f\ufe00-\ufe0f`
const colour = String.raw`(?:\x1b|\\{1,8}(?:u001b|u\{1b\}|x1b))\[[0-9;]{0,20}m`
const escapes = String.raw`${colour}|\\{1,8}(?:u(?:[0-9a-f]{4}|\{[0-9a-f]{1,6}\})|[nrt])`

/** What takes no room on a screen, or breaks a line there: as it is, or as JSON and our own display escape it. */
const unseen = `(?:${escapes}|[${invisible}])*`

/** The same, and what bytes are set apart by. */
const between = `(?:${escapes}|0x|[\\s:,${invisible}])*`

/** A character as it is, or as JSON, an address or HTML has it. */
function lettersOf(letter: string): string {
  const bytes = [...Buffer.from(letter)].map(byte => byte.toString(16).padStart(2, '0'))
  const code = letter.codePointAt(0) ?? 0
  const hex = code.toString(16)
  const mark = '"\\/'.includes(letter) ? '\\\\{0,8}' : ''
  const names = (namesInHtml[letter] ?? []).map(name => `|${name};`).join('')
  return `(?:${mark}${escaped(letter)}|${bytes.map(byte => `%(?:25)*${byte}`).join('')}|\\\\{1,8}(?:x${hex.padStart(2, '0')}|u${hex.padStart(4, '0')}|u\\{0*${hex}\\})|&(?:amp;)*(?:#(?:x0*${hex}|0*${code});?${names}))`
}

/** The names that HTML has for what keys hold beside letters and digits; an expression has no case. */
const namesInHtml = wordTable<readonly string[]>({
  '!': ['excl'],
  '"': ['quot'],
  '#': ['num'],
  $: ['dollar'],
  '%': ['percnt'],
  '&': ['amp'],
  "'": ['apos'],
  '(': ['lpar'],
  ')': ['rpar'],
  '*': ['ast', 'midast'],
  '+': ['plus'],
  ',': ['comma'],
  '.': ['period'],
  '/': ['sol'],
  ':': ['colon'],
  ';': ['semi'],
  '<': ['lt'],
  '=': ['equals'],
  '>': ['gt'],
  '?': ['quest'],
  '@': ['commat'],
  '[': ['lsqb', 'lbrack'],
  '\\': ['bsol'],
  ']': ['rsqb', 'rbrack'],
  '^': ['hat'],
  _: ['lowbar', 'underbar'],
  '`': ['grave', 'diacriticalgrave'],
  '{': ['lcub', 'lbrace'],
  '|': ['verbar', 'vert', 'verticalline'],
  '}': ['rcub', 'rbrace'],
})

/** As a whole, without what fills it up, and within other text at each alignment. */
function base64Of(secret: string): string[] {
  return [Buffer.from(secret).toString('base64url'), ...[0, 1, 2].map(shift => base64At(secret, shift))]
}

/** The part that is the same whatever stands around the secret, where it begins so many bytes after a whole group. */
function base64At(secret: string, shift: number): string {
  const bytes = Buffer.concat([Buffer.alloc(shift), Buffer.from(secret)])
  const whole = Math.floor((bytes.length * 8) / 6)
  return bytes.toString('base64').slice(Math.ceil((shift * 8) / 6), whole)
}

function eitherAlphabet(letter: string): string {
  return letter === '+' || letter === '-' ? '[+-]' : letter === '/' || letter === '_' ? '[/_]' : letter
}

function escaped(text: string): string {
  return text.replaceAll(/[\\^$.*+?()[\]{}|/]/g, String.raw`\$&`)
}

/** A link as it may be stored or shown: without query and fragment, which can carry a signature. */
export function bareLink(link: string): string {
  return link.replace(/[?#].*$/s, '')
}

const urlQuery = /(https?:\/\/[^\s"'<>?#]+)[?#][^\s"'<>]+/g
