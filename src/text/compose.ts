import { Composer, CST, type Document, isMap, isScalar, isSeq, Lexer, type Node, Parser } from 'yaml'
import type { Diagnostic } from '../base/diagnostic.ts'
import { type SourceFile, spanOf } from '../base/source.ts'
import type { SyntaxFault } from './syntax.ts'
import * as refusal from './yaml-errors.ts'

/** What the package makes of a text. */
interface Composed {
  readonly documents: readonly Document.Parsed[]
  readonly faults: readonly Fault[]
  readonly refused?: Diagnostic
}

interface Fault extends SyntaxFault {
  readonly isWarning: boolean
}

const stopped = new Error('the text is broken')

/** Reads a text up to its first error, or up to where it is more than can be read. */
export function compose(file: SourceFile): Composed {
  const documents: Document.Parsed[] = []
  const faults: Fault[] = []
  const parser = new Parser()
  const composer = watchedComposer(faults)
  let lexemes = 0
  const take = (tokens: Iterable<CST.Token>) => {
    for (const token of tokens) {
      if (token.type === 'error') faults.push(tokenFault(token))
      else documents.push(...composer.next(token))
    }
  }
  const here = () => spanOf(file, parser.offset, parser.offset + 1)
  try {
    for (const lexeme of new Lexer().lex(file.text)) {
      // Deep texts must not reach the composer, which is recursive. The stack holds a document and a scalar as well.
      if (parser.stack.length > refusal.textLimits.depth + 2)
        return { documents, faults, refused: refusal.tooDeep(here()) }
      if (++lexemes > refusal.textLimits.lexemes)
        return { documents, faults, refused: refusal.tooMuch(here()) }
      take(parser.next(lexeme))
      if (faults.at(-1)?.isWarning === false) break
    }
    take(parser.end())
    documents.push(...composer.end())
  } catch (cause) {
    if (cause !== stopped) throw cause
  }
  return { documents, faults }
}

/** Start and end of each key and value in the order of the text. */
export function placesIn(file: SourceFile): readonly number[] {
  const places: number[] = []
  const add = (node: unknown) => {
    const [start, end] = (node as Node).range ?? [0, 0] // what a parsed collection holds
    places.push(start, end)
    if (isSeq(node)) node.items.forEach(add)
    else if (isMap(node)) {
      for (const { key, value } of node.items) {
        add(key)
        add(value)
      }
    }
  }
  const [document] = compose(file).documents
  if (document?.contents) add(document.contents)
  return places
}

/**
 * The text with another value in the scalar that begins there, in the same style where that can hold it: comments, order and layout of
 * everything else stay as they are. Undefined where no scalar of its own begins there, as at an alias.
 */
export function withScalar(text: string, start: number, value: string): string | undefined {
  const tokens = [...new Parser().parse(text)]
  let isSet = false
  for (const token of tokens) {
    if (token.type !== 'document') continue
    CST.visit(token, (item, path) => {
      if (!CST.isScalar(item.value) || item.value.offset !== start) return undefined
      if (item.value.type === 'alias') return CST.visit.BREAK
      setValue(item.value, value, isInFlow(token, path))
      isSet = true
      return CST.visit.BREAK
    })
  }
  return isSet ? withLineEndsOf(text, tokens.map(token => CST.stringify(token)).join('')) : undefined
}

/** The package writes lines with LF: where the first line of the text before ends with CRLF, whatever is new in it gets that. */
function withLineEndsOf(before: string, after: string): string {
  if (!/^[^\n]*\r\n/.test(before)) return after
  const shorter = Math.min(before.length, after.length)
  let start = 0
  while (start < shorter && before[start] === after[start]) start++
  let same = 0
  while (same < shorter - start && before.at(-1 - same) === after.at(-1 - same)) same++
  // What is the same may begin in the middle of a line end.
  const end = after.length - same + (after[after.length - same] === '\n' ? 1 : 0)
  return `${after.slice(0, start)}${after.slice(start, end).replace(/\r?\n/g, '\r\n')}${after.slice(end)}`
}

function setValue(token: CST.FlowScalar | CST.BlockScalar, value: string, inFlow: boolean): void {
  const isBlock = token.type === 'block-scalar'
  // Lines of a text stand deeper than its key: the package asks for their indent, and has that of the key.
  const written = isBlock ? /^( +)\S/m.exec(token.source)?.[1]?.length : undefined
  token.indent = written ?? Math.max(0, token.indent) + 2
  const isLong = value.includes('\n') && !isBlock
  const isPlain = token.type === 'scalar' && !isLong
  const type = isLong && !inFlow ? 'BLOCK_LITERAL' : 'QUOTE_DOUBLE'
  const isOther = isLong || (isPlain && !isTextByItself(value))
  CST.setScalarValue(token, value, { inFlow, ...(isOther && { type }) })
  // In one line, so that JSON stays JSON.
  const set: CST.Token = token
  if (set.type === 'double-quoted-scalar') set.source = JSON.stringify(value)
}

/** Whether it is read as this very text where it stands without quotes, and not as a number, or as true, or as nothing. */
function isTextByItself(value: string): boolean {
  const { contents } = compose({ name: '', text: value }).documents[0] ?? {}
  return isScalar(contents) && contents.value === value
}

function isInFlow(document: CST.Document, path: CST.VisitPath): boolean {
  return path.some((_, at) => {
    const above = CST.visit.parentCollection(document, path.slice(0, at + 1))
    return above.type === 'flow-collection'
  })
}

/** A composer that stops at the first error: by itself it makes an Error of each, and a broken text has millions. */
function watchedComposer(faults: Fault[]): Composer {
  // The package checks unique keys pair by pair, which is quadratic; `collectEntries` uses a set.
  const composer = new Composer({
    version: '1.2',
    uniqueKeys: false,
    resolveKnownTags: false,
    prettyErrors: false,
  })
  const onError = (place: FaultPlace, code: string, message: string, isWarning = false) => {
    // Thrown inside a collection, the stop comes back as an error about the whole of it.
    if (faults.at(-1)?.isWarning === false) throw stopped
    faults.push({ code, message, pos: faultPos(place), isWarning })
    if (!isWarning || faults.length >= mostWarnings) throw stopped
  }
  return Object.assign(composer, { onError })
}

const mostWarnings = 100

/** As the package gives it to `onError`. */
type FaultPlace = number | readonly number[] | { readonly offset: number; readonly source?: unknown }

function faultPos(place: FaultPlace): [number, number] {
  if (typeof place === 'number') return [place, place + 1]
  if ('offset' in place) {
    return [place.offset, place.offset + (typeof place.source === 'string' ? place.source.length : 1)]
  }
  const [start = 0, end = start + 1] = place
  return [start, end]
}

function tokenFault(token: CST.ErrorToken): Fault {
  const pos: [number, number] = [token.offset, token.offset + token.source.length]
  return { code: 'UNEXPECTED_TOKEN', message: token.message, pos, isWarning: false }
}
