import type { Json } from '../base/names.ts'
import { listed } from '../base/nearest.ts'
import {
  type FileParam,
  type Model,
  memberMedia,
  type ObjectsParam,
  type TextParam,
} from '../catalog/index.ts'
import type { SchemaFinding } from './problem.ts'
import { countedMedia, kindOf, needs, oneOf, placeName, quotesHint, type Words } from './words.ts'

/** What stands where a parameter of that name has its value, and what ajv says of it. */
export interface WrongValue {
  readonly name: string
  readonly found: SchemaFinding
  readonly value: Json | undefined
}

/** Text of a wrong type, too long, or blank. */
export function textWords(model: Model, param: TextParam, { name, found, value }: WrongValue): Words {
  if (typeof value !== 'string') {
    const isScalar = typeof value === 'number' || typeof value === 'boolean'
    const hint = isScalar ? quotesHint(String(value)) : textHint(name, value)
    return {
      code: 'wrong-type',
      message: `${name} must be text, not ${kindOf(value)}`,
      ...(hint && { hint }),
    }
  }
  if (found.keyword === 'maxLength') {
    const length = [...value].length
    const message = `${name} has ${length} characters, ${model.id} takes at most ${param.maxLength}`
    return { code: 'too-long', message, hint: `cut ${length - (param.maxLength ?? 0)} of them` }
  }
  return { code: 'blank-text', message: `${name} is empty`, hint: needs(model, name) }
}

/** A path or a link, or the list of them: too many, none, blank, or something else. */
export function fileWords(
  model: Model,
  param: FileParam,
  found: SchemaFinding,
  value: Json | undefined,
): Words {
  const name = placeName(found.path)
  switch (found.keyword) {
    case 'pattern':
      return { code: 'blank-text', message: `${name} is empty`, hint: emptyHint(model, param) }
    case 'minItems':
      return { code: 'missing-param', message: `${name} is empty, ${model.id} needs ${oneOf(param.media)}` }
    case 'maxItems':
      return tooMany(
        model,
        `${name} has ${countedMedia(lengthOf(value), param.media)}`,
        lengthOf(value),
        param.maxItems ?? 0,
      )
  }
  if (Array.isArray(value)) {
    const hint = value.length > 1 ? 'choose one of them' : 'write it without brackets and dash'
    return { code: 'wrong-type', message: `${name} takes one ${param.media}, not a list`, hint }
  }
  const list = found.path.length === 1 && param.maxItems !== undefined ? ', or a list of them' : ''
  return { code: 'wrong-type', message: `${name} must be a path or a link${list}, not ${kindOf(value)}` }
}

/** A list of mappings, one of them, or one of their members. */
export function objectsWords(
  model: Model,
  param: ObjectsParam,
  found: SchemaFinding,
  value: Json | undefined,
): Words {
  const name = placeName(found.path)
  if (found.keyword === 'maxItems') {
    return tooMany(
      model,
      `${name} has ${countedMedia(lengthOf(value), 'item')}`,
      lengthOf(value),
      param.maxItems,
    )
  }
  if (found.keyword === 'minItems') return { code: 'missing-param', message: `${name} is empty` }
  if (found.keyword === 'pattern') return { code: 'blank-text', message: `${name} is empty` }
  const hint = objectsHint(param, found)
  return {
    code: 'wrong-type',
    message: `${name} must be ${objectsShape(param, found)}, not ${kindOf(value)}`,
    ...(hint && { hint }),
  }
}

function objectsHint({ members }: ObjectsParam, { path }: SchemaFinding): string | undefined {
  const item = `{ ${members.map(member => `${member}: …`).join(', ')} }`
  if (path.length === 1) return `for instance [${item}]`
  return path.length === 2 ? `for instance ${item}` : undefined
}

/** Several lines of one text are no list of texts. */
function textHint(name: string, value: Json | undefined): string | undefined {
  const isLines = Array.isArray(value) && value.length > 0 && value.every(line => typeof line === 'string')
  return isLines ? `write one text; over several lines it is \`${name}: >\`, without dashes` : undefined
}

function objectsShape({ members }: ObjectsParam, { path }: SchemaFinding): string {
  if (path.length === 1) return `a list of mappings with ${listed(members)}`
  if (path.length === 2) return `a mapping with ${listed(members)}`
  return memberMedia(String(path[2])) ? 'a path or a link' : 'text, a number, true or false'
}

function tooMany(model: Model, says: string, count: number, most: number): Words {
  const hint = `remove ${count - most}`
  return { code: 'too-many', message: `${says}, ${model.id} takes at most ${most}`, hint }
}

function lengthOf(value: Json | undefined): number {
  return Array.isArray(value) ? value.length : 0
}

function emptyHint(model: Model, { required, media }: FileParam): string {
  return required ? `${model.id} needs ${oneOf(media)}` : `name ${oneOf(media)} or remove it`
}
