import { defined } from '../../base/defined.ts'
import { error } from '../../base/diagnostic.ts'
import { nearest } from '../../base/nearest.ts'
import { fitsStars } from '../../base/wildcard.ts'
import type { TextEntry } from '../../text/tree.ts'
import { choice, entriesOf, type Form, json, listOf, mapOf, type ProfileReport, record } from './form.ts'
import { byStrength, type Condition, type ModelRule, type PerModel } from './per-model.ts'
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
    read(entry, report) {
      const rules = (entriesOf(entry, report) ?? []).flatMap(inner => {
        checkModel(inner, report)
        return readRules(inner, form, rule, report)
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
  report: ProfileReport,
): ModelRule<T>[] {
  const { key, value } = entry
  const model = key.source
  const isRules =
    value.kind === 'list' &&
    value.items.some(item => item.kind === 'map' && item.entries.some(each => each.key.source === 'use'))
  if (!isRules) {
    const use = form.read(entry, report)
    return use === undefined ? [] : [{ model, use }]
  }
  return value.items.flatMap(item => {
    const read = rule.read({ key, value: item }, report)
    if (read?.use !== undefined) return [{ model, use: read.use, ...defined({ when: read.when }) }]
    if (read) report(error('bad-profile', item, 'a rule says what to `use`'))
    return []
  })
}

function checkModel({ key }: TextEntry, report: ProfileReport): void {
  if (report.modelSet.ids.some(id => fitsStars(key.source, id))) return
  const near = nearest(key.source, report.modelSet.ids)
  // An error is no good here: another manifest may declare it.
  report({
    ...error('unknown-model', key, `no model is called ${key.source}`, near && `did you mean ${near}`),
    severity: 'warning',
  })
}

/** Names of parameters, checked against the catalog. */
const param: Form<string> = {
  schema: { type: 'string' },
  read(entry, report) {
    const { value } = entry
    const name = value.kind === 'scalar' ? value.source : ''
    if (report.modelSet.paramNames.has(name)) return name
    report(error('unknown-name', value, ...unknownParam(name, report.modelSet)))
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
  return mapOf(form, ({ key }, report) => {
    if (report.modelSet.paramNames.has(key.source)) return true
    report(error('unknown-name', key, ...unknownParam(key.source, report.modelSet)))
    return false
  })
}

/** Tells a value that no model takes: its rule would never be of use. */
function knownValue(param: string): (entry: TextEntry, report: ProfileReport) => true {
  return ({ key }, report) => {
    const params = report.modelSet.models.flatMap(model => model.params[param] ?? [])
    const values = params.flatMap(each => (each.type === 'enum' ? each.values.map(String) : []))
    const isFree = params.some(each => each.type !== 'enum')
    if (isFree || values.includes(key.source)) return true
    const near = nearest(key.source, new Set(values))
    const message = `no model takes ${key.source} for ${param}`
    report({ ...error('unknown-value', key, message, near && `did you mean ${near}`), severity: 'warning' })
    return true
  }
}

/** Values as they are sent: `text`, `number`, `single`, or a mapping from the catalog's values. */
export const valueRule: Form<ValueRule> = {
  schema: { anyOf: [{ enum: ['text', 'number', 'single'] }, { type: 'object' }] },
  read(entry, report) {
    if (entry.value.kind === 'map') return mapOf(json, knownValue(entry.key.source)).read(entry, report)
    return choice(['text', 'number', 'single']).read(entry, report)
  },
}
