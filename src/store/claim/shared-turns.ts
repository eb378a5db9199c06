import { createHash } from 'node:crypto'
import { join } from 'node:path'
import { defined } from '../../base/defined.ts'
import { isOwnFolder, leaveNote, moveNote, noteNames, removeNote } from '../../disk/notes.ts'

/**
 * Turns that the processes of one machine share, so that all of them together ask a service no more often than one may.
 * Nothing here waits or fails: where nothing can be shared, `take` says so, and each process keeps its own rate.
 *
 * All that is known stands in the names of empty files, so that nothing is ever opened that somebody may have put there,
 * and no crash leaves anything half written. `turn-<date>` is the last turn that was given out: who renames it has the
 * next one, as only one process can rename a file that is there. `runs-<who>-<count>-<date>` says how many runs a
 * process asks after, `slow-<per 1000 s>-<date>` what a 429 left of the rate. Only the time of day can be compared across
 * processes; a clock that was set makes dates in the future, which count for nothing.
 */
export interface SharedTurns {
  /** Takes the next turn. `alive` runs are asked after here; `gapMs` tells how far apart turns are, seeing the others. */
  take(alive: number, gapMs: (seen: TurnsSeen) => number): Taken | undefined
  /** The service answered 429: so many questions a second are left. */
  slow(perSecond: number): void
  /** Nothing is asked after here any more. */
  leave(): void
}

export type Taken =
  | { readonly is: 'turn'; readonly waitMs: number }
  /** Many wait already: try again after that. */
  | { readonly is: 'crowded'; readonly waitMs: number }

/** What the others have left. */
export interface TurnsSeen {
  /** Runs that other processes ask after. */
  readonly others: number
  readonly slowed?: { readonly perSecond: number; readonly agoMs: number }
}

interface SharedTurnsOptions {
  /** Of the user's own; made when it is not there, and refused when others could write to it. */
  readonly folder: string
  readonly origin: string
  /** The time of day, in milliseconds. */
  readonly wall: () => number
  /** Tells this process from every other. */
  readonly token: string
}

/** Times in milliseconds. */
const rules = {
  /** No turn is taken further ahead: what is dated later comes from a clock that was set. */
  aheadMs: 5000,
  crowdedMs: 1000,
  /** How old what a process says about its runs may be, and how often it says it anew. */
  runsMs: 30_000,
  sayAgainMs: 10_000,
  changeMs: 1000,
  /** By then the rate is what it was. */
  slowMs: 10 * 60_000,
  /** What nobody can need any more. */
  leftoverMs: 60 * 60_000,
  attempts: 8,
} as const

export function openSharedTurns({ folder, origin, wall, token }: SharedTurnsOptions): SharedTurns {
  const place = join(folder, createHash('sha256').update(origin).digest('hex').slice(0, 32))
  const self = token.slice(0, 12)
  let isChecked = false
  let said: { readonly alive: number; readonly at: number } | undefined

  const at = (name: string) => join(place, name)
  const runsName = ({ alive, at: date }: { readonly alive: number; readonly at: number }) =>
    `runs-${self}-${alive}-${date}`

  /** Whether the folder can be used; made when it is not there. */
  function isOpen(): boolean {
    isChecked ||= isOwnFolder(folder) && isOwnFolder(place)
    return isChecked
  }

  function say(alive: number, now: number): void {
    const age = said ? Math.abs(now - said.at) : Number.POSITIVE_INFINITY
    if (said && age < (said.alive === alive ? rules.sayAgainMs : rules.changeMs)) return
    const next = { alive, at: now }
    if (!said || !moveNote(at(runsName(said)), at(runsName(next)))) leaveNote(at(runsName(next)))
    said = next
  }

  function attempt(alive: number, gapMs: (seen: TurnsSeen) => number): Taken | undefined {
    for (let nth = 0; nth < rules.attempts; nth++) {
      const now = wall()
      const notes = noteNames(place).flatMap(readNote)
      const { last, from } = lastTurn(notes, now)
      const next = Math.ceil(Math.max(now, last + gapMs(seenIn(notes, self, now))))
      if (next > now + rules.aheadMs) return { is: 'crowded', waitMs: rules.crowdedMs }
      if (!from) {
        // Everybody begins with the same name, so that only one of those who begin together has the first turn.
        leaveNote(at('turn-0'))
        continue
      }
      if (!moveNote(at(from), at(`turn-${next}`))) continue
      tidy(notes, from, now)
      say(alive, now)
      return { is: 'turn', waitMs: next - now }
    }
    return undefined
  }

  function tidy(notes: readonly Note[], turn: string, now: number): void {
    for (const each of notes) if (each.name !== turn && isLeftover(each, now)) removeNote(at(each.name))
  }

  return {
    take(alive, gapMs) {
      try {
        return isOpen() ? attempt(alive, gapMs) : undefined
      } catch {
        // Swept away, or no longer ours to write to: looked at anew the next time.
        isChecked = false
        return undefined
      }
    },
    slow(perSecond) {
      try {
        if (isOpen()) leaveNote(at(`slow-${Math.round(perSecond * 1000)}-${wall()}`))
      } catch {
        isChecked = false
      }
    },
    leave() {
      if (said) removeNote(at(runsName(said)))
      said = undefined
    },
  }
}

type Note =
  | { readonly is: 'turn'; readonly name: string; readonly date: number }
  | {
      readonly is: 'runs'
      readonly name: string
      readonly date: number
      readonly who: string
      readonly count: number
    }
  | { readonly is: 'slow'; readonly name: string; readonly date: number; readonly perSecond: number }

/** Names that mean nothing are nobody's, and left alone. */
function readNote(name: string): Note[] {
  const [kind, ...parts] = name.split('-')
  const numbers = parts.map(part => (/^\d{1,15}$/.test(part) ? Number(part) : Number.NaN))
  const [first = Number.NaN, second = Number.NaN, third = Number.NaN] = numbers
  if (kind === 'turn' && parts.length === 1 && first >= 0) return [{ is: 'turn', name, date: first }]
  if (kind === 'slow' && parts.length === 2 && first > 0 && second >= 0)
    return [{ is: 'slow', name, perSecond: first / 1000, date: second }]
  const [who = ''] = parts
  if (kind === 'runs' && parts.length === 3 && second >= 0 && third >= 0)
    return [{ is: 'runs', name, who, count: second, date: third }]
  return []
}

/** The last turn that was given out, and the file to rename; a date that no process can have written counts for nothing. */
function lastTurn(notes: readonly Note[], now: number): { readonly last: number; readonly from?: string } {
  const turns = notes.filter(note => note.is === 'turn').toSorted((a, b) => b.date - a.date)
  const valid = turns.find(({ date }) => date <= now + rules.aheadMs)
  const from = (valid ?? turns[0])?.name
  return { last: valid?.date ?? 0, ...defined({ from }) }
}

function seenIn(notes: readonly Note[], self: string, now: number): TurnsSeen {
  let others = 0
  let slowed: { perSecond: number; date: number } | undefined
  for (const note of notes) {
    if (note.is === 'runs' && note.who !== self && Math.abs(now - note.date) <= rules.runsMs)
      others += note.count
    // The latest was made from those before it.
    if (note.is === 'slow' && isRecent(note.date, now) && note.date >= (slowed?.date ?? 0)) slowed = note
  }
  if (!slowed) return { others }
  const { perSecond, date } = slowed
  return { others, slowed: { perSecond, agoMs: Math.max(0, now - date) } }
}

function isRecent(date: number, now: number): boolean {
  return date <= now + rules.aheadMs && now - date <= rules.slowMs
}

function isLeftover(note: Note, now: number): boolean {
  switch (note.is) {
    case 'turn':
      return true
    case 'slow':
      return !isRecent(note.date, now)
    case 'runs':
      return Math.abs(now - note.date) > rules.leftoverMs
  }
}
