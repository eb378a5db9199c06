import { type Diagnostic, error } from '../base/diagnostic.ts'
import { listed, nearest } from '../base/nearest.ts'
import type { Span } from '../base/source.ts'
import type { Expression, Range, Step } from '../text/expression.ts'
import type { Filled, Reference } from './filled.ts'

/** What expressions may read. `span` turns a place inside the expression into one of the manifest. */
export interface Names {
  readonly span: (range: Range) => Span
  readonly variable: (name: string, at: Span) => Filled | undefined
  /** The variable that a name was probably meant to be. */
  readonly variableLike: (name: string) => string | undefined
  readonly tell: (problem: Diagnostic) => void
}

/** What an expression yields. Nothing when it could not be filled, which is told. */
export type Yield = Filled | { readonly kind: 'literal'; readonly value: null | boolean | number | string }

type Path = Extract<Expression, { is: 'path' }>

/** Works out an expression. There is no arithmetic, no call and nothing that runs: names, places and literals. */
export function evaluate(expression: Expression, names: Names): Yield | undefined {
  switch (expression.is) {
    case 'literal':
      return literal(expression, names)
    case 'name':
      return nameAlone(expression, names)
    case 'path':
      return path(expression, names)
    case 'call':
      return unknownFunction(expression, names)
    case 'not':
    case 'compare':
    case 'and':
    case 'or':
      names.tell(
        error('not-yet', names.span(expression), 'this version does not compare or combine values yet'),
      )
      return undefined
  }
}

function literal(expression: Extract<Expression, { is: 'literal' }>, names: Names): Yield | undefined {
  const { value } = expression
  if (typeof value !== 'number' || Number.isFinite(value)) return { kind: 'literal', value }
  names.tell(error('bad-number', names.span(expression), `${value} is not a finite number`))
  return undefined
}

function unknownFunction(expression: Extract<Expression, { is: 'call' }>, names: Names): undefined {
  const { name, at } = expression
  const planned = ['file', 'slug', 'pad', 'upper', 'lower', 'join', 'format']
  const near = nearest(name, planned)
  if (near === name)
    names.tell(error('not-yet', names.span(at), `this version does not have the function ${name} yet`))
  else
    names.tell(
      error('unknown-name', names.span(at), `there is no function ${name}`, near && `did you mean ${near}`),
    )
  return undefined
}

function nameAlone(expression: Extract<Expression, { is: 'name' }>, names: Names): undefined {
  const at = names.span(expression)
  switch (expression.name) {
    case 'vars':
      names.tell(error('unknown-name', at, '`vars` alone is no value', 'write vars.<name>'))
      return undefined
    case 'jobs':
      names.tell(error('unknown-name', at, '`jobs` alone is no value', 'write jobs.<id>.output'))
      return undefined
    default:
      names.tell(unknownName(expression.name, at, names))
      return undefined
  }
}

function unknownName(name: string, at: Span, names: Names): Diagnostic {
  const message = `\`${name}\` is not known in an expression`
  const variable = names.variableLike(name)
  if (variable) return error('unknown-name', at, message, `did you mean vars.${variable}`)
  const near = nearest(name, ['vars', 'jobs'])
  if (near) return error('unknown-name', at, message, `did you mean ${near}`)
  const isOutside = ['env', 'secrets', 'github', 'inputs', 'process'].includes(name.toLowerCase())
  const hint = isOutside
    ? 'a manifest reads no environment and no secrets; write the value under `vars`'
    : 'an expression reads vars.<name> and jobs.<id>.output'
  return error('unknown-name', at, message, hint)
}

function path(expression: Path, names: Names): Yield | undefined {
  const { head } = expression
  if (head.is !== 'name') {
    const inner = evaluate(head, names)
    if (inner)
      names.tell(error('unknown-name', names.span(expression), 'nothing can be taken out of this value'))
    return undefined
  }
  switch (head.name) {
    case 'vars':
      return variable(expression, names)
    case 'jobs':
      return reference(expression, names)
    default:
      names.tell(unknownName(head.name, names.span(head), names))
      return undefined
  }
}

function variable({ steps }: Path, names: Names): Yield | undefined {
  const [first, ...deeper] = steps
  if (first?.by !== 'name') {
    if (first)
      names.tell(
        error('unknown-name', names.span(first), 'a variable is read by its name', 'write vars.<name>'),
      )
    return undefined
  }
  let value = names.variable(first.name, names.span(first))
  let walked = `vars.${first.name}`
  for (const step of deeper) {
    if (!value || value.kind === 'unfilled') return value
    const found = member(value, step)
    if (!found) {
      names.tell(missingMember(value, walked, step, names.span(step)))
      return undefined
    }
    walked = `${walked}.${step.by === 'name' ? step.name : '…'}`
    value = found
  }
  return value
}

function member(value: Filled, step: Step): Filled | undefined {
  if (value.kind === 'map' && step.by === 'name') {
    return value.entries.find(entry => entry.key.source === step.name)?.value
  }
  if (value.kind === 'list' && step.by === 'index' && step.index.is === 'literal') {
    return value.items[Number(step.index.value)]
  }
  return undefined
}

function missingMember(value: Filled, walked: string, step: Step, at: Span): Diagnostic {
  const wanted =
    step.by === 'name'
      ? step.name
      : step.by === 'index' && step.index.is === 'literal'
        ? step.index.value
        : '*'
  if (value.kind === 'map') {
    const known = value.entries.map(entry => entry.key.source)
    const near = nearest(String(wanted), known)
    return error(
      'unknown-name',
      at,
      `${walked} has no ${wanted}`,
      near ? `did you mean ${near}` : `it has ${listed(known)}`,
    )
  }
  if (value.kind === 'list') {
    const hint = `it has ${value.items.length} values, counted from 0`
    return error('unknown-name', at, `${walked} has no value at ${wanted}`, hint)
  }
  return error('unknown-name', at, `${walked} is a single value, there is no ${wanted} in it`)
}

/** `jobs.<id>.output`, `jobs.<id>.outputs`, `jobs.<id>.outputs[n]`. */
function reference(expression: Path, names: Names): Reference | undefined {
  const [job, files, nth, beyond] = expression.steps
  const whole = names.span(expression)
  if (job?.by !== 'name') {
    if (job)
      names.tell(error('unknown-name', names.span(job), 'a job is read by its id', 'write jobs.<id>.output'))
    return undefined
  }
  if (!files) {
    const hint = `write ${jobPath(job.name)}.output for its file`
    names.tell(error('unknown-name', names.span(job), `${job.name} is a job and no value`, hint))
    return undefined
  }
  if (files.by !== 'name' || (files.name !== 'output' && files.name !== 'outputs')) {
    names.tell(unknownProperty(job.name, files, names.span(files)))
    return undefined
  }
  const base = { kind: 'reference', ...whole, job: job.name, jobAt: names.span(job) } as const
  const excess = files.name === 'output' ? nth : beyond
  if (excess) {
    const isChoice = files.name === 'output' && excess.by === 'index'
    const hint = isChoice
      ? `write ${jobPath(job.name)}.outputs[0] to choose one of several`
      : `write ${jobPath(job.name)}.output`
    names.tell(error('unknown-name', names.span(excess), 'nothing can be taken out of a file', hint))
    return undefined
  }
  if (files.name === 'output') return { ...base, files: { which: 'output' } }
  if (!nth) return { ...base, files: { which: 'all' } }
  const index = indexOf(nth)
  if (index !== undefined) return { ...base, files: { which: 'nth', nth: index, at: names.span(nth) } }
  const hint = `write ${jobPath(job.name)}.outputs[0] for the first, ${jobPath(job.name)}.outputs for all`
  names.tell(error('bad-index', names.span(nth), '`outputs` takes a whole number from 0', hint))
  return undefined
}

function indexOf(step: Step): number | undefined {
  if (step.by !== 'index' || step.index.is !== 'literal') return undefined
  const { value } = step.index
  return typeof value === 'number' && Number.isInteger(value) && value >= 0 ? value : undefined
}

function unknownProperty(job: string, step: Step, at: Span): Diagnostic {
  const name = step.by === 'name' ? step.name : undefined
  if (name === 'pick' || name === 'matrix') {
    return error(
      'not-yet',
      at,
      `this version does not read \`${name}\` of a job yet`,
      `write ${jobPath(job)}.output`,
    )
  }
  const near = name && nearest(name, ['output', 'outputs'])
  const hint = near ? `did you mean ${near}` : 'a job has `output`, its one file, and `outputs`, all of them'
  return error(
    'unknown-name',
    at,
    name ? `a job has no \`${name}\`` : 'a job has files, and nothing else to read',
    hint,
  )
}

/** How a job is written in an expression. */
export function jobPath(id: string): string {
  return /^[A-Za-z_][\w-]*$/.test(id) ? `jobs.${id}` : `jobs['${id}']`
}
