import { display } from '../../base/display.ts'
import { exit } from '../../base/exit.ts'
import type { Json } from '../../base/names.ts'
import { findModel, type Param, paramOf } from '../../catalog/index.ts'
import { type PriceRecord, priceModel } from '../../desk/price.ts'
import { amountText, units, unitWords } from '../../forms/cost.ts'
import { paramByFlag } from '../../forms/flags.ts'
import { tellAgainst } from '../against.ts'
import type { PricingAsked } from '../desk-asked.ts'
import type { Out } from '../out.ts'
import { troubleText } from '../problems.ts'
import type { Surroundings } from '../surroundings.ts'

/** `genrun pricing`: what a generation is counted by, and its amount when there are prices. */
export function pricing(asked: PricingAsked, around: Surroundings, out: Out): number {
  const params = readFlags(asked.id, asked.flags)
  if ('message' in params) {
    const hint = `\`genrun models info ${asked.id}\` lists its flags`
    out.talk(troubleText({ code: 'usage', message: params.message, hint }, out.paint))
    return exit.refused
  }
  const { id: model, prices, json } = asked
  const result = priceModel({
    model,
    params: params.values,
    cwd: around.cwd,
    ...(prices !== undefined && { prices }),
  })
  if (result.got !== 'price') return tellAgainst(result, { json }, out)
  if (json) out.json(result.price)
  else out.result(priceLines(result.price).join('\n'))
  return exit.ok
}

type Flags = { readonly values: { readonly [param: string]: Json } } | { readonly message: string }

/** `-d 10 --speed=pro --multi-shot`, by the model's own flags. An unknown model is told elsewhere. */
function readFlags(id: string, words: readonly string[]): Flags {
  const model = findModel(id)
  const values: { [param: string]: Json } = {}
  if (!model) return { values }
  for (let nth = 0; nth < words.length; nth++) {
    const [flag, inline] = splitFlag(words[nth] ?? '')
    const name = flag.startsWith('-') ? paramByFlag(model, flag) : undefined
    const param = name === undefined ? undefined : paramOf(model, name)
    if (name === undefined || !param) return { message: `${id} has no flag ${flag}` }
    const next = words[nth + 1]
    // A switch alone is on; every other flag has its value behind it.
    const isAlone = inline === undefined && param.type === 'boolean' && next !== 'true' && next !== 'false'
    const text = isAlone ? 'true' : (inline ?? next)
    if (text === undefined) return { message: `${flag} is given without its value` }
    if (!isAlone && inline === undefined) nth++
    values[name] = valueOf(param, text)
  }
  return { values }
}

function splitFlag(word: string): [string, string | undefined] {
  const sign = word.indexOf('=')
  return sign < 0 ? [word, undefined] : [word.slice(0, sign), word.slice(sign + 1)]
}

/** A command line knows only text; what is no value stays text, for the check to tell. */
function valueOf(param: Param, text: string): Json {
  switch (param.type) {
    case 'text':
    case 'file':
    case 'object[]':
      return text
    case 'boolean':
      return text === 'true' ? true : text === 'false' ? false : text
    case 'integer':
    case 'number':
      return numeric(text) ?? text
    case 'enum':
      return param.values.find(value => String(value) === text) ?? numeric(text) ?? text
  }
}

function numeric(text: string): number | undefined {
  const value = Number(text)
  return text.trim() !== '' && Number.isFinite(value) ? value : undefined
}

function priceLines({ model, dimensions, quantities, cost, currency }: PriceRecord): string[] {
  const rows = dimensions.map(
    ({ dimension, value }) => [dimension, value === undefined ? '' : String(value)] as const,
  )
  const width = Math.max(0, ...rows.map(([name]) => name.length))
  const counted = units
    .filter(unit => unit !== 'perRun' && quantities[unit] !== undefined)
    .map(unit => `${quantities[unit]} ${unitWords[unit]}`)
  return [
    `${model} costs by`,
    ...rows.map(([name, value]) => `  ${name.padEnd(width)}  ${display(value)}`.trimEnd()),
    ...(counted.length > 0 ? [`one run: ${counted.join(', ')}`] : []),
    cost.is === 'known'
      ? amountText(cost.amount, currency ?? '')
      : `the amount is not known: ${display(cost.why)}`,
  ]
}
