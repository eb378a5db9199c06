import type { JsonObject } from '../base/names.ts'
import type { Took } from '../store/journal/took.ts'

/**
 * How long runs take at the service: by kind, as this process has seen it, and what is known of the day before it. Runs are asked
 * after where their end is likely, and not all the way until then. Times in milliseconds.
 */
export interface Durations {
  /** A run of that kind ended between these two ages. */
  ended(kind: string, from: number, to: number): void
  /** Until the next question about a run of that age; undefined while too little is known of its kind. */
  gapMs(kind: string, ageMs: number): number | undefined
}

/** What runs of about one duration have in common, by their model and what is asked of it. */
export function durationKindOf(model: string, { duration = '' }: JsonObject): string {
  return `${model} ${String(duration)}`
}

/** Fewer may be the quick ones of many that are still under way. */
const enough = 8

/**
 * Questions until a usual run has ended. Gaps in proportion to 1/√(hazard) lose the least time for so many: log-normal with σ 0.4,
 * 5.1 % of all time with 6.7 of them on average; by age it is 6.3 % with 19, where there is time for so many.
 */
const questions = 7

/** In milliseconds: the duration of which that was found. */
const usualRunMs = 30_000

/**
 * A question costs the same however long a run takes, and so does each second that its slot is held for nothing: both together
 * are least where the number of questions grows with the root of the duration.
 */
function questionsIn(medianMs: number): number {
  return questions * Math.min(mostTimes, Math.sqrt(Math.max(1, medianMs / usualRunMs)))
}

const mostTimes = 4

/** However alike the first ones were, others may not be. */
const leastSpread = 0.1

/** Logarithms of durations: their number, sum and sum of squares. */
export interface SeenDurations {
  readonly count: number
  readonly sum: number
  readonly squares: number
}

const nothing: SeenDurations = { count: 0, sum: 0, squares: 0 }

/** `earlier`: by kind, see `seenEarlier`. */
export function openDurations(earlier: Iterable<readonly [string, SeenDurations]> = []): Durations {
  const kinds = new Map(earlier)
  return {
    ended(kind, from, to) {
      kinds.set(kind, and(kinds.get(kind) ?? nothing, from, to))
    },
    gapMs(kind, ageMs) {
      const seen = kinds.get(kind)
      return seen && seen.count >= enough ? gapOf(seen, ageMs) : undefined
    },
  }
}

function and({ count, sum, squares }: SeenDurations, from: number, to: number): SeenDurations {
  const log = Math.log(Math.max(1, (from + to) / 2))
  return { count: count + 1, sum: sum + log, squares: squares + log * log }
}

/**
 * Runs of one kind as earlier processes had them. Their ends were noticed within 13 % of their time (docs/contract.md P28); one that
 * took four times as long as half of them did was noticed by a machine that slept, or dated by a clock that was set. However many
 * there were, they count no more than a few of today's: the service may be another than it was. Pure.
 */
export function seenEarlier(took: readonly Took[]): SeenDurations {
  const spans = took.map(({ from, to }) => ({ from: Math.max(from, to / 1.13), to }))
  const median = spans.map(({ to }) => to).toSorted((a, b) => a - b)[spans.length >> 1] ?? 0
  const usual = spans.filter(({ to }) => to < 4 * median && 4 * to > median)
  const { count, sum, squares } = usual.reduce((seen, { from, to }) => and(seen, from, to), nothing)
  const share = Math.min(1, mostEarlier / Math.max(1, count))
  return { count: count * share, sum: sum * share, squares: squares * share }
}

const mostEarlier = 3 * enough

/** What the longest of so many such runs probably takes, in milliseconds. */
export function longestMs({ count, sum, squares }: SeenDurations, runs: number): number {
  const mean = sum / count
  const spread = Math.sqrt(Math.max(0, squares / count - mean * mean))
  let z = 0
  while (upperTail(z) * (runs + 1) > 1) z += step
  return Math.exp(mean + spread * z)
}

/** What such runs take on average, in milliseconds. */
export function usualMs({ count, sum, squares }: SeenDurations): number {
  const mean = sum / count
  return Math.exp(mean + Math.max(0, squares / count - mean * mean) / 2)
}

/** Durations are taken for log-normal; what is said of them here is said of `z`, in standard deviations from the median. */
function gapOf({ count, sum, squares }: SeenDurations, ageMs: number): number {
  const mean = sum / count
  const spread = Math.max(leastSpread, Math.sqrt(Math.max(0, squares / count - mean * mean)))
  const ageAt = (z: number) => Math.exp(mean + spread * z)
  const from = Math.max(earliest, (Math.log(Math.max(1, ageMs)) - mean) / spread)
  const share = weightOfAll(spread) / questionsIn(Math.exp(mean))
  let [z, weight] = [from, 0]
  while (weight < share && z < latest) {
    weight += step * densityAt(z + step / 2, spread)
    z += step
  }
  return ageAt(z) - ageMs
}

const [earliest, latest, step] = [-4, 6, 0.02]

/** How densely to ask there: the root of the hazard, which in `z` is √(λ(z) σ e^{σz}) but for a constant. */
function densityAt(z: number, spread: number): number {
  return Math.sqrt((spread * Math.exp(spread * z - (z * z) / 2)) / (Math.sqrt(2 * Math.PI) * upperTail(z)))
}

/** The questions that a run has on average, by the same constant. */
function weightOfAll(spread: number): number {
  let weight = 0
  for (let z = earliest; z < latest; z += step) weight += step * densityAt(z, spread) * upperTail(z)
  return weight
}

/** The chance to lie above `z` standard deviations (Numerical Recipes, 6.2: good to 1.2e-7 of itself everywhere). */
function upperTail(z: number): number {
  const x = Math.abs(z) / Math.SQRT2
  const t = 1 / (1 + x / 2)
  const series = coefficients.reduceRight((rest, each) => each + t * rest, 0)
  const tail = (t * Math.exp(-x * x + series)) / 2
  return z >= 0 ? tail : 1 - tail
}

const coefficients = [
  -1.26551223, 1.00002368, 0.37409196, 0.09678418, -0.18628806, 0.27886807, -1.13520398, 1.48851587,
  -0.82215223, 0.17087277,
]
