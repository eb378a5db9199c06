import type { JobAddress } from '../base/names.ts'
import type { JournalEntry } from './journal-text.ts'
import { foldJournal } from './memory.ts'

/**
 * Fewer records that say the same: for every job `foldJournal` gives what it gave before. For a job that came to an
 * end, its order and its end are enough; what cannot be shortened is kept whole. Pure.
 */
export function compacted(entries: readonly JournalEntry[]): JournalEntry[] {
  const kept = new Set<JournalEntry>()
  const opening = entries.findLast(entry => entry.kind === 'OPEN')
  if (opening) kept.add(opening)
  for (const life of livesOf(entries)) {
    const said = remembered(life)
    const shortest = [ends(life), lastOrder(life), life].find(some => remembered(some) === said)
    for (const entry of shortest ?? life) kept.add(entry)
  }
  return entries.filter(entry => kept.has(entry))
}

type JobEntry = Extract<JournalEntry, { address: JobAddress }>

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

function lastOrder(life: readonly JobEntry[]): readonly JobEntry[] {
  const key = life.findLast(entry => entry.kind === 'INTENT')?.key
  const start = life.findIndex(entry => entry.kind === 'INTENT' && entry.key === key)
  return life.slice(Math.max(0, start))
}

/** The last order and what came of it. */
function ends(life: readonly JobEntry[]): readonly JobEntry[] {
  const order = lastOrder(life)
  return [...order.slice(0, 1), ...order.slice(1).slice(-1)]
}

function remembered(life: readonly JobEntry[]): string {
  return JSON.stringify([...foldJournal(life).values()])
}
