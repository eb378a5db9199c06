import { error } from '../../base/diagnostic.ts'
import { choice, type Form, mapOf, text, whole, wrong } from './form.ts'
import type { Proof } from './profile.ts'

/** A place in an answer: a JSON pointer. `''` is the whole answer. */
export const place: Form<string> = {
  schema: { type: 'string', pattern: '^(/([^~]|~[01])*)?$' },
  read(entry, report) {
    const { value } = entry
    const words = value.kind === 'scalar' ? String(value.value ?? '') : undefined
    if (words !== undefined && /^(\/([^~]|~[01])*)?$/.test(words)) return words
    const meant = words
      ?.replace(/^\$?\.?/, '/')
      .replaceAll(/[.[]/g, '/')
      .replaceAll(/[\]'"]/g, '')
    report(wrong(entry, 'is a JSON pointer', meant ? `write ${meant}` : 'for instance /data/id'))
    return undefined
  },
}

/** A place in an answer, or the name of one of its headers: `Operation-Location`. */
export const answerPlace: Form<string> = {
  schema: { type: 'string', pattern: '^((/([^~]|~[01])*)?|[A-Za-z][A-Za-z0-9-]*)$' },
  read(entry, report) {
    const { value } = entry
    const words = value.kind === 'scalar' ? value.source : ''
    return /^[A-Za-z][A-Za-z0-9-]*$/.test(words) ? words : place.read(entry, report)
  },
}

/** A word in an answer; a number or a truth counts by how it is written. */
export const word: Form<string> = {
  schema: { anyOf: [{ type: 'string' }, { type: 'number' }, { type: 'boolean' }] },
  read(entry, report) {
    const { value } = entry
    if (value.kind === 'scalar' && value.value !== null && value.source !== '') return value.source
    report(wrong(entry, 'is a word or a number'))
    return undefined
  },
}

/** A header that carries the key. What HTTP itself needs is not free for it. */
export const authHeader: Form<string> = {
  schema: { type: 'string', pattern: '^[A-Za-z0-9-]+$' },
  read(entry, report) {
    const name = text(/^[A-Za-z0-9-]+$/, 'is the name of a header', 'for instance X-Api-Key').read(
      entry,
      report,
    )
    if (name === undefined || !ownHeaders.has(name.toLowerCase())) return name
    report(wrong(entry, `cannot be ${name}, which is genrun's own`, 'for instance Authorization'))
    return undefined
  },
}

/** The word before a key, never the key. */
export const scheme: Form<string> = text(
  /^[A-Za-z][A-Za-z-]{0,31}$/,
  'is one word of letters, as Bearer, or none',
  'a profile never carries a key: it comes from GENRUN_API_KEY',
)

/** Statuses that prove something about a paid request, and when. 2xx never proves that nothing was billed. */
export const proofs: Form<{ readonly [status: string]: Proof }> = mapOf(
  choice(['always', 'never', 'with-retry-after']),
  (entry, report) => {
    const isStatus = /^[345]\d\d$/.test(entry.key.source)
    if (!isStatus)
      report(
        error(
          'bad-profile',
          entry.key,
          `${entry.key.source} is no status that can refuse an order`,
          'there are 300 to 599',
        ),
      )
    return isStatus
  },
)

export const statusCode: Form<number> = whole(200, 599)

/** A regular expression that cannot take long: no repeated group, at most three open repetitions. */
export const pattern: Form<string> = {
  schema: { type: 'string', maxLength: 200 },
  read(entry, report) {
    const words = text().read(entry, report)
    if (words === undefined) return undefined
    const flaw = patternFlaw(words)
    if (flaw === undefined) return words
    report(wrong(entry, flaw, 'plain words are enough: they are found by any case, anywhere in the message'))
    return undefined
  },
}

function patternFlaw(words: string): string | undefined {
  if (!isPattern(words)) return 'is no regular expression'
  const bare = words.replaceAll(/\\./g, '_').replaceAll(/\[[^\]]*\]/g, '_')
  if (words.length > 200) return 'is longer than 200 characters'
  if (/\)[*+{]/.test(bare)) return 'repeats a group, which can take for ever'
  if ((bare.match(/[*+]|\{\d+,\d*\}/g) ?? []).length > 3) return 'has more than three repetitions'
  return waysThrough(bare) > 10_000 ? 'can be read in too many ways, which can take for ever' : undefined
}

/** In how many ways a text may fit what is optional and what has alternatives, at most: `(a|aa)` twenty times in a million. */
function waysThrough(bare: string): number {
  const optional = (bare.match(/(?<![*+}?(])\?/g) ?? []).length
  const groups = (bare.match(/\(/g) ?? []).length
  const bars = (bare.match(/\|/g) ?? []).length
  return 2 ** optional * (groups === 0 ? 1 : (bars / groups + 1) ** groups)
}

function isPattern(words: string): boolean {
  try {
    return RegExp(words, 'i').source !== ''
  } catch {
    return false
  }
}

/** Headers of our own making. Neither a key nor what HTTP itself needs goes there. */
export const headers: Form<{ readonly [name: string]: string }> = mapOf(
  text(/^[\t\x20-\x7e]*$/, 'is printable ASCII'),
  ({ key, value }, report) => {
    const say = (message: string, hint?: string) => {
      report(error('bad-profile', key, message, hint))
      return false
    }
    if (!/^[A-Za-z0-9-]+$/.test(key.source)) return say(`${key.source} is no name of a header`)
    const isSecret =
      /auth|cookie|token|secret|password|api-?key|credential/i.test(key.source) ||
      (value.kind === 'scalar' && /^(bearer|basic)\s/i.test(String(value.value)))
    if (isSecret) return say('a profile never carries a key', 'the key comes from GENRUN_API_KEY')
    if (ownHeaders.has(key.source.toLowerCase())) return say(`the header ${key.source} is genrun's own`)
    return true
  },
)

const ownHeaders = new Set([
  'host',
  'connection',
  'content-length',
  'content-type',
  'content-encoding',
  'transfer-encoding',
  'accept-encoding',
  'keep-alive',
  'upgrade',
  'expect',
  'te',
  'trailer',
])
