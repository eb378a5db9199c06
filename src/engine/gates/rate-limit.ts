/**
 * How many orders may begin within any minute: what the user allows, and what a service that turns orders away seems to.
 * A service that is full says so; one that has taken its fill for this minute answers the same, with room to spare. So does
 * one that is only moody: a guess is made late, tried soon, and given up as soon as an order is taken against it.
 */
interface RateLimit {
  /** When one more order may begin while so many others are about to; undefined for at once, and infinite while it hangs on those. */
  opensAt(now: number, toBegin?: number): number | undefined
  begin(now: number): void
  /** An order that began then was taken. */
  taken(begunAt: number): void
  /** An order was turned away: it began in vain. `isRoomy` when as many were there before and were no trouble. */
  turnedAway(now: number, isRoomy: boolean): void
  /** An order that began then did not leave after all. */
  unsent(begunAt: number): void
}

const rateLimit = 60_000

/** So many orders turned away with room to spare, and none taken in between, are no mood. */
const enough = 3

/** After a guess, how soon an order goes against it; the second only when the first was turned away. */
const trialsMs = [5_000, 20_000]

/** What the service seems to allow. */
interface Guess {
  readonly most: number
  /** When it was made or last raised. */
  readonly since: number
  /** When orders go against it. */
  readonly trials: readonly number[]
  /** When the last of them went. */
  readonly triedAt?: number
}

export function openRateLimit(allowed: number = Number.POSITIVE_INFINITY): RateLimit {
  /** All that left count for the user's limit, and for the guess those that were not turned away. */
  const begun = openMinute()
  const inTime = openMinute()
  let guess: Guess | undefined
  let inVain = 0

  return {
    opensAt(now, toBegin = 0) {
      const mayAt = begun.opensAt(now, allowed - toBegin)
      if (mayAt !== undefined || !guess) return mayAt
      guess = raised(guess, now)
      const seemsAt = inTime.opensAt(now, guess.most - toBegin)
      const [trial] = guess.trials
      if (seemsAt === undefined || trial === undefined) return seemsAt
      if (now < trial) return Math.min(trial, seemsAt)
      // One that is about to begin may be the trial itself.
      return toBegin > 0 ? seemsAt : undefined
    },
    begin(now) {
      if (guess && inTime.count(now) >= guess.most)
        guess = { ...guess, trials: guess.trials.slice(1), triedAt: now }
      begun.add(now)
      inTime.add(now)
    },
    taken(begunAt) {
      inVain = 0
      if (guess?.triedAt !== undefined && begunAt >= guess.triedAt) guess = undefined
    },
    turnedAway(now, isRoomy) {
      inTime.removeLast()
      inVain++
      const most = Math.max(1, Math.min(guess?.most ?? Number.POSITIVE_INFINITY, inTime.count(now)))
      if (guess) guess = { most, since: now, trials: guess.trials }
      else if (isRoomy && inVain >= enough) guess = { most, since: now, trials: trialsMs.map(ms => now + ms) }
    },
    unsent(begunAt) {
      begun.remove(begunAt)
      inTime.remove(begunAt)
    },
  }
}

/** The dates of a minute, in their order, so that none is looked at again once it has left the minute. */
function openMinute() {
  let dates: number[] = []
  let left = 0

  function count(now: number): number {
    while ((dates[left] ?? now) <= now - rateLimit) left++
    if (left > dates.length / 2) {
      dates = dates.slice(left)
      left = 0
    }
    return dates.length - left
  }

  return {
    count,
    add: (now: number) => void dates.push(now),
    removeLast() {
      if (dates.length > left) dates.pop()
    },
    remove(date: number) {
      const at = dates.lastIndexOf(date)
      if (at >= left) dates.splice(at, 1)
    },
    /** When it has fewer than `most`; undefined for now, and infinite for never. */
    opensAt(now: number, most: number): number | undefined {
      if (count(now) < most) return undefined
      return (most > 0 ? (dates.at(-most) ?? 0) : Number.POSITIVE_INFINITY) + rateLimit
    },
  }
}

/** A minute without trouble is worth a try of a little more: the limit may be another one by now. */
function raised(guess: Guess, now: number): Guess {
  if (now - guess.since < rateLimit) return guess
  return { ...guess, most: guess.most + Math.max(1, Math.floor(guess.most / 10)), since: now }
}
