import type { Failure } from '../../../src/base/failure.ts'
import { afterEnd, afterLetGo, firstSlowStart, hasRoom } from '../../../src/engine/gates/slow-start.ts'
import { seededRandom } from '../fake.ts'

/** A service that fails by chance, and its batch. */
export interface Night {
  readonly jobs: number
  /** Runs alive at once, at most. */
  readonly slots: number
  /** How often an order brings nothing, by chance. */
  readonly rate: number
  /** How long until it is known that an order failed, and that one did not. */
  readonly failMs: number
  readonly goodMs: number
  /** After so many good results it takes money and gives nothing. */
  readonly diesAfter?: number
  /** Of `limits.maxUseless`. */
  readonly first?: number
}

interface Morning {
  readonly isStopped: boolean
  readonly paid: number
  /** Paid for nothing after it died, and how many of those were out already. */
  readonly lost: number
  readonly outAtDeath: number
}

const nothing: Failure = { why: 'remote', detail: '' }

/** The rule alone, with every order let go as soon as there is room. */
export function sleepThrough(
  { jobs, slots, rate, failMs, goodMs, diesAfter = Infinity, first }: Night,
  seed: number,
): Morning {
  const random = seededRandom(seed)
  let out: { nth: number; isGood: boolean; end: number }[] = []
  let slowStart = firstSlowStart(first)
  let [now, paid, good, lost, outAtDeath] = [0, 0, 0, 0, 0]
  while (!slowStart.ended) {
    while (paid < jobs && out.length < slots && hasRoom(slowStart)) {
      const isGood = random.next() >= rate
      slowStart = afterLetGo(slowStart, paid)
      out.push({ nth: paid++, isGood, end: now + (isGood ? goodMs : failMs) * (0.5 + random.next()) })
    }
    const first = out.reduce<(typeof out)[number] | undefined>(
      (a, b) => (a && a.end <= b.end ? a : b),
      undefined,
    )
    if (!first) break
    out = out.filter(each => each !== first)
    now = first.end
    const isUseful = first.isGood && good < diesAfter
    if (good >= diesAfter) lost++
    slowStart = afterEnd(
      slowStart,
      isUseful ? { is: 'useful' } : { is: 'useless', because: nothing },
      first.nth,
    )
    if (isUseful && ++good === diesAfter) outAtDeath = out.length
  }
  // What is out is paid for.
  if (good >= diesAfter) lost += out.length
  return { isStopped: slowStart.ended !== undefined && paid < jobs, paid, lost, outAtDeath }
}
