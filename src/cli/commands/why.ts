import { display } from '../../base/display.ts'
import { exit } from '../../base/exit.ts'
import { amountText } from '../../base/measure.ts'
import type { Json } from '../../base/names.ts'

import { type OriginKind, type WhyRecord, whyJob } from '../../verbs/why.ts'
import type { Given } from '../flags/given.ts'
import { noteRehearsal } from '../flags/only-rehearsed.ts'
import { type ManifestArgs, workspaceFrom } from '../flags/plan-options.ts'
import type { Colours } from '../io/colour.ts'
import type { Out } from '../io/out.ts'
import type { Surroundings } from '../io/surroundings.ts'
import { tellAgainst } from '../summary/against.ts'

/** `genrun why`: one job with its whole recipe. */
export function why(
  args: ManifestArgs & Given<'json'> & { readonly address: string },
  around: Surroundings,
  out: Out,
): number {
  const result = whyJob({ ...workspaceFrom(args, around), address: args.address })
  if (result.got !== 'why') return tellAgainst(result, args, out)
  if (args.json) out.json(result.why)
  else out.result(whyLines(result.why, out.resultPaint).join('\n'))
  noteRehearsal(args, around, out)
  return exit.ok
}

function whyLines(
  { step, model, values, inputs, needs, take, credits, accepted = [] }: WhyRecord,
  paint: Colours,
): string[] {
  const rows = [
    ['model', model.value, originText(model)],
    ...values.map(each => [each.param, brief(each.value), originText(each)]),
    ...inputs.map(each => [each.param, inputText(each), originText(each)]),
    ...(take > 1 ? [['take', String(take), '']] : []),
    ...(needs.length > 0 ? [['needs', needs.join(', '), '']] : []),
    ...(credits === undefined ? [] : [['cost', amountText(credits, 'credits'), 'as the service says']]),
  ].map(row => row.map(cell => display(cell)))
  const widths = [0, 1].map(column => Math.max(...rows.map(row => (row[column] ?? '').length)))
  const told = [...step.because, ...accepted.map(text => `accepted as it is: ${text}`)]
  const because = told.length > 0 ? told : [doing[step.do]]
  return [
    `${paint.strong(display(step.address))}: ${step.do}`,
    ...because.map(text => `  ${display(text)}`),
    '',
    ...rows.map(([name = '', value = '', origin = '']) =>
      `${name.padEnd(widths[0] ?? 0)}  ${value.padEnd(Math.min(widths[1] ?? 0, 60))}  ${paint.dim(origin)}`.trimEnd(),
    ),
  ]
}

const doing = {
  buy: 'it is to be bought',
  keep: 'it is there, and made from exactly this',
  resume: 'it is paid for and not finished',
  fetch: 'it is paid for, and its files are gone',
  restore: 'the cache has it',
  adopt: 'it is there under another name',
  hold: 'it waits',
  doubt: 'nobody knows whether it was paid for',
  aside: 'it is paid for, and nothing asks for it any more',
  drop: 'it is no longer in the manifest',
} satisfies { [what in WhyRecord['step']['do']]: string }

function inputText({ from, identity }: WhyRecord['inputs'][number]): string {
  return identity?.startsWith('sha256:') ? `${from} (${identity.slice(0, 19)}…)` : from
}

const origins = {
  job: 'the job',
  override: 'an override',
  defaults: 'the defaults',
  'built-in': 'built in',
} satisfies { [origin in OriginKind]: string }

/** `the job, m.yaml:14 (matrix.product.name, products.csv:2)`. */
function originText({
  origin,
  at,
  reads = [],
}: Pick<WhyRecord['values'][number], 'origin' | 'at' | 'reads'>): string {
  const place = at === undefined ? origins[origin] : `${origins[origin]}, ${at}`
  if (reads.length === 0) return place
  return `${place} (${reads.map(read => `${read.name}, ${read.at}`).join('; ')})`
}

function brief(value: Json): string {
  return typeof value === 'string' ? value : JSON.stringify(value)
}
