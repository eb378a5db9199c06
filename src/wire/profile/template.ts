import type { Json, JsonObject } from '../../base/names.ts'
import type { Comparison, Expression, PathPart } from '../../text/expression.ts'

/** A body, or a part of one, with places for what a job brings. Made by `template-form.ts`. */
export type Template =
  | { readonly is: 'value'; readonly value: null | boolean | number | string }
  /** One whole expression: what it yields keeps its type. */
  | { readonly is: 'expression'; readonly of: Expression }
  | { readonly is: 'text'; readonly parts: readonly (string | Expression)[] }
  | { readonly is: 'list'; readonly items: readonly Template[] }
  | { readonly is: 'map'; readonly entries: readonly (readonly [string, Template])[] }

/** What expressions of a profile read. */
export interface Scope {
  readonly model: string
  readonly mode: string
  /** By the catalog's names, with the profile's values. */
  readonly params: JsonObject
  /** What `params` alone means: the parameters under the names they are sent by. */
  readonly sent: JsonObject
  /** Known in addresses alone. */
  readonly workflow?: string
  readonly id?: string
  /** Known in the question for a place of a file alone. */
  readonly file?: { readonly name: string; readonly type: string; readonly bytes: number }
}

/**
 * Fills a template. What the job does not give is undefined and left out, and so is a mapping or list that has nothing
 * left: a body never holds an empty place for a picture that nobody gave. An item of a list goes as well when nothing of
 * what it asks for is given, whatever else stands in it.
 */
export function fill(template: Template, scope: Scope): Json | undefined {
  switch (template.is) {
    case 'value':
      return template.value
    case 'expression':
      return evaluateExpression(template.of, scope)
    case 'text':
      return template.parts.map(part => (typeof part === 'string' ? part : textOf(part, scope))).join('')
    case 'list': {
      const items = template.items.flatMap(item => (isIdle(item, scope) ? [] : (fill(item, scope) ?? [])))
      return items.length > 0 || template.items.length === 0 ? items : undefined
    }
    case 'map': {
      const entries = template.entries.flatMap(([key, inner]) => {
        const value = fill(inner, scope)
        return value === undefined ? [] : [[key, value] as const]
      })
      return entries.length > 0 || template.entries.length === 0 ? Object.fromEntries(entries) : undefined
    }
  }
}

/** Whether a template asks for something, and all of it is not given. */
function isIdle(template: Template, scope: Scope): boolean {
  const asked = expressionsIn(template)
  return asked.length > 0 && asked.every(each => evaluateExpression(each, scope) === undefined)
}

/** The parameters that a template asks for; `all` where it takes them together (`${{ params }}`). */
export function paramsIn(template: Template): ReadonlySet<string> | 'all' {
  const names = expressionsIn(template).flatMap(paramsRead)
  return names.includes(everything) ? 'all' : new Set(names)
}

const everything = '*'

/** The parameters that an expression reads; `everything` for all together. */
export function paramsRead(expression: Expression): string[] {
  switch (expression.is) {
    case 'literal':
      return []
    case 'name':
      return expression.name === 'params' ? [everything] : []
    case 'path': {
      const [first] = expression.steps
      const isParam = expression.head.is === 'name' && expression.head.name === 'params'
      return isParam && first?.by === 'name' ? [first.name] : paramsRead(expression.head)
    }
    case 'call':
      return []
    case 'not':
      return paramsRead(expression.of)
    case 'compare':
      return [expression.left, expression.right].flatMap(paramsRead)
    case 'and':
    case 'or':
      return expression.of.flatMap(paramsRead)
  }
}

function expressionsIn(template: Template): Expression[] {
  switch (template.is) {
    case 'value':
      return []
    case 'expression':
      return [template.of]
    case 'text':
      return template.parts.flatMap(part => (typeof part === 'string' ? [] : [part]))
    case 'list':
      return template.items.flatMap(expressionsIn)
    case 'map':
      return template.entries.flatMap(([, inner]) => expressionsIn(inner))
  }
}

/** A text of a template, nothing where nothing is given. */
export function fillText(template: Template, scope: Scope): string {
  const filled = fill(template, scope)
  return filled === undefined ? '' : wordOf(filled)
}

function textOf(expression: Expression, scope: Scope): string {
  return wordOf(evaluateExpression(expression, scope) ?? '')
}

export function wordOf(value: Json): string {
  return typeof value === 'object' && value !== null ? JSON.stringify(value) : String(value)
}

/** What an expression of a profile yields; undefined for what the job does not give. */
export function evaluateExpression(expression: Expression, scope: Scope): Json | undefined {
  switch (expression.is) {
    case 'literal':
      return expression.value
    case 'name':
      return named(expression.name, scope)
    case 'path':
      return expression.steps.reduce<Json | undefined>(
        (value, step) => member(value, step),
        expression.head.is === 'name' && expression.head.name === 'params'
          ? scope.params
          : evaluateExpression(expression.head, scope),
      )
    case 'not':
      return !isTrue(evaluateExpression(expression.of, scope))
    case 'and':
      return firstOr(expression.of, scope, value => !isTrue(value))
    case 'or':
      return firstOr(expression.of, scope, isTrue)
    case 'compare':
      return compare(
        evaluateExpression(expression.left, scope),
        expression.operator,
        evaluateExpression(expression.right, scope),
      )
    case 'call':
      // The reader refuses calls.
      return undefined
  }
}

function named(name: string, scope: Scope): Json | undefined {
  if (name === 'params') return scope.sent
  if (name === 'file') return scope.file && { ...scope.file }
  const isKnown = name === 'model' || name === 'mode' || name === 'workflow' || name === 'id'
  return isKnown ? scope[name] : undefined
}

function member(value: Json | undefined, step: PathPart): Json | undefined {
  if (typeof value !== 'object' || value === null) return undefined
  const key =
    step.by === 'name'
      ? step.name
      : step.by === 'index' && step.index.is === 'literal'
        ? String(step.index.value)
        : ''
  // Lists are objects whose keys are their indexes.
  return Object.hasOwn(value, key) ? (value as JsonObject)[key] : undefined
}

/** The first value that ends the chain, else the last. */
function firstOr(
  of: readonly Expression[],
  scope: Scope,
  ends: (value: Json | undefined) => boolean,
): Json | undefined {
  let value: Json | undefined
  for (const each of of) {
    value = evaluateExpression(each, scope)
    if (ends(value)) return value
  }
  return value
}

function isTrue(value: Json | undefined): boolean {
  return Array.isArray(value) ? value.length > 0 : Boolean(value)
}

function compare(left: Json | undefined, operator: Comparison, right: Json | undefined): boolean {
  const [a, b] = [left ?? null, right ?? null]
  if (operator === '==') return a === b
  if (operator === '!=') return a !== b
  if (typeof a !== typeof b || typeof a === 'object') return false
  switch (operator) {
    case '<':
      return (a as never) < (b as never) // Two of one plain type, as said above.
    case '<=':
      return (a as never) <= (b as never)
    case '>':
      return (a as never) > (b as never)
    case '>=':
      return (a as never) >= (b as never)
  }
}
