/**
 * How many orders may begin within any minute: what the user allows, and what a service that turns orders away seems to.
 * A service that is full says so; one that has taken its fill for this minute answers the same, with room to spare. So does
 * one that is only moody: a guess is made late, tried soon, and given up as soon as an order is taken against it.
 */
interface RateLimit {
  /** When the next order may begin; undefined for at once. */
  opensAt(now: number): number | undefined
  begin(now: number): void
  /** An order that began then was taken. */
  taken(begunAt: number): void
  /** An order was turned away: it began in vain. `isRoomy` when as many were there before and were no trouble. */
  turnedAway(now: number, isRoomy: boolean): void
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
  // In the order of their dates, so that none is looked at again once it has left the minute.
  let begun: number[] = []
  let left = 0
  let guess: Guess | undefined
  let inVain = 0

  const recent = (now: number) => {
    while ((begun[left] ?? now) <= now - rateLimit) left++
    if (left > begun.length / 2) {
      begun = begun.slice(left)
      left = 0
    }
    return begun.length - left
  }
  const opening = (now: number, most: number) =>
    recent(now) < most ? undefined : (begun.at(-most) ?? 0) + rateLimit

  return {
    opensAt(now) {
      const mayAt = opening(now, allowed)
      if (mayAt !== undefined || !guess) return mayAt
      guess = raised(guess, now)
      const seemsAt = opening(now, guess.most)
      const [trial] = guess.trials
      if (seemsAt === undefined || trial === undefined) return seemsAt
      return now < trial ? Math.min(trial, seemsAt) : undefined
    },
    begin(now) {
      if (guess && recent(now) >= guess.most)
        guess = { ...guess, trials: guess.trials.slice(1), triedAt: now }
      begun.push(now)
    },
    taken(begunAt) {
      inVain = 0
      if (guess?.triedAt !== undefined && begunAt >= guess.triedAt) guess = undefined
    },
    turnedAway(now, isRoomy) {
      if (begun.length > left) begun.pop()
      inVain++
      const most = Math.max(1, Math.min(guess?.most ?? Number.POSITIVE_INFINITY, recent(now)))
      if (guess) guess = { most, since: now, trials: guess.trials }
      else if (isRoomy && inVain >= enough) guess = { most, since: now, trials: trialsMs.map(ms => now + ms) }
    },
  }
}

/** A minute without trouble is worth a try of a little more: the limit may be another one by now. */
function raised(guess: Guess, now: number): Guess {
  if (now - guess.since < rateLimit) return guess
  return { ...guess, most: guess.most + Math.max(1, Math.floor(guess.most / 10)), since: now }
}
