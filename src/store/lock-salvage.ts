import { type Locked, readEntry } from './lock-entry.ts'

/** What can still be read of a lock that is damaged. */
export interface Salvaged {
  readonly lineage?: string
  readonly purchases: readonly Locked[]
}

/**
 * Every line that is a whole purchase, whatever stands around it: of both sides of a merge conflict the last line of a
 * purchase counts, and a text that was cut ends with the last whole line. Pure.
 */
export function salvageLock(text: string): Salvaged {
  const lineage = /"lineage":"([0-9a-f]{32})"/.exec(text)?.[1]
  const purchases = new Map<string, Locked>()
  for (const line of text.split('\n')) {
    const entry = entryIn(line.trim().replace(/,$/, ''))
    if (!entry) continue
    const before = purchases.get(entry.id)
    // Paid for and there is more than anything else that is told of it.
    if (before?.is !== 'done' || entry.is === 'done') purchases.set(entry.id, entry)
  }
  return { ...(lineage !== undefined && { lineage }), purchases: [...purchases.values()] }
}

function entryIn(line: string): Locked | undefined {
  if (!line.startsWith('{')) return undefined
  try {
    const entry = readEntry(JSON.parse(line))
    return typeof entry === 'string' ? undefined : entry
  } catch {
    return undefined
  }
}
