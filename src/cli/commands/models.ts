import { display } from '../../base/display.ts'
import { exit } from '../../base/exit.ts'
import { counted } from '../../base/measure.ts'
import { listed, nearest, offered } from '../../base/nearest.ts'
import type { Rate } from '../../catalog/model.ts'
import type { ModelSet } from '../../catalog/model-set.ts'
import type { ModelInfo, ParamInfo } from '../../forms/info.ts'
import { listModels, searchWords } from '../../verbs/models.ts'
import type { Given } from '../flags/given.ts'
import type { Colours } from '../io/colour.ts'
import type { Out } from '../io/out.ts'
import type { Surroundings } from '../io/surroundings.ts'
import type { Trouble } from '../service/service.ts'
import { modelSetFor } from '../summary/model-set.ts'
import { refuseFor } from '../words/problems.ts'

interface ModelsArgs extends Given<'family' | 'inputType' | 'catalog' | 'json'> {
  readonly words: readonly string[]
}

/** `genrun models [words…]`. Nothing found is an answer, not an error; a family or mode that does not exist is one. */
export async function showModels(args: ModelsArgs, around: Surroundings, out: Out): Promise<number> {
  const { words, family, inputType: mode } = args
  const modelSet = await modelSetFor(args, around, out)
  if (!modelSet) return exit.refused
  const all = listModels([], modelSet)
  const strange =
    strangeWord('family', family, new Set(all.map(info => info.family))) ??
    strangeWord('mode', mode, new Set(all.flatMap(info => info.modes)))
  if (strange) {
    return refuseFor(strange, out, args)
  }
  const found = listModels(words, modelSet).filter(
    info => (family ?? info.family) === info.family && (!mode || info.modes.some(each => each === mode)),
  )
  const [only, ...others] = found
  if (args.json) out.json(found)
  else if (only && others.length === 0 && all.length > 1) out.result(cardText(only, out.resultPaint))
  else if (found.length > 0) out.result(listText(found))
  if (found.length === 0)
    out.talk(
      `no model matches ${display([...words, family, mode].filter(Boolean).join(' '))}${orMeant(words, modelSet)}`,
    )
  else if (!args.json && only && others.length > 0)
    out.talk(`${counted(found.length, 'model')}; \`genrun models info ${only.id}\` shows what one takes`)
  return exit.ok
}

interface ModelInfoArgs extends Given<'catalog' | 'json'> {
  readonly id: string
}

/** `genrun models info <id>`. */
export async function showModel(args: ModelInfoArgs, around: Surroundings, out: Out): Promise<number> {
  const modelSet = await modelSetFor(args, around, out)
  if (!modelSet) return exit.refused
  const infos = listModels([], modelSet).filter(each => each.id === args.id)
  const [info] = infos
  if (!info) {
    const hint = nearest(args.id, modelSet.ids)
    const trouble: Trouble = {
      code: 'unknown-model',
      message: `there is no model ${args.id}`,
      hint: hint ? `did you mean ${hint}?` : '`genrun models` lists all of them',
    }
    return refuseFor(trouble, out, args)
  }
  if (args.json) out.json(infos.length === 1 ? info : infos)
  else out.result(infos.map(each => cardText(each, out.resultPaint)).join('\n\n'))
  return exit.ok
}

function strangeWord(
  what: string,
  word: string | undefined,
  known: ReadonlySet<string>,
): Trouble | undefined {
  if (word === undefined || known.has(word)) return undefined
  const near = nearest(word, known)
  const hint = near ? `did you mean ${near}?` : offered([...known])
  return { code: 'usage', message: `there is no ${what} ${word}`, hint }
}

function orMeant(words: readonly string[], { models }: ModelSet): string {
  const meant = words.length === 1 ? nearest(words[0] ?? '', models.flatMap(searchWords)) : undefined
  return meant ? `; did you mean ${meant}?` : ''
}

function listText(found: readonly ModelInfo[]): string {
  const isAtSeveral = (id: string) => found.filter(each => each.id === id).length > 1
  return table(
    found.map(({ id, name, modes, mode, service }) => [
      id,
      modes.join(' '),
      mode,
      isAtSeveral(id) ? `${name} (${service ?? 'the usual service'})` : name,
    ]),
  )
}

/** A model on one screen: its facts, then its parameters as a table, then what is worth knowing about them. */
function cardText(info: ModelInfo, paint: Colours): string {
  const head = [
    `${paint.strong(info.id)}: ${info.name}`,
    `family ${info.family}, ${info.modes.join(' and ')}, ${info.mode === 'execute' ? 'answers at once' : 'runs at the service'} (${info.mode})`,
    ...(info.service === undefined ? [] : [`ordered from ${info.service}`]),
    ...(info.price ? info.price.rates.map(rate => `price: ${rateText(rate, info.price?.currency)}`) : []),
    ...(info.note ? [`note: ${info.note}`] : []),
  ]
  const rows = info.params.map(param => [param.name, flags(param), param.type, standing(param), range(param)])
  const notes = info.params.filter(param => param.note).map(param => `${param.name}: ${param.note}`)
  return [head.join('\n'), table(rows), notes.join('\n')].filter(Boolean).join('\n\n')
}

/** `perImage 0.4 USD where size is large`. */
function rateText({ when, amounts }: Rate, currency = ''): string {
  const parts = Object.entries(amounts).map(([unit, amount]) => `${unit} ${amount} ${currency}`.trimEnd())
  const named = Object.entries(when).map(([name, values]) => `${name} is ${listed(values.map(String), 'or')}`)
  return [parts.join(', '), named.join(' and ')].filter(Boolean).join(' where ')
}

function flags({ flag, longFlag }: ParamInfo): string {
  return flag === longFlag ? flag : `${flag}, ${longFlag}`
}

function standing(param: ParamInfo): string {
  if (param.required) return 'required'
  return param.default === undefined ? '' : `default ${param.default}`
}

const longestValues = 64

/** What a parameter may be, in words. */
function range({ values, minimum, maximum, step, maxItems, maxLength, media, members }: ParamInfo): string {
  const parts = [
    values && valuesText(values),
    minimum !== undefined && (maximum === undefined ? `from ${minimum}` : `${minimum} to ${maximum}`),
    minimum === undefined && maximum !== undefined && `to ${maximum}`,
    step !== undefined && step !== 1 && `in steps of ${step}`,
    media,
    members && `of ${members.join(', ')}`,
    maxItems !== undefined && `up to ${maxItems}`,
    maxLength !== undefined && `up to ${maxLength} characters`,
  ]
  return parts.filter(Boolean).join(', ')
}

function valuesText(values: readonly (string | number)[]): string {
  const all = values.join(', ')
  if (all.length <= longestValues) return all
  return `${all.slice(0, all.lastIndexOf(', ', longestValues))}, … (${values.length} values, --json lists all)`
}

function table(rows: readonly (readonly string[])[]): string {
  const widths = (rows[0] ?? []).map((_, column) => Math.max(...rows.map(row => (row[column] ?? '').length)))
  return rows
    .map(row =>
      row
        .map((cell, column) => cell.padEnd(widths[column] ?? 0))
        .join('  ')
        .trimEnd(),
    )
    .join('\n')
}
