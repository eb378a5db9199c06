import type { Model, Param } from '../../src/catalog/index.ts'
import type { Limit } from './specification.ts'

/** Where the catalog breaks a row of the Limits table: `fama-tts prompt: 9`. Throws for a row it cannot read. */
export function limitProblems({ limit, appliesTo, value }: Limit, catalog: readonly Model[]): string[] {
  switch (limit) {
    case 'prompt length':
      return check(
        reach(appliesTo, catalog),
        'prompt',
        param => 'maxLength' in param && param.maxLength,
        bound(value),
      )
    case 'images per request':
      return check(reach(appliesTo, catalog), 'imageUrls', items, bound(value))
    case 'images per request (count)':
      return check(reach(appliesTo, catalog), 'count', listed, countsOf(value))
    case 'reference video length':
      return check(motionControl(catalog), 'characterOrientation', reference(appliesTo), bound(value))
  }
  const list = /^(\w+) items$/.exec(limit)?.[1]
  if (!list) throw new Error(`limit not understood: ${limit}`)
  return check(reach(appliesTo, catalog), list, items, bound(value))
}

/** The models a row applies to: by id, by family, or all others that have the parameter named in brackets. */
function reach(appliesTo: string, catalog: readonly Model[]): Model[] {
  const named = [...appliesTo.matchAll(/`([^`]+)`/g)].map(match => match[1])
  const ids = catalog.filter(model => named.includes(model.id))
  if (ids.length > 0) return ids
  const family = catalog.filter(model => named.includes(model.family))
  if (/^all `famc` models with a prompt$/.test(appliesTo)) return family.filter(model => model.params.prompt)
  if (/^`\w+` image models$/.test(appliesTo)) return family.filter(model => model.inputType === 't2i')
  if (appliesTo !== 'all other models with `imageUrls`') throw new Error(`not understood: ${appliesTo}`)
  const several = ['famc-3.0-image', 'famc-o1-image', 'famc-video-effects']
  return catalog.filter(model => model.params.imageUrls && !several.includes(model.id))
}

function motionControl(catalog: readonly Model[]): Model[] {
  return catalog.filter(model => model.id.startsWith('famc-motion-control'))
}

function check(
  models: readonly Model[],
  name: string,
  read: (param: Param) => unknown,
  wanted: unknown,
): string[] {
  if (models.length === 0) throw new Error(`no model has a limit on ${name}`)
  return models.flatMap(model => {
    const param = model.params[name]
    const has = param && read(param)
    return String(has) === String(wanted) ? [] : [`${model.id} ${name}: ${String(has)}`]
  })
}

function items(param: Param): unknown {
  return 'maxItems' in param && param.maxItems
}

function listed(param: Param): unknown {
  return param.type === 'enum' && param.values.join()
}

function reference(appliesTo: string): (param: Param) => unknown {
  const orientation = /orientation `(\w+)`/.exec(appliesTo)?.[1] ?? ''
  return param =>
    param.type === 'enum' && new Map(Object.entries(param.referenceSeconds ?? {})).get(orientation)
}

function bound(value: string): number {
  return Number(/(\d+)/.exec(value)?.[1])
}

function countsOf(value: string): string {
  const range = /^(\d+) to (\d+)$/.exec(value)
  if (!range) return value.split(/, | or /).join()
  return Array.from({ length: Number(range[2]) }, (_, index) => index + Number(range[1])).join()
}
