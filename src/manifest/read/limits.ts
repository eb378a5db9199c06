import { error, warning } from '../../base/diagnostic.ts'
import { listed, nearest } from '../../base/nearest.ts'
import type { ModelSet } from '../../catalog/model-set.ts'
import { isEmpty, type TextEntry } from '../../text/tree.ts'
import type { Limits } from '../shapes/job.ts'
import type { ReportProblem } from '../shapes/report-problem.ts'
import { readMapping } from './settings.ts'
import { limitKeys } from './shape.ts'
import { readAmount, readWhole } from './values.ts'

/** The bounds of a run: how much at a time, how fast, at what cost. They nest; all of them hold. */
export function readLimits(entry: TextEntry | undefined, modelSet: ModelSet, report: ReportProblem): Limits {
  if (!entry || isEmpty(entry.value)) return {}
  if (entry.value.kind !== 'map') {
    report(
      error(
        'wrong-type',
        entry.value,
        '`limits` is a mapping',
        'for instance `limits: { execute: 4, submit: 8 }`',
      ),
    )
    return {}
  }
  const limits: { -readonly [key in keyof Limits]: Limits[key] } = {}
  for (const inner of entry.value.entries) {
    const key = inner.key.source
    switch (key) {
      case 'execute':
      case 'submit':
      case 'total':
      case 'perMinute':
      case 'maxPaid':
      case 'maxUseless':
      case 'maxFailures': {
        const count = readWhole(inner, limitKeys[key].form, report)
        if (count !== undefined) limits[key] = count
        break
      }
      case 'families':
        limits.families = readCounts(inner, [...new Set(modelSet.models.map(model => model.family))], report)
        break
      case 'models':
        limits.models = readCounts(inner, modelSet.ids, report)
        break
      case 'maxCost': {
        const amount = readAmount(inner, report)
        if (amount !== undefined) limits.maxCost = amount
        break
      }
      case 'tags':
        limits.tags = readTagLimits(inner, report)
        break
      default:
        tellUnknown(inner, report)
    }
  }
  return limits
}

function tellUnknown({ key }: TextEntry, report: ReportProblem): void {
  const near = nearest(key.source, Object.keys(limitKeys))
  const hint = near ? `did you mean ${near}` : `there are ${listed(Object.keys(limitKeys))}`
  report(error('unknown-key', key, `\`${key.source}\` is no limit`, hint))
}

/** `models: { famc-v3: 2 }`. A name that nothing has limits nothing, which nobody means. */
function readCounts(
  entry: TextEntry,
  known: readonly string[],
  report: ReportProblem,
): { [name: string]: number } {
  const counts: { [name: string]: number } = {}
  for (const each of readMapping(entry, report)?.entries ?? []) {
    const name = each.key.source
    const count = readWhole(each, limitKeys.total.form, report)
    if (count !== undefined) counts[name] = count
    if (known.includes(name)) continue
    const near = nearest(name, known)
    const hint = near && `did you mean ${near}`
    report(
      entry.key.source === 'models'
        ? warning('unknown-model', each.key, `there is no model ${name}`, hint)
        : warning('unknown-family', each.key, `there is no family ${name}`, hint),
    )
  }
  return counts
}

/** `tags: { shop: 12.5 }`. */
function readTagLimits(entry: TextEntry, report: ReportProblem): NonNullable<Limits['tags']> {
  const tags = readMapping(entry, report)
  return Object.fromEntries(
    tags?.entries.flatMap(each => {
      const amount = readAmount(each, report)
      return amount === undefined ? [] : [[each.key.source, amount] as const]
    }) ?? [],
  )
}
