import { type Diagnostic, error } from '../../base/diagnostic.ts'
import { listed, nearest } from '../../base/nearest.ts'
import type { ModelSet } from '../../catalog/model-set.ts'
import type { Expression, Range } from '../../text/expression.ts'
import { spanInside } from '../../text/place.ts'
import { hasExpressions, parseTemplate, wholeExpression } from '../../text/template.ts'
import type { TextNode, TextScalar } from '../../text/tree.ts'
import type { Form, ProfileReport } from './form.ts'
import type { Template } from './template.ts'

/** What a body is made of. */
const bodyNames = ['params', 'model', 'mode']

const fileNames = ['name', 'type', 'bytes']

/** Any value in which `${{ params.x }}` stands for what the job gives. */
export const template: Form<Template> = templateOf(bodyNames)

/** Any value in which these names may stand between `${{` and `}}`. */
export function templateOf(names: readonly string[]): Form<Template> {
  return { schema: {}, read: ({ value }, report) => readTemplate(value, report, names) }
}

/** A text in which `${{ model }}` and `${{ params.x }}` may stand. */
export const textTemplate: Form<Template> = textTemplateOf(bodyNames)

/** A text in which these names may stand between `${{` and `}}`. */
export function textTemplateOf(names: readonly string[]): Form<Template> {
  return {
    schema: { type: 'string' },
    read(entry, report) {
      if (entry.value.kind === 'scalar' && typeof entry.value.value === 'string')
        return readText(entry.value, report, names)
      report(error('bad-profile', entry.value, `\`${entry.key.source}\` is text`))
      return undefined
    },
  }
}

function readTemplate(node: TextNode, report: ProfileReport, names: readonly string[]): Template {
  switch (node.kind) {
    case 'list':
      return { is: 'list', items: node.items.map(item => readTemplate(item, report, names)) }
    case 'map':
      return {
        is: 'map',
        entries: node.entries.map(({ key, value }) => [key.source, readTemplate(value, report, names)]),
      }
    case 'scalar':
      return readText(node, report, names)
  }
}

function readText(scalar: TextScalar, report: ProfileReport, names: readonly string[]): Template {
  const { value } = scalar
  if (typeof value !== 'string' || !hasExpressions(value)) return { is: 'value', value }
  const parsed = parseTemplate(value)
  const at = (range: Range) => spanInside(scalar, range.start, range.end)
  for (const problem of parsed.problems)
    report(error('bad-expression', at(problem), problem.message, problem.hint))
  const say: Say = (...said) => report(problemAt(at, ...said))
  const known = (expression: Expression) => checkNames(expression, { names, modelSet: report.modelSet, say })
  const whole = wholeExpression(parsed)
  for (const part of parsed.parts) if (part.is === 'expression') known(part.expression)
  if (whole) return { is: 'expression', of: whole.expression }
  return {
    is: 'text',
    parts: parsed.parts.map(part => (part.is === 'text' ? part.text : part.expression)),
  }
}

type Say = (range: Range, message: string, hint?: string) => void

function problemAt(
  at: (range: Range) => ReturnType<typeof spanInside>,
  ...said: Parameters<Say>
): Diagnostic {
  const [range, message, hint] = said
  return error('unknown-name', at(range), message, hint)
}

interface Known {
  readonly names: readonly string[]
  readonly modelSet: ModelSet
  readonly say: Say
}

function checkNames(expression: Expression, known: Known): void {
  const { names, say } = known
  switch (expression.is) {
    case 'literal':
      return
    case 'name': {
      if (names.includes(expression.name)) return
      const near = nearest(expression.name, names)
      return say(
        expression,
        `\`${expression.name}\` is not known in a profile`,
        near ? `did you mean ${near}` : `${listed(names.map(shownName)) || 'nothing'} can be read here`,
      )
    }
    case 'path':
      return checkPath(expression, known)
    case 'call':
      return say(expression.at, `a profile has no function ${expression.name}`)
    case 'not':
      return checkNames(expression.of, known)
    case 'compare':
      checkNames(expression.left, known)
      return checkNames(expression.right, known)
    case 'and':
    case 'or':
      for (const each of expression.of) checkNames(each, known)
  }
}

function shownName(name: string): string {
  if (name === 'file') return 'file.name, file.type and file.bytes'
  return name === 'params' ? 'params.<name>' : name
}

function checkPath({ head, steps }: Expression & { is: 'path' }, known: Known): void {
  const { modelSet, say } = known
  checkNames(head, known)
  const [first] = steps
  if (head.is === 'name' && head.name === 'file' && first?.by === 'name' && !fileNames.includes(first.name))
    say(first, `a file has no ${first.name}`, `it has ${listed(fileNames)}`)
  if (head.is !== 'name' || head.name !== 'params' || !first) return
  for (const step of steps) {
    const isPlain = step.by === 'name' || (step.by === 'index' && step.index.is === 'literal')
    if (!isPlain) say(step, 'a place in a parameter is a name or a number')
  }
  const isUnknown = first.by === 'name' && !modelSet.paramNames.has(first.name)
  if (isUnknown) say(first, ...unknownParam(first.name, modelSet))
}

/** What to say about a parameter that no model has: message and hint. */
export function unknownParam(name: string, { paramNames }: ModelSet): [string, string] {
  const near = nearest(name, paramNames)
  const some = listed([...paramNames].slice(0, 4))
  return [
    `no model has a parameter ${name}`,
    near ? `did you mean ${near}` : `names are the catalog's, like ${some}`,
  ]
}
