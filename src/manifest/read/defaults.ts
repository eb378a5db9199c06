import { defined } from '../../base/defined.ts'
import { error, warning } from '../../base/diagnostic.ts'
import { nearest } from '../../base/nearest.ts'
import type { SourceFile } from '../../base/source.ts'
import { fitsStars } from '../../base/wildcard.ts'
import { type Model, paramOf } from '../../catalog/index.ts'
import type { ModelSet } from '../../catalog/model-set.ts'
import { isEmpty, type TextEntry, type TextMap, type TextNode, type TextScalar } from '../../text/tree.ts'
import type { ReportProblem } from '../shapes/report-problem.ts'
import { isFree, isOwnDefault, isOwnKey } from './shape.ts'

/** What every job gets whose model has it. */
export interface Defaults {
  readonly model?: TextEntry
  /** Weakest first: flat, then globs in written order, then exact ids. */
  readonly groups: readonly Group[]
  /** Keys of entries that some job's model has. */
  readonly used: Set<TextScalar>
  /** What was found for a model: its jobs may be many. */
  readonly found: Map<Model, ReadonlyMap<string, ModelDefault>>
}

/** A default as one model has it. */
export interface ModelDefault {
  readonly entry: TextEntry
  /** It stands under the id of the model: no other has it. */
  readonly isItsOwn: boolean
}

interface Group {
  /** The glob or id under `models`; undefined for what stands flat. */
  readonly name?: TextScalar
  readonly reaches: (model: string) => boolean
  readonly entries: readonly TextEntry[]
}

export function noDefaults(): Defaults {
  return defaultsWith([])
}

export function readDefaults(entry: TextEntry, modelSet: ModelSet, report: ReportProblem): Defaults {
  const { value } = entry
  if (isEmpty(value)) return noDefaults()
  if (value.kind !== 'map') {
    report(
      error(
        'wrong-type',
        value,
        '`defaults` is a mapping from parameters to values',
        'for instance `aspectRatio: 16:9`',
      ),
    )
    return noDefaults()
  }
  const flat: TextEntry[] = []
  let model: TextEntry | undefined
  let perModel: Group[] = []
  for (const inner of value.entries) {
    if (inner.key.source === 'model') model = inner
    else if (inner.key.source === 'models') perModel = readGroups(inner, modelSet, report)
    else if (isDefault(inner.key, report)) flat.push(inner)
  }
  const groups = [{ reaches: () => true, entries: flat }, ...perModel]
  return defaultsWith(groups, model)
}

function defaultsWith(groups: readonly Group[], model?: TextEntry): Defaults {
  return { ...defined({ model }), groups, used: new Set(), found: new Map() }
}

/** Those of several files as one, the weakest first: flat < glob < exact, whichever file they stand in. */
export function mergeDefaults(layers: readonly Defaults[]): Defaults {
  const groups = layers.flatMap(layer => layer.groups)
  const level = ({ name }: Group) => (name === undefined ? 0 : name.source.includes('*') ? 1 : 2)
  const model = layers.findLast(layer => layer.model)?.model
  return defaultsWith(
    groups.toSorted((a, b) => level(a) - level(b)),
    model,
  )
}

/** Parameters can be defaults, what makes a job a job cannot. */
function isDefault(key: TextScalar, report: ReportProblem): boolean {
  if (isFree(key.source)) return false
  if (!isOwnKey(key.source) || isOwnDefault(key.source)) return true
  report(
    error(
      'unknown-key',
      key,
      `\`${key.source}\` cannot be a default`,
      'defaults hold parameters, `model`, `models`, `service`, `shortDelivery` and `gate`',
    ),
  )
  return false
}

function readGroups({ value }: TextEntry, modelSet: ModelSet, report: ReportProblem): Group[] {
  if (isEmpty(value)) return []
  if (value.kind !== 'map') {
    const hint = 'for instance `models: { famc-*: { renderingSpeed: pro } }`'
    report(error('wrong-type', value, '`models` is a mapping from model ids or globs to defaults', hint))
    return []
  }
  const groups = value.entries.flatMap(entry => {
    if (isFree(entry.key.source)) return []
    const group = readGroup(entry.key, entry.value.kind === 'map' ? entry.value : undefined, modelSet, report)
    if (entry.value.kind !== 'map' && !isEmpty(entry.value)) {
      report(
        error(
          'wrong-type',
          entry.value,
          `the defaults of ${entry.key.source} are a mapping from parameters to values`,
        ),
      )
    }
    return [group]
  })
  const isGlob = (group: Group) => group.name?.source.includes('*') ?? false
  return [...groups.filter(isGlob), ...groups.filter(group => !isGlob(group))]
}

function readGroup(
  name: TextScalar,
  body: TextMap | undefined,
  modelSet: ModelSet,
  report: ReportProblem,
): Group {
  const reaches = (model: string) => fitsStars(name.source, model)
  const reached = modelSet.models.filter(model => reaches(model.id))
  if (reached.length === 0) {
    const near = nearest(name.source, modelSet.ids)
    const message = name.source.includes('*')
      ? `no model is called like ${name.source}`
      : `there is no model ${name.source}`
    report(warning('unknown-model', name, message, near && `did you mean ${near}`))
  }
  const entries = (body?.entries ?? []).filter(entry => {
    if (entry.key.source !== 'model' && isDefault(entry.key, report)) return true
    if (entry.key.source === 'model')
      report(
        error(
          'unknown-key',
          entry.key,
          '`model` is no default of a model',
          'write it directly under `defaults`',
        ),
      )
    return false
  })
  return { name, reaches, entries }
}

/** The defaults of a model by parameter, the strongest of each. */
export function modelDefaults(model: Model, defaults: Defaults): ReadonlyMap<string, ModelDefault> {
  const known = defaults.found.get(model)
  if (known) return known
  const found = new Map<string, ModelDefault>()
  defaults.found.set(model, found)
  for (const group of defaults.groups) {
    if (!group.reaches(model.id)) continue
    for (const entry of group.entries) {
      if (!paramOf(model, entry.key.source) && !isOwnDefault(entry.key.source)) continue
      found.set(entry.key.source, { entry, isItsOwn: group.name?.source === model.id })
      defaults.used.add(entry.key)
    }
  }
  return found
}

/** Fills the defaults that no job took, for the problems in them and the variables they read. */
export function fillUnused(defaults: Defaults, fill: (value: TextNode) => void): void {
  for (const entry of defaults.groups.flatMap(group => group.entries)) {
    if (!defaults.used.has(entry.key)) fill(entry.value)
  }
}

/**
 * Warns about defaults of a file that no job takes, where `areJobsKnown`, and of those that no model has. A shared file
 * serves other manifests too.
 */
export function tellUnusedDefaults(
  defaults: Defaults,
  { file, modelSet, areJobsKnown }: { file: SourceFile; modelSet: ModelSet; areJobsKnown: boolean },
  report: ReportProblem,
): void {
  for (const group of defaults.groups) {
    if (!modelSet.ids.some(group.reaches)) continue
    for (const { key } of group.entries) {
      if (defaults.used.has(key) || key.file !== file) continue
      const name = key.source
      if (isOwnDefault(name)) continue
      if (modelSet.paramNames.has(name)) {
        if (!areJobsKnown) continue
        const which = group.name ? `a model ${group.name.source}` : 'a model'
        report(warning('unused-default', key, `no job here has ${which} that takes ${name}`, 'remove it'))
      } else {
        const near = nearest(name, modelSet.paramNames)
        const hint = near ? `did you mean ${near}` : 'remove it, or keep it under a key that begins with x-'
        report(warning('unknown-default', key, `no model has a parameter ${name}`, hint))
      }
    }
  }
}
