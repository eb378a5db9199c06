import type { Json, JsonObject } from '../base/names.ts'
import { type Model, type NumberParam, paramOf } from '../catalog/index.ts'
import { defaultsOf } from './defaults.ts'
import type { ParamCode, ParamProblem } from './problem.ts'
import { theNearest } from './value-wording.ts'

/**
 * Warnings about canonical parameters that are allowed and probably not meant: parameters without effect, shots that do
 * not add up, pairs that contradict each other, values off an advised step.
 */
export function lintParams(model: Model, params: JsonObject): ParamProblem[] {
  return [
    ...withoutEffect(model, params),
    ...shotLengths(model, params),
    ...oddSpeed(model, params),
    ...offAdvisedSteps(model, params),
    ...filesByName(model, params),
  ]
}

/** `@prompt.txt`, as other tools read a file: here the letters themselves would be sent. */
function filesByName(model: Model, params: JsonObject): ParamProblem[] {
  return Object.entries(params).flatMap(([name, text]) => {
    if (typeof text !== 'string' || paramOf(model, name)?.type !== 'text' || !namesFile(text)) return []
    return [warning('at-file', [name], `${name} is sent as these letters; no file is read here`)]
  })
}

function namesFile(text: string): boolean {
  return /^@(?:[^\s@]*\/)?[^\s@/]+\.[A-Za-z0-9]{1,8}$/.test(text)
}

interface Dependence {
  readonly param: string
  readonly without: string
  readonly isOn: (value: Json | undefined) => boolean
  readonly hint: string
}

const dependences: readonly Dependence[] = [
  { param: 'endFrame', without: 'startFrame', isOn: isGiven, hint: 'add a startFrame or remove it' },
  { param: 'multiPrompt', without: 'multiShot', isOn: isTrue, hint: 'add multiShot: true or remove it' },
  { param: 'shotType', without: 'multiShot', isOn: isTrue, hint: 'add multiShot: true or remove it' },
  {
    param: 'imageWeight',
    without: 'imageUrls',
    isOn: isGiven,
    hint: 'add an image in imageUrls or remove it',
  },
]

function withoutEffect(model: Model, params: JsonObject): ParamProblem[] {
  return dependences.flatMap(({ param, without, isOn, hint }) => {
    if (!isGiven(params[param]) || isOn(params[without])) return []
    if (!paramOf(model, param) || !paramOf(model, without)) return []
    return [
      { ...warning('no-effect', [param], `${param} has no effect without ${without}`, hint), part: 'key' },
    ]
  })
}

/** Shots that all say how long they are should fill the clip. */
function shotLengths(model: Model, params: JsonObject): ParamProblem[] {
  const { multiPrompt, multiShot } = params
  if (!Array.isArray(multiPrompt) || multiPrompt.length === 0) return []
  // Without it the shots have no effect at all, which is told.
  if (paramOf(model, 'multiShot') && !isTrue(multiShot)) return []
  const { duration = defaultsOf(model).duration } = params
  if (typeof duration !== 'number') return []
  const lengths = multiPrompt.map(shotSeconds)
  if (!lengths.every(length => length !== undefined)) return []
  const sum = lengths.reduce((total, length) => total + length, 0)
  if (Math.abs(sum - duration) < 1e-9) return []
  const message = `the shots last ${Number(sum.toFixed(3))} s together, the duration is ${duration} s`
  return [warning('contradiction', ['multiPrompt'], message, 'change one of them, so that both are the same')]
}

/** The members' types are not specified: a length may stand as text. */
function shotSeconds(shot: Json): number | undefined {
  if (typeof shot !== 'object' || shot === null || !('duration' in shot)) return undefined
  const { duration } = shot
  const seconds = typeof duration === 'string' && duration.trim() !== '' ? Number(duration) : duration
  return typeof seconds === 'number' && Number.isFinite(seconds) ? seconds : undefined
}

// The specification ties std to 720p and pro to 1080p (Limits, cost dimensions), and some models have both parameters.
const pairs = [
  { resolution: '720p', speed: 'std' },
  { resolution: '1080p', speed: 'pro' },
] as const

function oddSpeed(model: Model, params: JsonObject): ParamProblem[] {
  if (!paramOf(model, 'resolution') || !paramOf(model, 'renderingSpeed')) return []
  const standard = defaultsOf(model)
  const { resolution = standard.resolution, renderingSpeed = standard.renderingSpeed } = params
  const bySize = pairs.find(pair => pair.resolution === resolution)
  const bySpeed = pairs.find(pair => pair.speed === renderingSpeed)
  if (!bySize || !bySpeed || bySize === bySpeed) return []
  const isWritten = isGiven(params.renderingSpeed)
  const speed = isWritten ? bySpeed.speed : `${bySpeed.speed}, the default,`
  const message = `renderingSpeed ${speed} goes with ${bySpeed.resolution}, not with ${bySize.resolution}`
  const hint = `renderingSpeed: ${bySize.speed} goes with ${bySize.resolution}`
  return [warning('contradiction', [isWritten ? 'renderingSpeed' : 'resolution'], message, hint)]
}

function offAdvisedSteps(model: Model, params: JsonObject): ParamProblem[] {
  const found: ParamProblem[] = []
  for (const name in params) {
    const value = params[name]
    if (typeof value !== 'number') continue
    const param = paramOf(model, name)
    if (!param || !('stepIs' in param) || isAdvised(param, value)) continue
    const message = `${name} should be ${param.minimum} or a multiple of ${param.step}`
    found.push(warning('bad-step', [name], message, theNearest(multiplesAround(value, param))))
  }
  return found
}

function isAdvised({ minimum, step }: NumberParam, value: number): boolean {
  return step === undefined || value === minimum || value % step === 0
}

function multiplesAround(value: number, param: NumberParam): number[] {
  const { step = 1, minimum = Number.NEGATIVE_INFINITY, maximum = Number.POSITIVE_INFINITY } = param
  const below = Math.floor(value / step) * step
  return [Math.max(below, minimum), below + step].filter(near => near <= maximum)
}

function isGiven(value: Json | undefined): boolean {
  return value !== undefined && value !== null
}

function isTrue(value: Json | undefined): boolean {
  return value === true
}

function warning(code: ParamCode, path: ParamProblem['path'], message: string, hint?: string): ParamProblem {
  return { code, severity: 'warning', path, part: 'value', message, ...(hint && { hint }) }
}
