import { mostErrors } from '../base/diagnostic.ts'
import type { Json, JsonObject } from '../base/names.ts'
import { findModel, type Model, paramOf } from '../catalog/index.ts'
import { compileModel, type ErrorObject, type ValidateFunction } from './compile.ts'
import { compiledAhead } from './compiled-ahead.ts'
import { canonicalParams } from './defaults.ts'
import { lintParams } from './lint.ts'
import type { ParamProblem, SchemaFinding } from './problem.ts'
import { problemsOf } from './wording.ts'

export type { ParamProblem } from './problem.ts'

/**
 * Checks parameters against a model's schema through ajv. File inputs are
 * texts (a path, a link, or any placeholder), lists where the catalog says "up to"; one text for such a list is
 * accepted, and texts count as if trimmed. All problems are returned, in the order of the model's parameters, errors
 * about unknown names first; a place has one error at most.
 */
export function checkParams(model: Model, params: JsonObject): ParamProblem[] {
  return checkCanonical(model, params, canonicalParams(model, params))
}

/** The same for parameters whose canonical form is at hand already. */
export function checkCanonical(model: Model, params: JsonObject, canonical: JsonObject): ParamProblem[] {
  const findings = findingsOf(model, canonical)
  const errors = findings.length === 0 ? [] : problemsOf(model, ...asWritten(params, canonical, findings))
  const warnings = lintParams(model, canonical)
  if (errors.length === 0 && warnings.length === 0) return errors
  const isWrong = new Set(errors.map(problem => problem.path[0]))
  return inOrder(model, [...errors, ...warnings.filter(problem => !isWrong.has(problem.path[0]))])
}

// A custom model is its own key, whatever its id.
const compiled = new WeakMap<Model, ValidateFunction>()

function validatorOf(model: Model): ValidateFunction {
  const known = compiled.get(model)
  if (known) return known
  const ahead = findModel(model.id) === model ? compiledAhead[model.id] : undefined
  const fresh = ahead ?? compileModel(model)
  compiled.set(model, fresh)
  return fresh
}

function findingsOf(model: Model, canonical: JsonObject): SchemaFinding[] {
  const validate = validatorOf(model)
  if (validate(canonical)) return []
  // Whoever tells them ends after so many; there may be as many as there are words in the text.
  return (validate.errors ?? []).slice(0, mostErrors + 1).map(found => findingOf(found, canonical))
}

/** Where one text was written for a list of files, it is found there and not in a list that nobody wrote. */
function asWritten(
  params: JsonObject,
  canonical: JsonObject,
  findings: readonly SchemaFinding[],
): [JsonObject, SchemaFinding[]] {
  const single = Object.entries(params).filter(
    ([name, value]) => value !== canonical[name] && Array.isArray(canonical[name]),
  )
  const names = new Set(single.map(([name]) => name))
  const back = findings.map(found =>
    names.has(String(found.path[0])) ? { ...found, path: found.path.slice(0, 1) } : found,
  )
  return [{ ...canonical, ...Object.fromEntries(single) }, back]
}

function findingOf(found: ErrorObject, canonical: JsonObject): SchemaFinding {
  const { missingProperty, additionalProperty } = found.params
  const property: unknown = missingProperty ?? additionalProperty
  return {
    keyword: found.keyword,
    path: pathOf(found.instancePath, canonical),
    ...(typeof property === 'string' && { property }),
  }
}

/** A JSON pointer as a path: a step is a number where it goes into a list. */
function pathOf(instancePath: string, root: Json): (string | number)[] {
  let value: Json | undefined = root
  return instancePath
    .split('/')
    .slice(1)
    .map(step => {
      const name = step.replaceAll('~1', '/').replaceAll('~0', '~')
      if (Array.isArray(value)) {
        value = value[Number(name)]
        return Number(name)
      }
      value =
        typeof value === 'object' && value !== null && !Array.isArray(value)
          ? (value as JsonObject)[name]
          : undefined
      return name
    })
}

function inOrder(model: Model, problems: readonly ParamProblem[]): ParamProblem[] {
  const names = Object.keys(model.params)
  const place = (problem: ParamProblem) => {
    const [name] = problem.path
    return typeof name === 'string' && paramOf(model, name) ? names.indexOf(name) : -1
  }
  return problems.toSorted((a, b) => place(a) - place(b))
}
