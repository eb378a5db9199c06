import { relative } from 'node:path'
import { display } from '../../base/display.ts'
import { clockText, counted } from '../../base/measure.ts'
import type { OrderLeftOpen } from '../../verbs/orders/open-orders.ts'
import type { RunProgress } from '../../verbs/status.ts'
import { type AtWork, wordsOn } from '../../wording/command.ts'
import { likeness } from './likeness.ts'

/** What is open, in words of a report. */
export const openWords = {
  doubt: 'in doubt',
  'under-way': 'paid for and not fetched',
  missing: 'made, and its files are gone',
  gone: 'gone at the service',
  failed: 'failed',
  short: 'delivered short',
  refused: 'refused, nothing was billed',
  anew: 'ordered anew by `resolve`',
  held: 'held',
} as const

/** So many orders that look alike are told one by one. */
const mostAlone = 3

/** So many blocks are read; the rest is told as a number. */
const mostBlocks = 20

interface About extends Pick<AtWork, 'manifest' | 'cwd' | 'output'> {
  /** See `StatusRecord`. */
  readonly isOfCalls?: boolean | undefined
}

/** What is open, a block of lines for each order; many that look alike are one block, and a very long list ends early. */
export function openOrderBlocks(orders: readonly OrderLeftOpen[], about: About): string[] {
  const blocks = groupsOf(orders).flatMap(group =>
    group.length > mostAlone
      ? [{ lines: groupLines(group, about), orders: group.length }]
      : group.map(order => ({ lines: orderLines(order, about), orders: 1 })),
  )
  const beyond = blocks.slice(mostBlocks).reduce((sum, block) => sum + block.orders, 0)
  const rest = beyond > 0 ? [`and ${beyond} more; --json lists them all`] : []
  return [...blocks.slice(0, mostBlocks).map(({ lines }) => lines.join('\n')), ...rest].map(block =>
    block
      .split('\n')
      .map(line => display(line, 500))
      .join('\n'),
  )
}

/** In the order of their first. An order whose answer names a run stands alone: the id is what settles it. */
function groupsOf(orders: readonly OrderLeftOpen[]): OrderLeftOpen[][] {
  const groups = new Map<string, OrderLeftOpen[]>()
  for (const order of orders) {
    const { is, detail, next, ids, address } = order
    const key = ids.length > 0 ? address : JSON.stringify([is, likeness(detail), next])
    const group = groups.get(key)
    if (group) group.push(order)
    else groups.set(key, [order])
  }
  return [...groups.values()]
}

function orderLines(order: OrderLeftOpen, about: About): string[] {
  const { address, is, detail, since, run, workflow, files = [], ids, next, remedy } = order
  const facts = [
    openWords[is],
    since !== undefined && `since ${new Date(since).toISOString()}`,
    run && `run ${run}`,
    workflow && `workflow ${workflow}`,
  ].filter(Boolean)
  return [
    `${address}: ${facts.join(', ')}`,
    ...(detail ? [`  ${detail}`] : []),
    ...files.map(path => `  kept: ${relative(about.cwd, path)}`),
    ...ids.map(id => `  the answer holds the id ${id}`),
    `  ${whoNext(about)} ${next}`,
    ...(remedy ? [`  ${remedy}`] : []),
  ]
}

function groupLines(group: readonly OrderLeftOpen[], about: About): string[] {
  const [first] = group
  if (!first) return []
  const names = group.slice(0, mostAlone).map(({ address }) => address)
  const { is, detail, next } = first
  const isSame = group.every(order => order.detail === detail)
  const remedy = groupRemedy(first, about)
  const [kept, ...more] = group.flatMap(({ files = [] }) => files)
  const since = is === 'doubt' ? sinceText(group) : ''
  return [
    `${counted(group.length, 'job')} ${openWords[is]}${since}: ${names.join(', ')} and ${group.length - names.length} more`,
    ...(detail ? [`  ${isSame ? '' : 'for instance '}${detail}`] : []),
    ...(kept
      ? [`  kept: ${relative(about.cwd, kept)}${more.length > 0 ? ` and ${more.length} more` : ''}`]
      : []),
    `  of each, ${whoNext(about)} ${next}`,
    ...(remedy ? [`  ${remedy}`] : []),
  ]
}

/** What `resolve --after` and `--before` go by: `, since 2026-03-01T10:00:00.000Z to 2026-03-01T10:04:00.000Z`. */
function sinceText(group: readonly OrderLeftOpen[]): string {
  const dates = group.flatMap(({ since }) => (since === undefined ? [] : [since])).toSorted((a, b) => a - b)
  const [first, last] = [dates.at(0), dates.at(-1)].map(at => at !== undefined && new Date(at).toISOString())
  if (!first) return ''
  const some = dates.length < group.length ? ` (${dates.length} of them)` : ''
  return `, since ${first}${first === last ? '' : ` to ${last}`}${some}`
}

function groupRemedy({ is, remedy }: OrderLeftOpen, { isOfCalls, ...on }: About): string | undefined {
  if (remedy === undefined) return undefined
  const all = wordsOn(on)
  if (is === 'failed' && !isOfCalls) return `genrun run ${all} --failed orders again all that failed`
  if (is === 'short' && !isOfCalls) return `genrun run ${all} --failed orders what they lack`
  if (is === 'gone' && !isOfCalls)
    return `genrun run ${all} --rebuy asks for each once more and orders anew what is gone`
  return `for instance ${remedy}`
}

function whoNext({ isOfCalls }: About): string {
  return isOfCalls ? 'the same call' : 'the next run'
}

/** How far the run at work is: `it has made 120 of 300 jobs in 4m10s; at this pace the rest takes about 6m15s`. */
export function progressText({ made, left, seconds, secondsLeft }: RunProgress): string {
  const soFar = `it has made ${made} of ${counted(made + left, 'job')} in ${clockText(seconds)}`
  if (left === 0) return `${soFar}, and is about to end`
  return secondsLeft === undefined
    ? soFar
    : `${soFar}; at this pace the rest takes about ${clockText(secondsLeft)}`
}
