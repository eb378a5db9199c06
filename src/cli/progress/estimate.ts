import type { JobAddress } from '../../base/names.ts'
import type { Planned } from '../../wording/report.ts'

/**
 * What durations tell about the rest of a run: those of the last day to begin with, and what is measured as it comes. Holds one record a
 * model, and one for each job that others wait for.
 */
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
  readonly address: JobAddress
  readonly model: string
  readonly since: number
}

interface OfModel {
  left: number
  measured: number
  seconds: number
  /** Of all that were measured. */
  longest: number
  /** By the results of the last day: how long so many of its jobs take together. */
  told: number
  usual: number
}

const minuteMs = 60_000
const fewest = 3
const leastSeconds = 5
/** What the last day tells counts as so many that were measured. */
const mostTold = 24
/** Of so many jobs that are left one may be of a model of which nothing is known. */
const mostUnknown = 10
/** Chains are measured anew when so much more of the work has settled. */
const stretch = 20

export function openEstimate(): Estimate {
  const models = new Map<string, OfModel>()
  // Of the last minute, by second.
  const ticks = new Array<number>(60).fill(0)
  let lastTick = 0
  let began = 0
  let total = 0
  let settled = 0
  const all: OfModel = newModel()
  let work: Planned['work'] = []
  let expected: number | undefined
  const behind = new Map<JobAddress, number>()
  let chained = 0

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

  function usual(model: string): number | undefined {
    const of = models.get(model)
    const told =
      of && of.told > 0 ? { count: Math.min(of.told, mostTold), seconds: of.usual / of.told } : none
    const count = (of?.measured ?? 0) + told.count
    if (of && count > 0) return (of.seconds + told.count * told.seconds) / count
    return all.measured > 0 ? all.seconds / all.measured : undefined
  }

  /** Of the longest row of jobs that wait for one another behind each. */
  function measureChains(): void {
    chained = settled
    behind.clear()
    for (const { address, model, needs } of work.toReversed()) {
      const its = (behind.get(address) ?? 0) + (usual(model) ?? 0)
      for (const need of needs) behind.set(need, Math.max(behind.get(need) ?? 0, its))
    }
  }

  return {
    begin(plan) {
      began = plan.at
      work = plan.work
      total = work.length
      expected = plan.expectedSeconds
      lastTick = Math.floor(plan.at / 1000)
      for (const { model, seconds } of work) {
        const of = models.get(model) ?? newModel()
        models.set(model, of)
        of.left++
        if (seconds === undefined) continue
        of.told++
        of.usual += seconds
      }
      measureChains()
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
      // The first of its model.
      if (of?.measured === 0) chained = Number.NEGATIVE_INFINITY
      for (const each of of ? [of, all] : [all]) {
        each.measured++
        each.seconds += seconds
        each.longest = Math.max(each.longest, seconds)
      }
    },
    perMinute(now) {
      const { count, ms } = lately(now)
      return ms < leastSeconds * 1000 || settled < fewest ? undefined : (count * minuteMs) / ms
    },
    // What is left takes as long for each model as what is done did, with as many at a time as now, and no less than the longest
    // row of jobs that wait for one another. Where most of what runs takes longer than usual already, what is done was the quick
    // part: then the rate of late tells more.
    secondsLeft(now, running) {
      const elapsed = (now - began) / 1000
      if (elapsed < leastSeconds) return undefined
      const isMeasured = all.measured >= fewest && settled * 20 >= total
      if (!isMeasured) return expected === undefined ? undefined : sureOf(expected - elapsed)
      if (settled - chained > total / stretch) measureChains()
      let [busy, alive, late, chain, ahead, tail, unknown] = [all.seconds, 0, 0, 0, 0, 0, 0]
      for (const [model, { left, longest, told, measured }] of models) {
        if (told + measured === 0) unknown += left
        const its = usual(model) ?? 0
        ahead += left * its
        if (left > 0) tail = Math.max(tail, (longest - its) / 2)
      }
      for (const { address, model, since } of running) {
        const seconds = (now - since) / 1000
        const its = usual(model) ?? 0
        busy += seconds
        alive++
        if (seconds > its) late++
        ahead -= Math.min(seconds, its)
        chain = Math.max(chain, its - seconds + (behind.get(address) ?? 0))
      }
      if (unknown * mostUnknown > total - settled) return undefined
      if (late * 2 > alive) {
        const byRate = secondsByRate(now)
        return byRate === undefined ? undefined : Math.max(byRate, chain)
      }
      return sureOf(Math.max(ahead / Math.max(1, alive, busy / elapsed), chain) + tail)
    },
  }
}

/** What runs takes longer than usual: nothing certain can be said. */
function sureOf(seconds: number): number | undefined {
  return seconds < 1 ? undefined : seconds
}

const none = { count: 0, seconds: 0 }

function newModel(): OfModel {
  return { left: 0, measured: 0, seconds: 0, longest: 0, told: 0, usual: 0 }
}
