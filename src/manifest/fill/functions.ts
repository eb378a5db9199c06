import { error } from '../../base/diagnostic.ts'
import { nearest } from '../../base/nearest.ts'
import { type Span, withLineFeeds } from '../../base/source.ts'
import { wordTable } from '../../base/word-table.ts'
import { literalOf, longestText, type Names, type Yield } from './names.ts'
import { padToken } from './tokens.ts'

/** An argument and where it stands; undefined when it could not be filled. */
type Argument = { readonly value: Yield; readonly at: Span } | undefined

interface Signature {
  /** As it is written, for hints. */
  readonly usage: string
  readonly least: number
  readonly most: number
  readonly call: (args: readonly Known[], names: Names) => string | undefined
  /** Takes `n` and `take`, which are no numbers yet. */
  readonly takesTokens?: true
}

type Known = NonNullable<Argument>

/** The functions of expressions. All are pure: what they yield depends on their arguments and the project's files only. */
const functions: { readonly [name: string]: Signature } = wordTable({
  file: { usage: "file('style.md')", least: 1, most: 1, call: readFile },
  slug: { usage: "slug('16:9 Wide')", least: 1, most: 1, call: byText(slug) },
  upper: { usage: "upper('tea')", least: 1, most: 1, call: byText(text => text.toUpperCase()) },
  lower: { usage: "lower('TEA')", least: 1, most: 1, call: byText(text => text.toLowerCase()) },
  pad: { usage: 'pad(7, 3)', least: 2, most: 2, call: pad, takesTokens: true },
  join: { usage: "join(vars.colours, ', ')", least: 1, most: 2, call: join },
  format: { usage: "format('{0} of {1}', 1, 3)", least: 1, most: 20, call: format, takesTokens: true },
})

/** What is wrong where `n` or `take` is worked with. */
export const noNumberYet = '`n` and `take` are numbers only when the files come'

const functionNames: readonly string[] = Object.keys(functions)

/** Each function as it is written. */
export const functionUsages: readonly string[] = Object.values(functions).map(({ usage }) => usage)

export function callFunction(
  name: string,
  at: Span,
  args: readonly Argument[],
  names: Names,
): Yield | undefined {
  const known = Object.hasOwn(functions, name) ? functions[name] : undefined
  if (!known) {
    const near = nearest(name, functionNames)
    const hint = near ? `did you mean ${near}` : `there are ${functionNames.join(', ')}`
    names.report(error('unknown-name', at, `there is no function ${name}`, hint))
    return undefined
  }
  if (args.length < known.least || args.length > known.most) {
    const wants = known.least === known.most ? known.least : `${known.least} to ${known.most}`
    const word = wants === 1 ? 'argument' : 'arguments'
    names.report(
      error('bad-expression', at, `\`${name}\` takes ${wants} ${word}`, `for instance ${known.usage}`),
    )
    return undefined
  }
  const present = args.filter(arg => arg !== undefined && arg.value.kind !== 'unfilled') as Known[] // filtered just here
  if (present.length < args.length) return undefined
  const token = present.find(({ value }) => value.kind === 'literal' && value.isToken)
  if (token && !known.takesTokens) {
    names.report(error('bad-expression', token.at, noNumberYet, '`pad` and `format` take them: pad(n, 3)'))
    return undefined
  }
  const text = known.call(present, names)
  if (text === undefined) return undefined
  return token ? { kind: 'literal', value: text, isToken: true } : literalOf(text)
}

function byText(of: (text: string) => string): Signature['call'] {
  return ([arg], names) => {
    const text = arg && textOf(arg, names)
    return text === undefined ? undefined : of(text)
  }
}

function readFile([arg]: readonly Known[], names: Names): string | undefined {
  const path = arg && textOf(arg, names)
  if (!arg || path === undefined) return undefined
  const text = names.textOf(path.trim(), arg.at)
  // The line end that editors leave at the end of a file would tear a sentence apart.
  return text && withLineFeeds(text).replace(/\n+$/, '')
}

/** Letters and digits of any script in lower case, everything else a single `-`: `16:9 Wide` is `16x9-wide`. */
function slug(text: string): string {
  return text
    .normalize('NFKC')
    .toLowerCase()
    .replaceAll(/(?<=\d):(?=\d)/g, 'x')
    .replaceAll(/[^\p{L}\p{M}\p{N}]+/gu, '-')
    .replaceAll(/^-+|-+$/g, '')
}

function pad([value, width]: readonly Known[], names: Names): string | undefined {
  if (!value || !width) return undefined
  const text = textOf(value, names)
  const digits = Number(textOf(width, names))
  if (Number.isInteger(digits) && digits >= 1 && digits <= 100)
    return text === undefined ? undefined : (padToken(text, digits) ?? text.padStart(digits, '0'))
  names.report(
    error(
      'bad-expression',
      width.at,
      'the width is a whole number from 1 to 100',
      'for instance pad(7, 3), which is 007',
    ),
  )
  return undefined
}

function join([list, by]: readonly Known[], names: Names): string | undefined {
  if (!list) return undefined
  const between = by ? textOf(by, names) : ', '
  if (list.value.kind !== 'list') {
    names.report(
      error('bad-expression', list.at, '`join` takes a list', "for instance join(vars.colours, ', ')"),
    )
    return undefined
  }
  const parts = list.value.items.map(value => textOf({ value, at: list.at }, names))
  if (between === undefined || parts.includes(undefined)) return undefined
  const length = parts.reduce((sum, part) => sum + (part?.length ?? 0) + between.length, 0)
  return isTooLong(length, list.at, names) ? undefined : parts.join(between)
}

/** `{0}` is the first argument behind the text; `{{` and `}}` are braces. */
function format([pattern, ...rest]: readonly Known[], names: Names): string | undefined {
  const text = pattern && textOf(pattern, names)
  const values = rest.map(arg => textOf(arg, names))
  if (!pattern || text === undefined || values.includes(undefined)) return undefined
  const length = [...text.matchAll(/\{(\d+)\}/g)].reduce(
    (sum, [, digits]) => sum + (values[Number(digits)]?.length ?? 0),
    text.length,
  )
  if (isTooLong(length, pattern.at, names)) return undefined
  let beyond: string | undefined
  const made = text.replaceAll(/\{\{|\}\}|\{(\d+)\}/g, (whole: string, digits: string | undefined) => {
    if (digits === undefined) return whole.charAt(0)
    if (Number(digits) >= values.length) beyond = whole
    return values[Number(digits)] ?? ''
  })
  if (beyond === undefined) return made
  const hint = 'the first value behind the text is {0}'
  names.report(error('bad-expression', pattern.at, `there is no value for ${beyond}`, hint))
  return undefined
}

/** Told before the text is made: calls that stand inside each other double it each time. */
function isTooLong(length: number, at: Known['at'], names: Names): boolean {
  if (length <= longestText) return false
  names.report(error('too-long', at, 'filled in, this text has more than a million characters'))
  return true
}

function textOf({ value, at }: Known, names: Names): string | undefined {
  switch (value.kind) {
    case 'literal':
      return String(value.value ?? '')
    case 'scalar':
      return typeof value.value === 'string' ? value.value : value.value === null ? '' : value.source
    case 'unfilled':
      return undefined
    case 'list':
    case 'map':
    case 'reference':
      names.report(error('wrong-type', at, 'a function takes text and numbers here', wholeHint(value)))
      return undefined
  }
}

/** What can be done with a value that is more than one. */
function wholeHint(value: Yield): string {
  if (value.kind === 'list') return 'name one of its values by its number, [0], or `join` them'
  return value.kind === 'map' ? 'name one of its values, behind a dot' : 'the file of a job has no text'
}
