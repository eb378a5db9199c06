import type { Planned } from '../../wording/report.ts'

/** What measured durations tell about the rest of a run. Holds one record a model, whatever the number of jobs. */
interface Estimate {
  begin(plan: Planned): void
  /**
   * `seconds` from the first request to the end; undefined for a job that never began. What is skipped takes no time, and says
   * nothing of how long the rest will.
   */
  settled(model: string, seconds: number | undefined, at: number): void
  /** Jobs settled in the last minute; undefined while that says little. */
  perMinute(now: number): number | undefined
  /** Undefined while too little is measured. */
  secondsLeft(now: number, running: Iterable<Underway>): number | undefined
}

/** A job that runs since a date. */
interface Underway {
  readonly model: string
  readonly since: number
}

interface OfModel {
  left: number
  measured: number
  seconds: number
}

const minuteMs = 60_000
const fewest = 3
const leastSeconds = 5

export function openEstimate(): Estimate {
  const models = new Map<string, OfModel>()
  // Of the last minute, by second.
  const ticks = new Array<number>(60).fill(0)
  let lastTick = 0
  let began = 0
  let total = 0
  let settled = 0
  const all: OfModel = { left: 0, measured: 0, seconds: 0 }

  function tickTo(now: number): void {
    const tick = Math.floor(now / 1000)
    for (let each = Math.max(lastTick + 1, tick - 59); each <= tick; each++) ticks[each % 60] = 0
    lastTick = Math.max(lastTick, tick)
  }

  /** Jobs settled in the last minute, and how much of it there was. */
  function lately(now: number): { readonly count: number; readonly ms: number } {
    tickTo(now)
    return { count: ticks.reduce((sum, each) => sum + each, 0), ms: Math.min(minuteMs, now - began) }
  }

  function secondsByRate(now: number): number | undefined {
    const { count, ms } = lately(now)
    return count < fewest ? undefined : ((total - settled) * ms) / 1000 / count
  }

  function usual(model: string): number {
    const of = models.get(model)
    return of && of.measured > 0 ? of.seconds / of.measured : all.seconds / all.measured
  }

  return {
    begin({ at, work }) {
      began = at
      total = work.length
      lastTick = Math.floor(at / 1000)
      for (const { model } of work) {
        const of = models.get(model)
        if (of) of.left++
        else models.set(model, { left: 1, measured: 0, seconds: 0 })
      }
    },
    settled(model, seconds, at) {
      const of = models.get(model)
      if (of) of.left--
      if (seconds === undefined) {
        total--
        return
      }
      settled++
      tickTo(at)
      ticks[lastTick % 60] = (ticks[lastTick % 60] ?? 0) + 1
      for (const each of of ? [of, all] : [all]) {
        each.measured++
        each.seconds += seconds
      }
    },
    perMinute(now) {
      const { count, ms } = lately(now)
      return ms < leastSeconds * 1000 || settled < fewest ? undefined : (count * minuteMs) / ms
    },
    // What is left takes as long for each model as what is done did, with as many at a time as until now. Where most of
    // what runs takes longer than usual already, what is done was the quick part: then the rate of late tells more.
    secondsLeft(now, running) {
      const elapsed = (now - began) / 1000
      if (all.measured < fewest || settled * 20 < total || elapsed < leastSeconds) return undefined
      let [work, busy] = [0, all.seconds]
      let [alive, late] = [0, 0]
      for (const [model, { left }] of models) work += left * usual(model)
      for (const { model, since } of running) {
        const seconds = (now - since) / 1000
        busy += seconds
        alive++
        if (seconds > usual(model)) late++
        work -= Math.min(seconds, usual(model))
      }
      if (late * 2 > alive) return secondsByRate(now)
      const left = work / Math.max(1, busy / elapsed)
      // What runs takes longer than usual: nothing certain can be said.
      return left < 1 ? undefined : left
    },
  }
}
