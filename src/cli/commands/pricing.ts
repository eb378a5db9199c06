import { defined } from '../../base/defined.ts'
import { display } from '../../base/display.ts'
import { exit } from '../../base/exit.ts'
import { amountText } from '../../base/measure.ts'
import { units } from '../../catalog/model.ts'
import { readPriceFlags } from '../../convert/price-flags.ts'
import { unitWords } from '../../forms/cost.ts'
import { type PriceRecord, priceModel } from '../../verbs/price.ts'
import { commandLine } from '../flags/command-line.ts'
import type { Given } from '../flags/given.ts'
import type { Out } from '../io/out.ts'
import type { Surroundings } from '../io/surroundings.ts'
import { namedTexts } from '../io/texts.ts'
import { tellAgainst } from '../summary/against.ts'
import { modelSetFor } from '../summary/model-set.ts'

interface PricingArgs extends Given<'prices' | 'catalog' | 'json'> {
  readonly id: string
  /** The model's flags and their values, as written. */
  readonly flags: readonly string[]
}

/** `genrun pricing`: what a generation is counted by, and its amount when there are prices. */
export async function pricing(args: PricingArgs, around: Surroundings, out: Out): Promise<number> {
  const modelSet = await modelSetFor(args, around, out)
  if (!modelSet) return exit.refused
  const { id: model, prices, json, flags } = args
  const { cwd } = around
  const line = commandLine('genrun pricing', [model, ...flags])
  const [word, ...words] = line.words
  const read = readPriceFlags(
    { file: line.file, model: word, words },
    { texts: namedTexts(around), modelSet, cwd },
  )
  if (!read.value) return tellAgainst({ got: 'refused', problems: read.problems }, { json }, out)
  const result = priceModel({
    model,
    params: read.value,
    cwd,
    modelSet,
    ...defined({ prices }),
  })
  if (result.got !== 'price') return tellAgainst(result, { json }, out)
  if (json) out.json(result.price)
  else out.result(priceLines(result.price).join('\n'))
  return exit.ok
}

function priceLines({ model, dimensions, quantities, cost, currency }: PriceRecord): string[] {
  const rows = dimensions.map(
    ({ dimension, value }) => [dimension, value === undefined ? '' : String(value)] as const,
  )
  const width = Math.max(0, ...rows.map(([name]) => name.length))
  const counted = units
    .filter(unit => unit !== 'perRun' && quantities[unit] !== undefined)
    .map(unit => quantityText(quantities[unit], unitWords[unit]))
  return [
    rows.length > 0 ? `${model} costs by` : `${model} costs by the run`,
    ...rows.map(([name, value]) => `  ${name.padEnd(width)}  ${display(value)}`.trimEnd()),
    ...(counted.length > 0 ? [`one run: ${counted.join(', ')}`] : []),
    cost.is === 'known'
      ? amountText(cost.amount, currency ?? '')
      : `the amount is not known: ${display(cost.why)}`,
  ]
}

/** `1 image`, `4.5 seconds`. */
function quantityText(quantity: number | undefined, words: string): string {
  return `${quantity} ${quantity === 1 ? words.replace(/s$/, '') : words}`
}
