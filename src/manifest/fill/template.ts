import { error } from '../../base/diagnostic.ts'
import { spanOf } from '../../base/source.ts'
import type { OwnLooks } from '../../looks/names.ts'
import type { Expression } from '../../text/expression.ts'
import { spanInside, spanLater } from '../../text/place.ts'
import {
  hasExpressions,
  parseTemplate,
  type TemplatePart,
  type TextTemplate,
  wholeExpression,
} from '../../text/template.ts'
import type { TextEntry, TextNode, TextScalar } from '../../text/tree.ts'
import type { Filled, FilledEntry } from '../shapes/filled.ts'
import type { ReportProblem } from '../shapes/report-problem.ts'
import { evaluate } from './evaluate.ts'
import { type CellNames, longestText, type Names, type Yield } from './names.ts'
import { PlacedLiteral, PlacedText, PlacedValue } from './placed.ts'
import { rawTemplate } from './raw-template.ts'
import { readSource, type Sources } from './sources.ts'
import { type CellVars, lookUp, type Vars, variableLike } from './vars.ts'

/** What templates are filled from. */
export interface FillScope {
  readonly vars: Vars
  readonly sources: Sources
  /** Ids of all jobs. */
  readonly jobs: ReadonlySet<string>
  /** The cell that is filled; `later` where values may depend on cells that are not known yet. */
  readonly cell?: CellScope | 'later'
  /** Where the cells of another job may stand. */
  readonly takesMatrix?: boolean
  /** Where `n` and `take` may stand. */
  readonly takesTokens?: boolean
  readonly report: ReportProblem
  /** Which looks of a person's own `gate` may name. */
  readonly gates?: OwnLooks
}

interface CellScope extends CellVars {
  readonly names: CellNames
}

/** As `longestText`, of all texts that templates make. */
const longestTogether = 400_000_000

/**
 * Fills in the templates of a value. A text that is one whole expression takes on the value with its type; otherwise
 * values stand in the text as they were written. What comes out is never read as a template again.
 */
export function fillNode(node: TextNode, scope: FillScope): Filled {
  switch (node.kind) {
    case 'scalar':
      return isTemplate(node) ? fillText(node, node.value, scope) : node
    case 'list': {
      const items = node.items.map(item => fillNode(item, scope))
      if (items.every((item, index) => item === node.items[index])) return node
      return { kind: 'list', file: node.file, start: node.start, end: node.end, items }
    }
    case 'map': {
      const entries = node.entries.map(entry => fillEntry(entry, scope))
      if (entries.every((entry, index) => entry === node.entries[index])) return node
      return { kind: 'map', file: node.file, start: node.start, end: node.end, entries }
    }
  }
}

/** A text with something to fill in. */
export function isTemplate(node: TextNode): node is TextScalar & { readonly value: string } {
  return node.kind === 'scalar' && typeof node.value === 'string' && hasExpressions(node.value)
}

/** The same entry when there is nothing to fill. */
export function fillEntry(entry: TextEntry, scope: FillScope): FilledEntry {
  const value = fillNode(entry.value, scope)
  return value === entry.value ? entry : { key: entry.key, value }
}

function fillText(node: TextScalar, text: string, scope: FillScope): Filled {
  const template = templateOf(node, text)
  for (const { start, end, message, hint } of template.problems) {
    scope.report(error('bad-expression', spanInside(node, start, end), message, hint))
  }
  if (template.problems.length > 0) {
    // What it would have read is not unused.
    for (const name of scope.vars.entries.keys()) if (text.includes(`vars.${name}`)) scope.vars.used.add(name)
    return unfilled(node)
  }
  const whole = wholeExpression(template)
  return whole ? fillWhole(node, whole, scope) : fillParts(node, template, scope)
}

const parsed = new WeakMap<TextScalar, TextTemplate>()

/** Every cell of a job fills the same text. */
function templateOf(node: TextScalar, text: string): TextTemplate {
  const known = parsed.get(node)
  if (known) return known
  const template = parseTemplate(text)
  parsed.set(node, template)
  return template
}

function unfilled(node: TextScalar): Filled {
  return { kind: 'unfilled', file: node.file, start: node.start, end: node.end }
}

function fillWhole(node: TextScalar, part: TemplatePart & { is: 'expression' }, scope: FillScope): Filled {
  const value = evaluate(part.expression, namesOf(node, scope))
  if (!value) return unfilled(node)
  if (value.kind === 'reference' && value.files.which === 'matrix' && !scope.takesMatrix) {
    const hint = 'it stands alone behind `matrix:`'
    scope.report(error('wrong-type', value, `the cells of ${value.job} are no value`, hint))
    return unfilled(node)
  }
  return placedAt(node, value, readsCell(part.expression))
}

/** A value where it is used. Its own place is kept as the origin; references are told where they are written. */
function placedAt(node: TextScalar, value: Yield, isOfCell: boolean): Filled {
  switch (value.kind) {
    case 'literal':
      return new PlacedLiteral(node, value)
    case 'scalar':
      return new PlacedValue(node, value, isOfCell)
    case 'reference':
      return value.files.which === 'cell'
        ? { ...value, file: node.file, start: node.start, end: node.end }
        : value
    case 'list':
    case 'map':
    case 'unfilled':
      return value
  }
}

/** A value taken from the cell as it is. */
function readsCell(expression: Expression): boolean {
  const head = expression.is === 'path' ? expression.head : expression
  return head.is === 'name' && (head.name === 'matrix' || head.name === 'item')
}

function fillParts(node: TextScalar, template: TextTemplate, scope: FillScope): Filled {
  const names = namesOf(node, scope)
  const texts = template.parts.map(part => (part.is === 'text' ? part.text : textOf(part, names)))
  if (texts.some(text => text === undefined)) return unfilled(node)
  const length = texts.reduce((sum, text) => sum + (text?.length ?? 0), 0)
  scope.vars.made += length
  if (length > longestText || scope.vars.made > longestTogether) {
    const what =
      length > longestText
        ? 'this text has more than a million characters'
        : 'the texts are too long together'
    scope.report(error('too-long', node, `filled in, ${what}`))
    return unfilled(node)
  }
  return new PlacedText(node, texts.join(''))
}

/** A value inside a text, as it was written: `1.10` stays `1.10`. */
function textOf(part: TemplatePart & { is: 'expression' }, names: Names): string | undefined {
  const value = evaluate(part.expression, names)
  switch (value?.kind) {
    case undefined:
    case 'unfilled':
      return undefined
    case 'literal':
      return String(value.value ?? '')
    case 'scalar':
      return value.value === null ? '' : typeof value.value === 'string' ? value.value : value.source
    case 'reference': {
      const hint = 'give it to a parameter that takes a file, as its whole value'
      names.report(
        error(
          'file-in-text',
          names.span(part.expression),
          'a file of a job cannot stand inside a text',
          hint,
        ),
      )
      return undefined
    }
    case 'list':
    case 'map': {
      const what = value.kind === 'list' ? 'a list' : 'a mapping'
      const hint =
        value.kind === 'list' ? 'put its values together with `join`' : 'name one of its values, behind a dot'
      names.report(
        error('wrong-type', names.span(part.expression), `${what} cannot stand inside a text`, hint),
      )
      return undefined
    }
  }
}

function namesOf(node: TextScalar, scope: FillScope): Names {
  const { vars, cell, report } = scope
  return {
    span: ({ start, end }) => spanLater(node, start, end),
    // A variable is kept for all its readers, which may not be outputs.
    variable: (name, at) => {
      const fillVar = (value: TextNode) => fillNode(value, { ...scope, takesTokens: false })
      return lookUp(
        { vars, cell: typeof cell === 'object' ? cell : undefined, fill: fillVar, report },
        name,
        at,
      )
    },
    variableLike: name => variableLike(vars, name),
    cell: () => {
      vars.readsCell = true
      return typeof cell === 'object' ? cell.names : cell
    },
    jobs: scope.jobs,
    takesTokens: scope.takesTokens === true,
    textOf: (path, at) => {
      const read = readSource(scope.sources, path, at)
      if ('code' in read) {
        report(read)
        return undefined
      }
      if (hasExpressions(read.text)) report(rawTemplate(spanOf(read, 0, read.text.length), at))
      return read.text.replace(/^\ufeff/, '')
    },
    report,
  }
}
