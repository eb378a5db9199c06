import type { Json, JsonObject } from '../base/names.ts'
import { listed, nearest } from '../base/nearest.ts'
import { type Model, models, type Param, paramOf, type TextsParam } from '../catalog/index.ts'
import { paramByFlag } from './flags.ts'
import type { ParamProblem, SchemaFinding } from './problem.ts'
import { fileWords, objectsWords, textWords, type WrongValue } from './shape-wording.ts'
import { choiceWords, didYouMean, numberWords, toggleWords } from './value-wording.ts'
import { kindOf, needs, placeName, type Words } from './words.ts'

/**
 * What the schema found in canonical parameters, in words for a person. One problem a place; a name that looks like a
 * missing parameter is told once.
 */
export function problemsOf(
  model: Model,
  canonical: JsonObject,
  findings: readonly SchemaFinding[],
): ParamProblem[] {
  const meant = new Set(
    findings.map(found => (isUnknownParam(found) ? meantParam(model, found.property ?? '') : undefined)),
  )
  const problems = new Map<string, ParamProblem>()
  for (const found of findings) {
    const isMissing = found.keyword === 'required' && found.path.length === 0
    if (isMissing && meant.has(found.property)) continue
    const problem = problemOf(model, canonical, found)
    const place = JSON.stringify([problem.path, isMissing && found.property])
    if (!problems.has(place)) problems.set(place, problem)
  }
  return [...problems.values()]
}

function problemOf(model: Model, canonical: JsonObject, found: SchemaFinding): ParamProblem {
  const { path, property = '' } = found
  const [name] = path
  if (typeof name !== 'string') {
    return found.keyword === 'required'
      ? error([], {
          code: 'missing-param',
          message: needs(model, property),
          hint: givingHint(model, property),
        })
      : error([property], unknownWords(model, property), 'key')
  }
  const param = paramOf(model, name)
  if (!param) throw new Error(`the schema of ${model.id} has ${name}, the model has not`)
  if (found.keyword === 'additionalProperties') {
    return error([...path, property], memberWords(placeName(path), param, property), 'key')
  }
  return error(path, valueWords(model, param, { name, found, value: valueAt(canonical, path) }))
}

/** How a missing parameter is written. */
export function givingHint(model: Model, name: string): string {
  const param = paramOf(model, name)
  if (param?.type !== 'file') return `add \`${name}: …\``
  return `add \`${name}\` with a path or a link`
}

function valueWords(model: Model, param: Param, wrong: WrongValue): Words {
  const { name, found, value } = wrong
  if (value === null && found.path.length === 1) return nothingWords(model, name, param)
  switch (param.type) {
    case 'text':
      return textWords(model, param, wrong)
    case 'enum':
      return choiceWords(model, name, param, value)
    case 'boolean':
      return toggleWords(name, value)
    case 'integer':
    case 'number':
      return numberWords(name, param, value)
    case 'file':
      return fileWords(model, param, found, value)
    case 'object[]':
      return objectsWords(model, param, found, value)
    case 'object':
      return { code: 'wrong-type', message: `${name} is a mapping, not ${kindOf(value)}` }
    case 'text[]':
      return textsWords(param, wrong)
  }
}

function textsWords({ maxItems }: TextsParam, { name, found, value }: WrongValue): Words {
  const isItem = found.path.length > 1
  if (isItem) return { code: 'wrong-type', message: `each item of ${name} is text, not ${kindOf(value)}` }
  if (!Array.isArray(value))
    return { code: 'wrong-type', message: `${name} is a list of texts, not ${kindOf(value)}` }
  if (value.length === 0) return { code: 'wrong-type', message: `${name} needs at least one text` }
  return { code: 'too-many', message: `${name} takes up to ${maxItems} texts, not ${value.length}` }
}

function unknownWords(model: Model, name: string): Words {
  const message = `${model.id} has no parameter ${name}`
  const hint = unknownHint(model, name)
  return { code: 'unknown-param', message, ...(hint && { hint }) }
}

function unknownHint(model: Model, name: string): string | undefined {
  const meant = meantParam(model, name)
  if (meant) return didYouMean([meant])
  if (name === 'prompt') return `remove it: ${model.id} takes none`
  if (name === 'seed') return 'no model has a seed, a result cannot be made again'
  const others = Object.values<Model>(models).filter(other => paramOf(other, name))
  if (others.length > 3) {
    const names = namesForMedia(
      model,
      others.flatMap(other => mediaOf(other, name)),
    )
    return names.length > 0
      ? `${model.id} takes such files as ${listed(names, 'or')}`
      : `remove it: other models have it, ${model.id} has not`
  }
  const ids = listed(others.map(other => other.id))
  if (others.length > 0) return `only ${ids} ${others.length > 1 ? 'have' : 'has'} it`
  return `it takes ${listed(Object.keys(model.params))}`
}

/** Its own parameters for files of one of these kinds. */
function namesForMedia(model: Model, kinds: readonly string[]): string[] {
  return Object.keys(model.params).filter(name => mediaOf(model, name).some(kind => kinds.includes(kind)))
}

function mediaOf(model: Model, name: string): string[] {
  const param = paramOf(model, name)
  return param?.type === 'file' ? [param.media] : []
}

/** The parameter that an unknown name stands for: a flag, another spelling, a slip. */
function meantParam(model: Model, name: string): string | undefined {
  // What another model calls so is no slip: `resolution` is not a misspelt `duration`.
  const isElsewhere = Object.values<Model>(models).some(other => paramOf(other, name))
  return isElsewhere ? undefined : (paramByFlag(model, name) ?? nearest(name, Object.keys(model.params)))
}

function nothingWords(model: Model, name: string, param: Param): Words {
  const hint = param.required ? needs(model, name) : 'give it a value or remove it'
  return { code: 'wrong-type', message: `${name} has no value`, hint }
}

function memberWords(item: string, param: Param, member: string): Words {
  const members = param.type === 'object[]' ? param.members : []
  const near = nearest(member, members)
  const hint = near ? didYouMean([near]) : `it takes ${listed(members)}`
  return { code: 'unknown-member', message: `${item} has no member ${member}`, hint }
}

function isUnknownParam(found: SchemaFinding): boolean {
  return found.keyword === 'additionalProperties' && found.path.length === 0
}

function error(path: ParamProblem['path'], words: Words, part: ParamProblem['part'] = 'value'): ParamProblem {
  return { ...words, severity: 'error', path, part }
}

function valueAt(root: Json, path: SchemaFinding['path']): Json | undefined {
  let value: Json | undefined = root
  for (const step of path) {
    // The schema found something there, so every step leads into a list or a mapping.
    value = (value as { readonly [step: string | number]: Json } | undefined)?.[step]
  }
  return value
}
