import { display, jsonText } from '../../base/display.ts'
import { redactor } from '../../base/redact.ts'
import { type Colours, colours, wantsColour } from './colour.ts'
import { type Env, type Sink, type Surroundings, variable } from './surroundings.ts'
import { wrapTalk } from './wrap.ts'

/** The one writing point for stdout (results) and stderr (talk): nothing leaves with a secret or a foreign control character. */
export interface Out {
  /** Results, one or several lines without a final line feed. */
  result(text: string): void
  /** One JSON document on stdout. */
  json(value: unknown): void
  /** One line of JSON, as safe as everything else, for a file or a stream. */
  line(value: unknown): string
  /** The text without its secrets, for formats that clean it by themselves. */
  redact(text: string): string
  /** Talk, one or several lines without a final line feed. */
  talk(text: string): void
  /** Orders to a CI system, one a line, each made by us and escaped for it. */
  annotate(text: string): void
  /** The text as it may be shown on stderr; for views that draw by themselves. */
  clean(text: string): string
  /** From now on this text is a secret. */
  hide(secret: string): void
  /** Colours of talk, and of results. */
  readonly paint: Colours
  readonly resultPaint: Colours
}

export function openOut(around: Pick<Surroundings, 'env' | 'stdout' | 'stderr'>, isPlain: boolean): Out {
  const secrets = knownSecrets(around.env)
  let redact = redactor(secrets)
  const [talks, results] = [around.stderr, around.stdout].map(sink => wantsColour(sink, around.env, isPlain))
  const clean = (text: string, isColoured = false) => harmless(redact(text), isColoured)
  const write = (sink: Sink, text: string) => sink.write(`${text}\n`)
  return {
    result: text => write(around.stdout, clean(text, results)),
    json: value => write(around.stdout, redact(jsonText(value, 2))),
    line: value => redact(jsonText(value, 0)),
    redact: text => redact(text),
    talk: text => write(around.stderr, fitted(clean(text, talks), around.stderr)),
    annotate: text => write(around.stderr, ordersOf(redact(text))),
    clean: text => clean(text, talks),
    hide: secret => {
      secrets.push(secret)
      everHidden.add(secret)
      redact = redactor(secrets)
    },
    paint: colours(talks === true),
    resultPaint: colours(results === true),
  }
}

/** On a terminal talk is broken between its words; elsewhere lines stay whole, for those who search them. */
export function fitted(text: string, { isTerminal, columns }: Sink): string {
  return isTerminal && columns !== undefined ? wrapTalk(text, columns) : text
}

const everHidden = new Set<string>()

/** What must not be shown by whoever has no `Out` any more: what the environment tells, and all that this process was told to hide. */
export function everySecret(env: Env): string[] {
  return [...knownSecrets(env), ...everHidden]
}

/** What the environment alone tells to be secret. */
function knownSecrets(env: Env): string[] {
  const names = ['GENRUN_API_KEY', 'AWS_SECRET_ACCESS_KEY', 'AWS_SESSION_TOKEN']
  return names.flatMap(name => variable(env, name) ?? [])
}

/** Line by line, every control character but our own colours is shown as an escape, and no line commands a CI system. */
function harmless(text: string, isColoured: boolean): string {
  return text
    .split('\n')
    .map(line => shownLine(line, isColoured).replace(command, '$1\\u{3a}:'))
    .join('\n')
}

function ordersOf(text: string): string {
  return text
    .split('\n')
    .map(line => shownLine(line, false))
    .join('\n')
}

function shownLine(line: string, isColoured: boolean): string {
  const parts = line.split(colour)
  return parts.map((part, index) => safePart(part, index, isColoured)).join('')
}

// Where a text is split by a pattern with a group, what the group took stands at the odd places.
function safePart(part: string, index: number, isColoured: boolean): string {
  if (index % 2 === 0) return display(part, Number.POSITIVE_INFINITY)
  return isColoured ? part : ''
}

// `::error::…` at the head of a line is an order to GitHub Actions.
const command = /^(\s*)::/

const escape = String.fromCodePoint(27)
const colour = new RegExp(`(${escape}\\[\\d{1,2}m)`)
