import type { NumberParam } from '../catalog/index.ts'

interface Grid {
  readonly minimum: number
  readonly step: number
}

/** Undefined where any number will do. */
function gridOf({ minimum = 0, step }: Pick<NumberParam, 'minimum' | 'step'>): Grid | undefined {
  return step === undefined ? undefined : { minimum, step }
}

/**
 * The number of whole steps above the minimum; undefined when the value lies between two. Counted in whole steps and
 * never by a binary remainder: 0.3 and 0.7 are steps of 0.1, and so is what 0.1 + 0.2 gives.
 */
export function stepsOf(value: number, { minimum, step }: Grid): number | undefined {
  const steps = (value - minimum) / step
  const whole = Math.round(steps)
  return Math.abs(steps - whole) < 1e-9 * Math.max(1, Math.abs(steps)) ? whole : undefined
}

/** Whether a value lies a whole number of steps above the minimum: what ajv's validators call. */
export function isOnStep(value: number, minimum: number, step: number): boolean {
  return stepsOf(value, { minimum, step }) !== undefined
}

/** The value with exactly as many decimals as its step: 0.30000000000000004 is 0.3. Values between steps stay. */
export function onStep(value: number, param: Pick<NumberParam, 'minimum' | 'step'>): number {
  const grid = gridOf(param)
  const steps = grid && stepsOf(value, grid)
  return steps === undefined || !grid ? value : atStep(steps, grid)
}

/** The steps below and above a value, within the bounds. */
export function stepsAround(value: number, param: NumberParam): number[] {
  const grid = gridOf(param)
  if (!grid) return []
  const { minimum = Number.NEGATIVE_INFINITY, maximum = Number.POSITIVE_INFINITY } = param
  const below = Math.floor((value - grid.minimum) / grid.step)
  return [below, below + 1]
    .map(steps => atStep(steps, grid))
    .filter(near => near >= minimum && near <= maximum)
}

/** Whether a binary float holds the step exactly: 0.5 and 5 do, 0.1 does not. */
export function isExactStep(step: number): boolean {
  return Number.isInteger(step * 1024)
}

function atStep(steps: number, { minimum, step }: Grid): number {
  const decimals = Math.max(decimalsOf(step), decimalsOf(minimum))
  return Number((minimum + steps * step).toFixed(decimals))
}

function decimalsOf(value: number): number {
  const [digits = '', exponent = '0'] = String(value).split('e')
  const places = (digits.split('.')[1]?.length ?? 0) - Number(exponent)
  return Math.min(100, Math.max(0, places))
}
