import type { JobAddress } from '../base/names.ts'
import type { JournalEntry } from './journal-text.ts'
import { type JobEntry, lifeAfter } from './memory.ts'

/**
 * Fewer records that say the same, now and whatever follows them. For a job that came to an end, its order and its end
 * are enough; what cannot be shortened is kept whole. Pure.
 */
export function compacted(entries: readonly JournalEntry[]): JournalEntry[] {
  const kept = new Set<JournalEntry>()
  const opening = entries.findLast(entry => entry.kind === 'OPEN')
  if (opening) kept.add(opening)
  for (const life of livesOf(entries)) {
    const said = remembered(life)
    const shorter = [ends(lastOrder(life)), lastOrder(life), ordersOf(life).flatMap(ends)]
    const shortest = shorter.find(some => remembered(some) === said) ?? life
    for (const entry of shortest) kept.add(entry)
  }
  return entries.filter(entry => kept.has(entry))
}

function livesOf(entries: readonly JournalEntry[]): Iterable<readonly JobEntry[]> {
  const lives = new Map<JobAddress, JobEntry[]>()
  for (const entry of entries) {
    if (!('address' in entry)) continue
    const life = lives.get(entry.address)
    if (life) life.push(entry)
    else lives.set(entry.address, [entry])
  }
  return lives.values()
}

/** A new key begins a new order. */
function ordersOf(life: readonly JobEntry[]): JobEntry[][] {
  const orders: JobEntry[][] = []
  let key: string | undefined
  for (const entry of life) {
    const present = orders.at(-1)
    if (present && (entry.kind !== 'INTENT' || entry.key === key)) present.push(entry)
    else orders.push([entry])
    if (entry.kind === 'INTENT') key = entry.key
  }
  return orders
}

function lastOrder(life: readonly JobEntry[]): readonly JobEntry[] {
  return ordersOf(life).at(-1) ?? []
}

/** The beginning of an order, and what came of it. */
function ends(order: readonly JobEntry[]): readonly JobEntry[] {
  return order.length > 2 ? [...order.slice(0, 1), ...order.slice(-1)] : order
}

function remembered(life: readonly JobEntry[]): string {
  return JSON.stringify(lifeAfter(life))
}
