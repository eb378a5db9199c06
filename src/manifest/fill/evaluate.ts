import { type Diagnostic, error } from '../../base/diagnostic.ts'
import { nearest } from '../../base/nearest.ts'
import type { Span } from '../../base/source.ts'
import type { Expression, PathPart } from '../../text/expression.ts'
import { callFunction, noNumberYet } from './functions.ts'
import { jobReference } from './job-path.ts'
import { readCellItem, readCellJob, readCellMatrix, readVariable } from './lookup.ts'
import { literalOf, type Names, type PathStep, type Yield } from './names.ts'
import { compareValues, isTruthy } from './operators.ts'
import { isTokenName, type TokenName, tokenOf } from './tokens.ts'

type Path = Extract<Expression, { is: 'path' }>
type Of<Is extends Expression['is']> = Extract<Expression, { is: Is }>

/** Works out an expression: names, places, literals, comparisons and pure functions. There is nothing in it that runs. */
export function evaluate(expression: Expression, names: Names): Yield | undefined {
  switch (expression.is) {
    case 'literal':
      return literal(expression, names)
    case 'name':
      return nameAlone(expression, names)
    case 'path':
      return path(expression, names)
    case 'call':
      return call(expression, names)
    case 'not':
      return not(expression, names)
    case 'compare':
      return compare(expression, names)
    case 'and':
    case 'or':
      return combine(expression, names)
  }
}

function literal(expression: Of<'literal'>, names: Names): Yield | undefined {
  const { value } = expression
  if (typeof value !== 'number' || Number.isFinite(value)) return literalOf(value)
  names.report(error('bad-number', names.span(expression), `${value} is not a finite number`))
  return undefined
}

function call(expression: Of<'call'>, names: Names): Yield | undefined {
  const args = expression.args.map(arg => {
    const value = evaluate(arg, names)
    return value && { value, at: names.span(arg) }
  })
  return callFunction(expression.name, names.span(expression.at), args, names)
}

function not({ of }: Of<'not'>, names: Names): Yield | undefined {
  const value = evaluate(of, names)
  return value && value.kind !== 'unfilled' ? literalOf(!isTruthy(value)) : undefined
}

function compare(expression: Of<'compare'>, names: Names): Yield | undefined {
  const left = evaluate(expression.left, names)
  const right = evaluate(expression.right, names)
  if (!left || !right || left.kind === 'unfilled' || right.kind === 'unfilled') return undefined
  if (isToken(left) || isToken(right)) {
    names.report(
      error('bad-expression', names.span(expression), noNumberYet, 'write it into the path as it is'),
    )
    return undefined
  }
  const result = compareValues(expression.operator, left, right)
  if (typeof result === 'boolean') return literalOf(result)
  const hint = 'name one value behind a dot or in brackets; a number stands without quotes'
  names.report(error('bad-expression', names.span(expression), result, hint))
  return undefined
}

function isToken(value: Yield): boolean {
  return value.kind === 'literal' && value.isToken === true
}

/** The first that decides, with its type. Names behind it are looked at too: a slip is told wherever it stands. */
function combine({ is, of }: Of<'and' | 'or'>, names: Names): Yield | undefined {
  let decided: Yield | undefined
  let isOpen = false
  for (const [index, operand] of of.entries()) {
    const value = evaluate(operand, decided ? onlyNames(names) : names)
    if (decided) continue
    if (!value || value.kind === 'unfilled') isOpen = true
    else if (index === of.length - 1 || isTruthy(value) === (is === 'or')) decided = value
  }
  return isOpen ? undefined : decided
}

function onlyNames(names: Names): Names {
  const isName = ({ code }: Diagnostic) => code === 'unknown-name' || code === 'unknown-job'
  return {
    ...names,
    report: problem => {
      if (isName(problem)) names.report(problem)
    },
  }
}

function nameAlone(expression: Of<'name'>, names: Names): Yield | undefined {
  const at = names.span(expression)
  switch (expression.name) {
    case 'item':
      return readCellItem([], at, names)
    case 'vars':
      names.report(error('unknown-name', at, '`vars` alone is no value', 'write vars.<name>'))
      return undefined
    case 'matrix':
      names.report(error('unknown-name', at, '`matrix` alone is no value', 'write matrix.<axis>'))
      return undefined
    case 'job':
      names.report(error('unknown-name', at, '`job` alone is no value', 'write job.id or job.key'))
      return undefined
    case 'jobs':
      names.report(error('unknown-name', at, '`jobs` alone is no value', 'write jobs.<id>.output'))
      return undefined
    default:
      if (isTokenName(expression.name)) return token(expression.name, at, names)
      names.report(unknownName(expression.name, at, names))
      return undefined
  }
}

/** The number of the file or of the take. */
function token(name: TokenName, at: Span, names: Names): Yield | undefined {
  if (names.takesTokens) return tokenOf(name)
  const what = name === 'n' ? 'the number of a file' : 'the number of a take'
  const hint =
    name === 'n' ? 'several files of one job are numbered by themselves' : 'takes have addresses: hero#2'
  names.report(error('unknown-name', at, `\`${name}\`, ${what}, is known in \`output\` only`, hint))
  return undefined
}

function unknownName(name: string, at: Span, names: Names): Diagnostic {
  const message = `\`${name}\` is not known in an expression`
  const variable = names.variableLike(name)
  if (variable) return error('unknown-name', at, message, `did you mean vars.${variable}`)
  const cell = names.cell()
  const axis = typeof cell === 'object' ? nearest(name, cell.known([])) : undefined
  if (axis) return error('unknown-name', at, message, `did you mean matrix.${axis}`)
  const near = nearest(name, ['vars', 'jobs', 'matrix', 'item', 'job'])
  if (near) return error('unknown-name', at, message, `did you mean ${near}`)
  const isOutside = ['env', 'secrets', 'github', 'inputs', 'process'].includes(name.toLowerCase())
  const hint = isOutside
    ? 'a manifest reads no environment and no secrets; write the value under `vars`'
    : 'an expression reads vars.<name>, matrix.<axis>, item and jobs.<id>.output; text stands in single quotes'
  return error('unknown-name', at, message, hint)
}

function path(expression: Path, names: Names): Yield | undefined {
  const { head } = expression
  const at = names.span(expression)
  if (head.is !== 'name') {
    const inner = evaluate(head, names)
    if (inner) names.report(error('unknown-name', at, 'nothing can be taken out of this value'))
    return undefined
  }
  const steps = placesOf(expression.steps, names)
  if (!steps) return undefined
  switch (head.name) {
    case 'vars':
      return readVariable(steps, names)
    case 'matrix':
      return readCellMatrix(steps, at, names)
    case 'item':
      return readCellItem(steps, at, names)
    case 'job':
      return readCellJob(steps, names)
    case 'jobs':
      return jobReference(steps, at, names)
    default:
      names.report(unknownName(head.name, names.span(head), names))
      return undefined
  }
}

/** Brackets may hold an expression: `vars.names[matrix.language]`. */
function placesOf(steps: readonly PathPart[], names: Names): PathStep[] | undefined {
  const places = steps.map(step => placeOf(step, names))
  return places.every(place => place !== undefined) ? places : undefined
}

function placeOf(step: PathPart, names: Names): PathStep | undefined {
  const at = names.span(step)
  if (step.by === 'name') return { by: 'name', name: step.name, isBracketed: step.isBracketed === true, at }
  if (step.by === 'all') return { by: 'all', at }
  const value = evaluate(step.index, names)
  if (!value || value.kind === 'unfilled') return undefined
  if (value.kind === 'literal' || value.kind === 'scalar') {
    if (typeof value.value === 'number') return { by: 'index', index: value.value, at }
    if (typeof value.value === 'string') return { by: 'name', name: value.value, isBracketed: true, at }
  }
  names.report(error('bad-index', at, 'brackets take a name or a number'))
  return undefined
}
