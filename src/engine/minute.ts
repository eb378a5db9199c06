/**
 * How many orders may begin within any minute: what the user allows, and what a service that turns orders away seems to.
 * A service that is full says so; one that has taken its fill for this minute answers the same, with room to spare.
 */
export interface Minute {
  /** When the next order may begin; undefined for at once. */
  opensAt(now: number): number | undefined
  begin(now: number): void
  /** An order was turned away: it began in vain. `isRoomy` when as many were there before and were no trouble. */
  turnedAway(now: number, isRoomy: boolean): void
}

const minute = 60_000

export function openMinute(allowed: number = Number.POSITIVE_INFINITY): Minute {
  let begun: number[] = []
  let guess = Number.POSITIVE_INFINITY
  /** When the guess was made or last raised. */
  let since = 0

  const recent = (now: number) => {
    begun = begun.filter(at => at > now - minute)
    return begun
  }

  return {
    opensAt(now) {
      // A minute without trouble is worth a try of a little more: the limit may be another one by now.
      if (now - since >= minute && guess < Number.POSITIVE_INFINITY) {
        guess += Math.max(1, Math.floor(guess / 10))
        since = now
      }
      const most = Math.min(allowed, guess)
      if (recent(now).length < most) return undefined
      return (begun.at(-most) ?? 0) + minute
    },
    begin: now => void begun.push(now),
    turnedAway(now, isRoomy) {
      begun.pop()
      if (!isRoomy && guess === Number.POSITIVE_INFINITY) return
      guess = Math.max(1, Math.min(guess, recent(now).length))
      since = now
    },
  }
}
