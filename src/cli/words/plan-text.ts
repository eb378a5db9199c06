import { display, displayWidth, truncate } from '../../base/display.ts'
import { aboutTimeText, amountText, counted, grouped } from '../../base/measure.ts'
import { listed } from '../../base/nearest.ts'

import type { PlanRecord, StepRecord } from '../../planning/plan-record.ts'
import type { Colours } from '../io/colour.ts'
import { aboutText } from './about-cost.ts'

const widestNames = 40
/** More reasons than that for jobs of one model are not read by anybody. */
const mostReasons = 8

/** How a plan is laid out. */
interface PlanRoom {
  /** Of the terminal: a reason that does not fit has a line of its own. */
  readonly columns?: number | undefined
  /** A line for each job, also for those of which nothing is to be said. */
  readonly isEachJob?: boolean
  /** Of a rehearsal, which pays nothing. */
  readonly isRehearsal?: boolean | undefined
}

/** Everything the plan does, one line for all jobs of which the same is to be said; then the cost; then the sum. */
export function planLines(plan: PlanRecord, paint: Colours, room: PlanRoom = {}): string[] {
  const sections = [stepLines(plan, paint, room), costLines(plan, paint), [sumText(plan, paint, room)]]
  return sections
    .filter(lines => lines.length > 0)
    .flatMap((lines, nth) => (nth === 0 ? lines : ['', ...lines]))
}

function stepLines(
  plan: PlanRecord,
  paint: Colours,
  { columns = Infinity, isEachJob, isRehearsal }: PlanRoom,
): string[] {
  const groups = isEachJob ? plan.steps.map(alone) : groupsTold(plan)
  const rows = groups.map(({ steps }) => [
    namesText(steps),
    display(steps[0]?.model ?? ''),
    groupCost(steps, plan),
  ])
  const widths = [0, 1, 2].map(column => Math.max(0, ...rows.map(row => displayWidth(row[column] ?? ''))))
  return groups.flatMap(({ steps, because }, nth) => {
    const what = steps[0]?.do ?? 'keep'
    const cells = (rows[nth] ?? []).map((cell, column) => {
      const space = ' '.repeat((widths[column] ?? 0) - displayWidth(cell))
      // Amounts stand below each other by their ends.
      return column === 2 ? space + cell : cell + space
    })
    const shown = cells.filter((_, column) => (widths[column] ?? 0) > 0)
    const word = (isRehearsal && what === 'buy' ? 'make' : words[what]).padEnd(wordWidth)
    const head = [coloured(what, word, paint), ...shown].join('  ')
    const reason = display(because, 300)
    const isFitting = displayWidth([word, ...shown, reason].join('  ')) <= columns
    if (isFitting) return [`${head}  ${paint.dim(reason)}`.trimEnd()]
    return [head.trimEnd(), `${' '.repeat(wordWidth + 2)}${paint.dim(reason)}`]
  })
}

/** What concerns money first. */
const order: readonly StepRecord['do'][] = [
  'buy',
  'resume',
  'fetch',
  'restore',
  'adopt',
  'hold',
  'doubt',
  'aside',
  'drop',
  'keep',
]

const words: { readonly [what in StepRecord['do']]: string } = {
  buy: 'buy',
  resume: 'resume',
  fetch: 'fetch',
  restore: 'restore',
  adopt: 'adopt',
  hold: 'held',
  doubt: 'in doubt',
  aside: 'aside',
  drop: 'dropped',
  keep: 'kept',
}

const wordWidth = Math.max(...Object.values(words).map(word => word.length))

function coloured(what: StepRecord['do'], text: string, paint: Colours): string {
  if (what === 'buy') return paint.strong(text)
  if (what === 'doubt') return paint.error(text)
  return what === 'hold' ? paint.warning(text) : text
}

/** Jobs of which the same is to be said. */
interface Group {
  readonly steps: readonly StepRecord[]
  readonly because: string
}

function alone(step: StepRecord): Group {
  return { steps: [step], because: step.because.join('; ') }
}

function groupsTold({ steps }: PlanRecord): Group[] {
  const told = steps.filter(step => step.do !== 'keep' || step.because.length > 0)
  return order.flatMap(what => groupsOf(told.filter(step => step.do === what)))
}

function groupsOf(steps: readonly StepRecord[]): Group[] {
  // What is known of the cost of some is not hidden by the others.
  const byModel = grouping(steps, step => `${step.model ?? ''} ${step.cost?.is ?? ''}`)
  return byModel.flatMap(alike => {
    const groups = grouping(alike, step => step.because.join('; ')).map(each => ({
      steps: each,
      because: each[0]?.because.join('; ') ?? '',
    }))
    if (groups.length <= mostReasons) return groups
    const others = `and ${counted(groups.length - 1, 'other reason')}; --verbose tells each`
    return [{ steps: alike, because: `${groups[0]?.because}, ${others}` }]
  })
}

/** In the order in which the first of each came. */
function grouping(steps: readonly StepRecord[], keyOf: (step: StepRecord) => string): StepRecord[][] {
  const groups = new Map<string, StepRecord[]>()
  for (const step of steps) {
    const group = groups.get(keyOf(step))
    if (group) group.push(step)
    else groups.set(keyOf(step), [step])
  }
  return [...groups.values()]
}

/** `hero, clip[a], clip[b], still ×12`: by id where there are many. */
function namesText(steps: readonly StepRecord[]): string {
  const names = grouping(steps, step => idOf(step.address)).flatMap(each =>
    each.length <= 2
      ? each.map(step => display(step.address))
      : [`${display(idOf(each[0]?.address ?? ''))} ×${grouped(each.length)}`],
  )
  const text = names.join(', ')
  if (displayWidth(text) <= widestNames) return text
  const [first = '', ...others] = names
  if (others.length === 0) return truncate(first, widestNames)
  const shown: string[] = [first]
  for (const name of others) {
    if (displayWidth([...shown, name].join(', ')) > widestNames - 12) break
    shown.push(name)
  }
  const hidden = steps.length - countOf(shown, steps)
  return `${truncate(shown.join(', '), widestNames - 12)} and ${grouped(hidden)} more`
}

function countOf(shown: readonly string[], steps: readonly StepRecord[]): number {
  return steps.filter(({ address }) =>
    shown.some(name => name === display(address) || name.startsWith(`${display(idOf(address))} ×`)),
  ).length
}

function idOf(address: string): string {
  return address.replace(/[[#].*$/s, '')
}

function groupCost(group: readonly StepRecord[], { cost: { currency } }: PlanRecord): string {
  if (currency === undefined || group[0]?.do !== 'buy') return ''
  const known = group.flatMap(({ cost }) => (cost?.is === 'known' ? [cost.amount] : []))
  if (known.length < group.length) return 'not known'
  return amountText(
    known.reduce((sum, amount) => sum + amount, 0),
    currency,
  )
}

function costLines({ cost }: PlanRecord, paint: Colours): string[] {
  const { currency, byModel, byTag, total, unknown } = cost
  if (currency === undefined || total.jobs === 0) return []
  const rows = [
    ...byModel.map(({ model, ...sum }, nth) => [nth === 0 ? 'by model' : '', display(model), sum] as const),
    ...byTag.map(({ tag, ...sum }, nth) => [nth === 0 ? 'by tag' : '', display(tag), sum] as const),
  ]
  const width = Math.max(...rows.map(([, name]) => displayWidth(name)))
  const lines = rows.map(([head, name, sum]) => {
    const space = ' '.repeat(width - displayWidth(name))
    return `${paint.dim(head.padEnd(wordWidth))}  ${name}${space}  ${counted(sum.jobs, 'job').padStart(8)}  ${sumOfCost(sum, currency)}`
  })
  return [...lines, ...unknown.map(why => paint.warning(`not known: ${display(why)}`))]
}

function sumOfCost(
  sum: { readonly jobs: number; readonly amount: number; readonly unknown: number },
  currency: string,
): string {
  if (sum.unknown === sum.jobs) return 'not known'
  const amount = amountText(sum.amount, currency)
  return sum.unknown === 0 ? amount : `${amount} and ${counted(sum.unknown, 'job')} whose cost is not known`
}

/** `14 paid requests, about 12.40 USD; 3 adopted, 20 up to date`. */
export function sumText(plan: PlanRecord, paint: Colours, { isRehearsal }: PlanRoom = {}): string {
  const { counts, paid, again } = plan
  const short = plan.steps.filter(step => step.short).length
  const rest = endings.flatMap(([what, word]) => {
    const count = counts[what] ?? 0
    const more = what === 'keep' && short > 0 ? ` (${grouped(short)} delivered short)` : ''
    return count > 0 ? [`${grouped(count)} ${word}${more}`] : []
  })
  if (paid === 0 && rest.length <= 1 && counts.keep && short === 0)
    return `nothing to do: ${counted(counts.keep, 'job is', 'jobs are')} up to date`
  const anew = again > 0 ? [`${grouped(again)} of them for what is there already`] : []
  const orders = isRehearsal
    ? counted(paid, 'request to rehearse', 'requests to rehearse')
    : counted(paid, 'paid request')
  const head = paint.strong(`${orders}${whereText(plan)}${aboutText(plan)}`)
  const time = plan.expectedSeconds === undefined ? '' : aboutTimeText(plan.expectedSeconds)
  return [[head, ...anew].join(', '), rest.join(', '), time].filter(Boolean).join('; ')
}

/** ` (2 at studio, 1 at the usual service)`; empty where no job names a service. */
function whereText({ steps }: PlanRecord): string {
  const bought = steps.filter(step => step.do === 'buy')
  const names = [...new Set(bought.map(step => step.service))]
  if (names.every(name => name === undefined)) return ''
  const parts = names.map(name => {
    const count = bought.filter(step => step.service === name).length
    return `${grouped(count)} at ${name === undefined ? 'the usual service' : display(name)}`
  })
  return ` (${parts.join(', ')})`
}

const endings: readonly (readonly [StepRecord['do'], string])[] = [
  ['resume', 'resumed'],
  ['fetch', 'fetched again'],
  ['restore', 'from the cache'],
  ['adopt', 'adopted'],
  ['keep', 'up to date'],
  ['hold', 'held'],
  ['doubt', 'in doubt'],
  ['drop', 'dropped'],
]

/** `14 clips and 2 images`: what is bought, by what it is. */
export function boughtText(plan: PlanRecord): string {
  const bought = plan.steps.filter(step => step.do === 'buy')
  const parts = kinds.flatMap(([kind, one]) => {
    const count = bought.filter(step => step.kind === kind).length
    return count > 0 ? [counted(count, one)] : []
  })
  return listed(parts)
}

const kinds = [
  ['image', 'image'],
  ['video', 'clip'],
  ['audio', 'sound'],
] as const
