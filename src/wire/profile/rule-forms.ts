import { error } from '../../base/diagnostic.ts'
import { nearest } from '../../base/nearest.ts'
import type { TextEntry } from '../../text/tree.ts'
import { choice, entriesOf, type Form, json, listOf, mapOf, record, type Tell } from './form.ts'
import { byStrength, type Condition, type ModelRule, type PerModel, reaches } from './per-model.ts'
import type { ValueRule } from './profile.ts'
import { unknownParam } from './template-form.ts'

/** A value, or a list of rules of which the first that holds decides, by model. */
export function perModel<T>(form: Form<T>): Form<PerModel<T>> {
  const rule = record({
    when: { about: 'what must hold; always when left out', form: condition },
    use: { about: 'what is used then', form },
  })
  return {
    schema: {
      type: 'object',
      additionalProperties: { anyOf: [form.schema, { type: 'array', items: rule.schema }] },
    },
    read(entry, tell) {
      const rules = (entriesOf(entry, tell) ?? []).flatMap(inner => {
        checkModel(inner, tell)
        return readRules(inner, form, rule, tell)
      })
      return byStrength(rules)
    },
  }
}

/** `use` is what tells a list of rules from a value that is a list. */
function readRules<T>(
  entry: TextEntry,
  form: Form<T>,
  rule: Form<{ readonly when?: Condition; readonly use?: T }>,
  tell: Tell,
): ModelRule<T>[] {
  const { key, value } = entry
  const model = key.source
  const isRules =
    value.kind === 'list' &&
    value.items.some(item => item.kind === 'map' && item.entries.some(each => each.key.source === 'use'))
  if (!isRules) {
    const use = form.read(entry, tell)
    return use === undefined ? [] : [{ model, use }]
  }
  return value.items.flatMap(item => {
    const read = rule.read({ key, value: item }, tell)
    if (read?.use !== undefined) return [{ model, use: read.use, ...(read.when && { when: read.when }) }]
    if (read) tell(error('bad-profile', item, 'a rule says what to `use`'))
    return []
  })
}

function checkModel({ key }: TextEntry, tell: Tell): void {
  if (tell.modelSet.ids.some(id => reaches(key.source, id))) return
  const near = nearest(key.source, tell.modelSet.ids)
  // An error is no good here: another manifest may declare it.
  tell({
    ...error('unknown-model', key, `no model is called ${key.source}`, near && `did you mean ${near}`),
    severity: 'warning',
  })
}

/** Names of parameters, checked against the catalog. */
const param: Form<string> = {
  schema: { type: 'string' },
  read(entry, tell) {
    const { value } = entry
    const name = value.kind === 'scalar' ? value.source : ''
    if (tell.modelSet.paramNames.has(name)) return name
    tell(error('unknown-name', value, ...unknownParam(name, tell.modelSet)))
    return undefined
  },
}

const condition: Form<Condition> = record({
  given: { about: 'parameters that must be given', form: listOf(param) },
  absent: { about: 'parameters that must not be given', form: listOf(param) },
  is: { about: 'values that parameters must have', form: perParam(json) },
  mode: { about: 'how the job goes over the wire', form: choice(['execute', 'submit']) },
})

/** A mapping by the catalog's names of parameters. */
export function perParam<T>(form: Form<T>): Form<{ readonly [param: string]: T }> {
  return mapOf(form, ({ key }, tell) => {
    if (tell.modelSet.paramNames.has(key.source)) return true
    tell(error('unknown-name', key, ...unknownParam(key.source, tell.modelSet)))
    return false
  })
}

/** Tells a value that no model takes: its rule would never be of use. */
function knownValue(param: string): (entry: TextEntry, tell: Tell) => true {
  return ({ key }, tell) => {
    const params = tell.modelSet.models.flatMap(model => model.params[param] ?? [])
    const values = params.flatMap(each => (each.type === 'enum' ? each.values.map(String) : []))
    const isFree = params.some(each => each.type !== 'enum')
    if (isFree || values.includes(key.source)) return true
    const near = nearest(key.source, new Set(values))
    const message = `no model takes ${key.source} for ${param}`
    tell({ ...error('unknown-value', key, message, near && `did you mean ${near}`), severity: 'warning' })
    return true
  }
}

/** Values as they are sent: `text`, `single`, or a mapping from the catalog's values. */
export const valueRule: Form<ValueRule> = {
  schema: { anyOf: [{ enum: ['text', 'single'] }, { type: 'object' }] },
  read(entry, tell) {
    if (entry.value.kind === 'map') return mapOf(json, knownValue(entry.key.source)).read(entry, tell)
    return choice(['text', 'single']).read(entry, tell)
  },
}
