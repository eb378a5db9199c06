import type { Comparison } from '../../text/expression.ts'
import type { Yield } from './names.ts'

/** What `||`, `&&` and `!` go by: nothing, false, 0 and the empty text are not; everything else is. */
export function isTruthy(value: Yield): boolean {
  return value.kind !== 'literal' && value.kind !== 'scalar' ? true : Boolean(value.value)
}

/**
 * Compares single values. A number and a text that spells one are compared as numbers, because columns hold texts only;
 * what is not there equals the empty text. Returns what is wrong when the two cannot be compared.
 */
export function compareValues(operator: Comparison, left: Yield, right: Yield): boolean | string {
  const a = single(left)
  const b = single(right)
  if (a === undefined || b === undefined)
    return 'only single values can be compared, not lists, mappings or files'
  const [x, y] = alike(a, b)
  switch (operator) {
    case '==':
      return x === y
    case '!=':
      return x !== y
    case '<':
    case '<=':
    case '>':
    case '>=':
      return ordered(operator, x, y)
  }
}

type Single = boolean | number | string

function single(value: Yield): Single | undefined {
  if (value.kind !== 'literal' && value.kind !== 'scalar') return undefined
  return value.value ?? ''
}

function alike(a: Single, b: Single): [Single, Single] {
  if (typeof a === 'number' && typeof b === 'string') return [a, numberIn(b) ?? b]
  if (typeof a === 'string' && typeof b === 'number') return [numberIn(a) ?? a, b]
  if (typeof a === 'boolean' && typeof b === 'string') return [a, truthIn(b) ?? b]
  if (typeof a === 'string' && typeof b === 'boolean') return [truthIn(a) ?? a, b]
  return [a, b]
}

function ordered(operator: '<' | '<=' | '>' | '>=', a: Single, b: Single): boolean | string {
  if (typeof a !== typeof b || typeof a === 'boolean')
    return `\`${operator}\` compares two numbers or two texts`
  if (operator === '<') return a < b
  if (operator === '<=') return a <= b
  return operator === '>' ? a > b : a >= b
}

/** The number that a text spells, as JSON would. */
export function numberIn(text: string): number | undefined {
  return /^-?\d+(\.\d+)?([eE][+-]?\d+)?$/.test(text.trim()) ? Number(text) : undefined
}

export function truthIn(text: string): boolean | undefined {
  const word = text.trim()
  return word === 'true' ? true : word === 'false' ? false : undefined
}
