import { Composer, type CST, type Document, isMap, isSeq, Lexer, type Node, Parser } from 'yaml'
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
