import { createHash } from 'node:crypto'
import { problemText } from '../base/diagnostic.ts'
import { exit } from '../base/exit.ts'
import { amountText, counted } from '../base/measure.ts'
import type { Random } from '../base/random.ts'
import type { ShownOrder, ShownQuote } from '../page/data/shown.ts'
import { firstTake, takeWord } from '../plan/picks.ts'
import type { WorkspaceRequest } from '../planning/open-workspace.ts'
import type { Quote } from '../verbs/quote.ts'
import { type RunResult, runManifest } from '../verbs/run.ts'
import type { Report, RunEvent } from '../wording/report.ts'
import type { Service } from '../workspace/service/service.ts'
import type { RunRequest } from '../workspace/workspace.ts'
import type { OrderWords, ReviewReader } from './reader.ts'

/** What is to be bought: these results once more, or what the manifest asks for and is not there, of one job or of all. */
export type OrderWish =
  | { readonly redo: readonly string[] }
  | { readonly make: string }
  | { readonly run: true }

/** ReviewOrders of the page: an amount first, and exactly that after a word. */
export interface ReviewOrders {
  quote(wish: OrderWish): Promise<ShownQuote | { readonly trouble: string }>
  /** Buys what was quoted. False where nobody was shown that amount, it was ordered already, or another order is under way. */
  order(id: string): boolean
  /** Nothing more is bought; what is paid for is kept. */
  stop(): void
  /** Tries with placeholders what was quoted, and says what came of it. Nothing is paid, and the amount stays shown. */
  rehearse(id: string): Promise<RehearsalEnd | { readonly trouble: string }>
  readonly now: ShownOrder | undefined
  /** Nothing else is ordered or picked meanwhile. */
  readonly isUnderWay: boolean
  close(): Promise<void>
}

/** What a rehearsal came to. */
type RehearsalEnd = Pick<Extract<ShownOrder, { is: 'over' }>, 'text' | 'isWell'>

export interface OrderMeans {
  readonly request: WorkspaceRequest
  readonly quote: ReviewReader['quote']
  /** What a run takes beside that: how it is limited and verified. */
  readonly more: Partial<Pick<RunRequest, 'limits' | 'verify' | 'gate'>>
  /** Gives a service for as long as the work lasts; why there is none. */
  readonly served: Serve | { readonly not: string }
  /** For a rehearsal of what would be paid for: absent where all is one. */
  readonly rehearsed?: { readonly request: WorkspaceRequest; readonly served: Serve }
  readonly random: Random
  readonly tell: (order: ShownOrder) => void
}

type Serve = <T>(work: (service: Service) => Promise<T>) => Promise<T>

/** An amount that was shown is worth nothing for longer than a person looks at it. */
const mostQuotes = 20

export function openReviewOrders(means: OrderMeans): ReviewOrders {
  const quotes = new Map<string, { readonly wish: OrderWish; readonly quote: Quote }>()
  let working: { readonly stop: AbortController; readonly over: Promise<void> } | undefined
  let now: ShownOrder | undefined
  const rehearsing = new Set<{ readonly stop: AbortController; readonly over: Promise<RehearsalEnd> }>()

  const tell = (order: ShownOrder) => {
    now = order
    means.tell(order)
  }

  async function buy(wish: OrderWish, quote: Quote, stop: AbortSignal): Promise<void> {
    const { served } = means
    if ('not' in served) return tell({ is: 'over', text: served.not, isWell: false })
    const of = quote.buys.length
    let made = 0
    tell({ is: 'under way', made, of })
    const emit = (event: RunEvent) => {
      if (event.event !== 'settled') return
      made++
      tell({ is: 'under way', made: Math.min(made, of), of })
    }
    const { request, more } = means
    const result = await served(service =>
      runManifest({ ...request, ...more, ...wordsOf(wish), ...quote.word, yes: true, service, emit, stop }),
    )
    tell(endOf(result, new Set(quote.buys.map(({ address }) => address))))
  }

  async function rehearse(
    { request, served }: NonNullable<OrderMeans['rehearsed']>,
    words: OrderWords,
    stop: AbortSignal,
  ): Promise<RehearsalEnd> {
    const run = { ...request, ...means.more, ...words, yes: true, emit: () => undefined, stop }
    const result = await served(service => runManifest({ ...run, service }))
    const { text, isWell } = endOf(result)
    return { text: isAllThere(result) ? placeholdersThere : text, isWell }
  }

  return {
    async quote(wish) {
      if ('not' in means.served) return { trouble: means.served.not }
      if (working) return { trouble: underWay }
      const result = await means.quote(wordsOf(wish))
      if (result.got !== 'quote') return { trouble: result.message }
      const id = means.random.token()
      quotes.set(id, { wish, quote: result.quote })
      for (const old of [...quotes.keys()].slice(0, -mostQuotes)) quotes.delete(old)
      return shownQuote(id, result.quote, means)
    },
    order(id) {
      const found = quotes.get(id)
      // Each is good for one order: a page that sends it twice buys once.
      quotes.delete(id)
      if (!found || working || found.quote.against.length > 0) return false
      const stop = new AbortController()
      const over = buy(found.wish, found.quote, stop.signal)
        .catch((bug: unknown) => {
          const text = bug instanceof Error ? bug.message : String(bug)
          tell({ is: 'over', text: `a bug in genrun: ${text}`, isWell: false })
        })
        .finally(() => (working = undefined))
      working = { stop, over }
      return true
    },
    stop: () => working?.stop.abort(),
    async rehearse(id) {
      const found = quotes.get(id)
      const { rehearsed } = means
      if (!found || !rehearsed || rehearsing.size > 0) return { trouble: noRehearsal }
      const stop = new AbortController()
      const work = { stop, over: rehearse(rehearsed, rehearsalOf(found), stop.signal) }
      rehearsing.add(work)
      return work.over.finally(() => rehearsing.delete(work))
    },
    get now() {
      return now
    },
    get isUnderWay() {
      return working !== undefined
    },
    async close() {
      const all = [...rehearsing, ...(working ? [working] : [])]
      for (const { stop } of all) stop.abort()
      await Promise.allSettled(all.map(({ over }) => over))
    },
  }
}

const underWay = 'an order of this page is under way: what else is wanted can be ordered when it is over'
const noRehearsal = 'there is nothing to rehearse by that, or a rehearsal is under way'

function wordsOf(wish: OrderWish): OrderWords {
  if ('redo' in wish) return { redo: true, select: { words: wish.redo.map(takeWord) } }
  return { select: 'make' in wish ? { words: [wish.make] } : {} }
}

/**
 * What is tried of an order. One take more of a job is rehearsed as that job is, by one placeholder, with what would be stale by it: in a
 * rehearsal none of the takes is there of which it would be one more, and each would be made.
 */
function rehearsalOf({ wish, quote }: { readonly wish: OrderWish; readonly quote: Quote }): OrderWords {
  if (!('redo' in wish)) return wordsOf(wish)
  const firsts = quote.buys.map(({ address }) => firstTake(address))
  return { select: { words: [...new Set([...firsts, ...quote.stale].map(takeWord))] } }
}

function isAllThere(result: RunResult): boolean {
  return result.got === 'report' && result.report.jobs.length > 0 && result.report.jobs.every(isKept)
}

const placeholdersThere =
  'its placeholders are there from a rehearsal before: nothing was made, and nothing was paid'

function shownQuote(
  id: string,
  quote: Quote,
  { request: { rehearsal: isRehearsal = false }, rehearsed }: OrderMeans,
): ShownQuote {
  const { buys, stale, free, held, against } = quote
  return {
    id,
    plan: createHash('sha256').update(JSON.stringify(quote)).digest('hex'),
    buys: buys.map(({ address, model, cost }) => ({
      address,
      model,
      ...(cost.is === 'known' && { cost: cost.amount }),
    })),
    amount:
      isRehearsal && buys.length > 0 ? 'nothing is paid, as a rehearsal makes placeholders' : amountOf(quote),
    isFree: isRehearsal || buys.length === 0,
    canRehearse: rehearsed !== undefined && buys.length > 0,
    stale,
    free,
    held,
    limits: limitTexts(quote),
    isBeyond: isBeyond(quote),
    against,
  }
}

function limitTexts({ limits: { tags = {}, services = {}, ...own }, currency, buys }: Quote): string[] {
  if (buys.length === 0) return []
  const amount = (most: number) => (currency === undefined ? String(most) : amountText(most, currency))
  const both = ({ maxCost, maxPaid }: Pick<Quote['limits'], 'maxCost' | 'maxPaid'>, where = '') => [
    ...(maxCost === undefined ? [] : [`${amount(maxCost)}${where}`]),
    ...(maxPaid === undefined ? [] : [`${counted(maxPaid, 'paid request')}${where}`]),
  ]
  return [
    ...both(own),
    ...Object.entries(tags).map(([tag, most]) => `${amount(most)} for what is tagged ${tag}`),
    ...Object.entries(services).flatMap(([name, caps]) => both(caps, ` at ${name}`)),
  ]
}

/** By what is known of it; what a tag or a service may cost is counted when it is sent. */
function isBeyond({ limits: { maxCost, maxPaid }, total, buys }: Quote): boolean {
  const isDearer = maxCost !== undefined && total.amount > maxCost
  return isDearer || (maxPaid !== undefined && buys.length > maxPaid)
}

/** What is not known is never shown as nothing. */
function amountOf({ total, currency, buys }: Quote): string {
  if (buys.length === 0) return 'nothing is to be bought'
  if (currency === undefined) return `${counted(buys.length, 'paid request')}, at a cost that is not known`
  if (total.unknown === total.jobs) return 'a cost that is not known'
  const more = total.unknown === 0 ? '' : ` and ${counted(total.unknown, 'result')} whose cost is not known`
  return `${amountText(total.amount, currency)}${more}`
}

/** `ordered`: what somebody said yes to, by its addresses. */
function endOf(
  result: RunResult,
  ordered: ReadonlySet<string> = new Set(),
): Extract<ShownOrder, { is: 'over' }> {
  switch (result.got) {
    case 'report': {
      const { report } = result
      const left = report.jobs.filter(each => ordered.has(each.address) && isLeft(each))
      return { is: 'over', text: reportText(report, left), isWell: isWell(report) && left.length === 0 }
    }
    case 'refused':
      return { is: 'over', text: result.problems.map(problemText).join('; '), isWell: false }
    case 'busy':
    case 'damaged':
      return { is: 'over', text: result.message, isWell: false }
  }
}

/** What waits for somebody's word was not ordered, and is no failure of what was. */
function isWell({ exit: code, jobs }: Report): boolean {
  return code === exit.ok || (code === exit.unfinished && !jobs.some(isBad))
}

function isKept({ ending }: Line): boolean {
  return ending === 'kept'
}

/** Not bought, by a limit or because it was stopped. */
function isLeft({ ending }: Line): boolean {
  return ending === 'skipped' || ending === 'held'
}

type Line = Report['jobs'][number]

function isBad({ ending }: Line): boolean {
  return ending === 'failed' || ending === 'doubt' || ending === 'detached'
}

function reportText({ counts, paid, rehearsal, cost, jobs }: Report, left: readonly Line[]): string {
  const { made = 0, fetched = 0 } = counts
  const bad = jobs.filter(isBad)
  const spent =
    cost?.estimated !== undefined && cost.currency !== undefined
      ? ` (${amountText(cost.estimated, cost.currency)})`
      : ''
  const paidText = rehearsal ? 'a rehearsal: nothing was paid' : `${counted(paid, 'paid request')}${spent}`
  const first = bad[0]?.message
  return [
    ...(made > 0 || fetched === 0 ? [`${counted(made, 'result')} made`] : []),
    ...(fetched > 0 ? [`${counted(fetched, 'result')} fetched`] : []),
    ...(bad.length > 0 ? [`${counted(bad.length, 'job')} not: ${first ?? ''}`] : []),
    ...(left.length > 0 ? [`${counted(left.length, 'result')} left out: ${left[0]?.message ?? ''}`] : []),
    paidText,
  ].join('; ')
}
