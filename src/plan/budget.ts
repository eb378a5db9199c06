import { defined } from '../base/defined.ts'
import { type Cost, roundAmount } from '../forms/cost.ts'

/** What one run may spend. Absent: not limited. */
export interface Caps {
  /** Paid requests that may be on their way, taken or in doubt. */
  readonly maxPaid?: number
  readonly maxCost?: number
  /** What the jobs of a tag may cost together. */
  readonly tags?: { readonly [tag: string]: number }
  /** What one service may be paid, by its name. */
  readonly services?: { readonly [service: string]: ServiceCaps }
}

interface ServiceCaps {
  readonly maxPaid?: number
  readonly maxCost?: number
}

/** What was spent, or may have been. */
export interface Spent {
  readonly paid: number
  readonly cost: number
  readonly tags: { readonly [tag: string]: number }
  readonly services: { readonly [service: string]: { readonly paid: number; readonly cost: number } }
}

export const nothingSpent: Spent = { paid: 0, cost: 0, tags: {}, services: {} }

/** A paid request about to leave. */
export interface Outlay {
  readonly cost: Cost
  readonly tags: readonly string[]
  /** Where it is ordered; the usual service when absent. */
  readonly service?: string | undefined
}

type Reservation =
  | { readonly got: 'reserved'; readonly spent: Spent }
  | { readonly got: 'over'; readonly why: string }

/** Takes a request's cost out of the budget before it leaves, or says what does not allow it. Pure. */
export function reserve(spent: Spent, { cost, tags, service }: Outlay, caps: Caps): Reservation {
  const capped = cappedTags(tags, caps)
  const there = service === undefined ? undefined : capsOf(service, caps)
  const paidThere = spentAt(spent, service)
  if (caps.maxPaid !== undefined && spent.paid + 1 > caps.maxPaid)
    return over(`this run may make ${requests(caps.maxPaid)} at most`)
  if (there?.maxPaid !== undefined && paidThere.paid + 1 > there.maxPaid)
    return over(`this run may make ${requests(there.maxPaid)} at ${service} at most`)
  const amount = cost.is === 'known' ? cost.amount : 0
  const isCostCapped = caps.maxCost !== undefined || there?.maxCost !== undefined || capped.length > 0
  // What is not known could be anything.
  if (isCostCapped && cost.is === 'unknown')
    return over(`what it costs is not known (${cost.why}), and the cost is limited`)
  if (caps.maxCost !== undefined && roundAmount(spent.cost + amount) > caps.maxCost)
    return over(`this run may cost ${caps.maxCost} at most`)
  if (there?.maxCost !== undefined && roundAmount(paidThere.cost + amount) > there.maxCost)
    return over(`this run may cost ${there.maxCost} at ${service} at most`)
  for (const [tag, most] of capped) {
    if (roundAmount((spent.tags[tag] ?? 0) + amount) > most)
      return over(`the jobs tagged ${tag} may cost ${most} at most`)
  }
  return { got: 'reserved', spent: add(spent, { paid: 1, amount, capped, service }) }
}

function requests(most: number): string {
  return `${most} paid ${most === 1 ? 'request' : 'requests'}`
}

function capsOf(service: string, { services = {} }: Caps): ServiceCaps | undefined {
  return Object.hasOwn(services, service) ? services[service] : undefined
}

function spentAt(
  { services }: Spent,
  service: string | undefined,
): { readonly paid: number; readonly cost: number } {
  const known = service !== undefined && Object.hasOwn(services, service) ? services[service] : undefined
  return known ?? { paid: 0, cost: 0 }
}

/**
 * Gives back the place of a request of which no byte left, or that was definitely refused: it is proven to cost nothing. A doubt
 * is never given back.
 */
export function giveBack(spent: Spent, { cost, tags, service }: Outlay, caps: Caps): Spent {
  const amount = cost.is === 'known' ? cost.amount : 0
  return add(spent, { paid: -1, amount: -amount, capped: cappedTags(tags, caps), service })
}

interface Change {
  readonly paid: number
  readonly amount: number
  readonly capped: readonly (readonly [string, number])[]
  readonly service: string | undefined
}

function add(spent: Spent, { paid, amount, capped, service }: Change): Spent {
  const tags = Object.fromEntries(
    capped.map(([tag]) => [tag, roundAmount((spent.tags[tag] ?? 0) + amount)] as const),
  )
  const there = spentAt(spent, service)
  const now = { paid: there.paid + paid, cost: roundAmount(there.cost + amount) }
  return {
    paid: spent.paid + paid,
    cost: roundAmount(spent.cost + amount),
    tags: { ...spent.tags, ...tags },
    services: service === undefined ? spent.services : { ...spent.services, [service]: now },
  }
}

function cappedTags(tags: readonly string[], caps: Caps): [string, number][] {
  return Object.entries(caps.tags ?? {}).filter(([tag]) => tags.includes(tag))
}

function over(why: string): Reservation {
  return { got: 'over', why }
}

/** The lowest of every cap that is given anywhere. */
export function lowestCaps(...all: readonly (Caps | undefined)[]): Caps {
  const given = all.filter(caps => caps !== undefined)
  const tags = [...new Set(given.flatMap(caps => Object.keys(caps.tags ?? {})))]
  const maxPaid = lowest(given.map(caps => caps.maxPaid))
  const maxCost = lowest(given.map(caps => caps.maxCost))
  const services = [...new Set(given.flatMap(caps => Object.keys(caps.services ?? {})))]
  return {
    ...defined({ maxPaid, maxCost }),
    ...(tags.length > 0 && {
      tags: Object.fromEntries(tags.map(tag => [tag, lowest(given.map(caps => caps.tags?.[tag])) ?? 0])),
    }),
    ...(services.length > 0 && {
      services: Object.fromEntries(
        services.map(name => [name, lowestCaps(...given.map(caps => capsOf(name, caps)))]),
      ),
    }),
  }
}

function lowest(values: readonly (number | undefined)[]): number | undefined {
  const given = values.filter(value => value !== undefined)
  // What is no number limits to nothing: it comes from outside, and must not take the other caps away.
  return given.length > 0 ? Math.min(...given.map(each => (Number.isFinite(each) ? each : 0))) : undefined
}
