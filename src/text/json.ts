import { type Checked, type Diagnostic, hasErrors, sortProblems } from '../base/diagnostic.ts'
import type { Json } from '../base/names.ts'
import type { SourceFile } from '../base/source.ts'
import { placesIn } from './compose.ts'
import { collectEntries } from './mapping.ts'
import type { ScalarStyle, TextEntry, TextList, TextMap, TextNode, TextScalar } from './tree.ts'
import { badNumber, textLimits } from './yaml-errors.ts'
import { suspiciousText } from './yaml-lint.ts'

/**
 * Reads JSON by `JSON.parse`, which is as quick as it gets and knows no places. They are found when something has to
 * point at one: the text is then read once more. Undefined for what is no JSON, and for what `JSON.parse` changes
 * without a word: it keeps one of two equal keys, and puts keys that are numbers first.
 */
export function readJson(file: SourceFile): Checked<TextNode> | undefined {
  const parsed = parse(file.text)
  return parsed === undefined ? undefined : checked(parsed, { file, text: file.text, from: 0 })
}

/** The same of a part of a file, a line. A mapping makes its entries when they are asked for: there may be a hundred thousand lines. */
export function readJsonLine(file: SourceFile, from: number, to: number): Checked<TextNode> | undefined {
  const text = file.text.slice(from, to)
  const parsed = parse(text)
  if (parsed === undefined) return undefined
  const read = checked(parsed, { file, text, from })
  return read?.value?.kind === 'map' ? { ...read, value: new JsonLine(file, from, to, parsed) } : read
}

function checked(parsed: Json, part: Part): Checked<TextNode> | undefined {
  const problems: Diagnostic[] = []
  const report = (problem: Diagnostic) => void problems.push(problem)
  const reading = readingOf(part, report)
  const root = nodeOf(parsed, reading, 1)
  if (!reading.isAsWritten || reading.keys !== keysWritten(part.text)) return undefined
  return { value: hasErrors(problems) ? undefined : root, problems: sortProblems(problems) }
}

function parse(text: string): Json | undefined {
  if (!/^[ \t\r\n]*[{[]/.test(text)) return undefined
  try {
    return JSON.parse(text) as Json // what JSON.parse gives
  } catch {
    return undefined
  }
}

interface Reading {
  readonly part: Part
  readonly report: (problem: Diagnostic) => void
  readonly numbers: Iterator<string, undefined>
  nodes: number
  keys: number
  /** Whether the tree is what was written, and its places can be found. */
  isAsWritten: boolean
}

function readingOf(part: Part, report: Reading['report']): Reading {
  return { part, report, numbers: numbersWritten(part.text), nodes: 0, keys: 0, isAsWritten: true }
}

/** A text inside a file, all of it or a line. */
interface Part {
  readonly file: SourceFile
  readonly text: string
  readonly from: number
  /** Start and end of each node in the order of the text, once they were asked for. */
  places?: readonly number[] | undefined
}

/** More nodes may be more lexemes than are read for their places. */
const mostNodes = textLimits.lexemes / 6

function nodeOf(value: Json, reading: Reading, depth: number): TextNode {
  const { part } = reading
  const nth = reading.nodes++
  if (typeof value !== 'object' || value === null) return scalarOf(value, reading, nth)
  if (depth > textLimits.depth || nth > mostNodes) {
    reading.isAsWritten = false
    return new JsonScalar(part, nth, null)
  }
  if (Array.isArray(value)) {
    return new JsonList(
      part,
      nth,
      value.map(item => nodeOf(item, reading, depth + 1)),
    )
  }
  const written: TextEntry[] = []
  for (const [name, inner] of Object.entries(value as { readonly [name: string]: Json })) {
    if (name === '' || isIndex.test(name)) reading.isAsWritten = false
    const key = new JsonScalar(part, reading.nodes++, name)
    written.push({ key, value: nodeOf(inner, reading, depth + 1) })
  }
  reading.keys += written.length
  return new JsonMap(part, nth, collectEntries(written, reading.report))
}

const isIndex = /^(?:0|[1-9]\d{0,9})$/

function scalarOf(
  value: null | boolean | number | string,
  { part, report, numbers }: Reading,
  nth: number,
): TextScalar {
  if (typeof value === 'number') {
    const scalar = new JsonNumber(part, nth, value, numbers.next().value)
    const fault = badNumber(scalar, value)
    if (fault) report(fault)
    return scalar
  }
  if (typeof value !== 'string') return new JsonScalar(part, nth, value)
  const scalar = new JsonScalar(part, nth, value)
  for (const problem of suspiciousText(scalar)) report(problem)
  return scalar
}

/** The numbers of a JSON text as they are written, in its order. */
function* numbersWritten(text: string): Generator<string, undefined> {
  const next = /"|-?\d[\d.eE+-]*/g
  for (let found = next.exec(text); found; found = next.exec(text)) {
    if (found[0] === '"') next.lastIndex = behindText(text, found.index)
    else yield found[0]
  }
  return undefined
}

/** How many keys stand in a JSON text: texts with a `:` behind them. */
function keysWritten(text: string): number {
  let keys = 0
  for (let at = text.indexOf('"'); at >= 0; at = text.indexOf('"', at)) {
    at = behindText(text, at)
    while (text.charCodeAt(at) <= space) at++
    if (text.charCodeAt(at) === colon) keys++
  }
  return keys
}

function behindText(text: string, start: number): number {
  let end = text.indexOf('"', start + 1)
  for (; end >= 0; end = text.indexOf('"', end + 1)) {
    let slashes = 0
    while (text.charCodeAt(end - 1 - slashes) === backslash) slashes++
    if (slashes % 2 === 0) return end + 1
  }
  return text.length
}

const space = 32
const colon = 58
const backslash = 92

/** A node by its number in the order of the text. Its place stands in the class, so a spread would lose it. */
abstract class JsonNode {
  readonly #part: Part
  readonly #nth: number

  constructor(part: Part, nth: number) {
    this.#part = part
    this.#nth = nth
  }

  get file(): SourceFile {
    return this.#part.file
  }

  get start(): number {
    return placeIn(this.#part, 2 * this.#nth)
  }

  get end(): number {
    return placeIn(this.#part, 2 * this.#nth + 1)
  }
}

function placeIn(part: Part, nth: number): number {
  part.places ??= placesIn({ name: part.file.name, text: part.text })
  return part.from + (part.places[nth] ?? 0)
}

class JsonMap extends JsonNode implements TextMap {
  readonly kind = 'map'
  readonly entries: readonly TextEntry[]

  constructor(part: Part, nth: number, entries: readonly TextEntry[]) {
    super(part, nth)
    this.entries = entries
  }
}

class JsonList extends JsonNode implements TextList {
  readonly kind = 'list'
  readonly items: readonly TextNode[]

  constructor(part: Part, nth: number, items: readonly TextNode[]) {
    super(part, nth)
    this.items = items
  }
}

/** What follows from its value takes no room: there are hundreds of thousands. */
class JsonScalar extends JsonNode implements TextScalar {
  readonly value: TextScalar['value']

  constructor(part: Part, nth: number, value: null | boolean | string) {
    super(part, nth)
    this.value = value
  }

  get kind(): 'scalar' {
    return 'scalar'
  }

  get source(): string {
    return String(this.value)
  }

  get style(): ScalarStyle {
    return typeof this.value === 'string' ? 'double' : 'plain'
  }
}

/** Its source has the digits that were written: `1.10`. */
class JsonNumber extends JsonNode implements TextScalar {
  readonly value: number
  /** Where it is not as the number is usually written. */
  readonly #written: string | undefined

  constructor(part: Part, nth: number, value: number, written: string | undefined) {
    super(part, nth)
    this.value = value
    this.#written = written === String(value) ? undefined : written
  }

  get kind(): 'scalar' {
    return 'scalar'
  }

  get style(): 'plain' {
    return 'plain'
  }

  get source(): string {
    return this.#written ?? String(this.value)
  }
}

/** A mapping on a line of its own. Its entries are made when they are asked for. */
class JsonLine implements TextMap, Part {
  readonly file: SourceFile
  readonly from: number
  readonly #to: number
  readonly #value: Json
  places: Part['places']

  constructor(file: SourceFile, from: number, to: number, value: Json) {
    this.file = file
    this.from = from
    this.#to = to
    this.#value = value
  }

  get kind(): 'map' {
    return 'map'
  }

  get text(): string {
    return this.file.text.slice(this.from, this.#to)
  }

  get start(): number {
    return placeIn(this, 0)
  }

  get end(): number {
    return placeIn(this, 1)
  }

  get entries(): readonly TextEntry[] {
    const last = lastLines.get(this.file)
    if (last?.line === this) return last.entries
    const reading = readingOf(this, () => undefined)
    const { entries } = nodeOf(this.#value, reading, 1) as TextMap // what it was when it was checked
    lastLines.set(this.file, { line: this, entries })
    return entries
  }
}

/** Of each file the line that was asked last: whoever reads one of its entries reads others. */
const lastLines = new WeakMap<
  SourceFile,
  { readonly line: JsonLine; readonly entries: readonly TextEntry[] }
>()
