/**
 * How long runs take at the service, as this process has seen it: by kind, for instance a model and the seconds that were
 * asked for. Runs are asked after where their end is likely, and not all the way until then. Times in milliseconds.
 */
export interface Durations {
  /** A run of that kind ended between these two ages. */
  ended(kind: string, from: number, to: number): void
  /** Until the next question about a run of that age; undefined while too little is known of its kind. */
  gapMs(kind: string, ageMs: number): number | undefined
}

/** Fewer may be the quick ones of many that are still under way. */
const enough = 8

/**
 * Questions until a usual run has ended. Gaps in proportion to 1/√(hazard) lose the least time for so many: log-normal with σ 0.4,
 * 5.1 % of all time with 6.7 of them on average; by age it is 6.3 % with 19, where there is time for so many.
 */
const questions = 7

/** However alike the first ones were, others may not be. */
const leastSpread = 0.1

/** Logarithms of durations: their number, sum and sum of squares. */
interface Seen {
  readonly count: number
  readonly sum: number
  readonly squares: number
}

export function openDurations(): Durations {
  const kinds = new Map<string, Seen>()
  return {
    ended(kind, from, to) {
      const log = Math.log(Math.max(1, (from + to) / 2))
      const { count, sum, squares } = kinds.get(kind) ?? { count: 0, sum: 0, squares: 0 }
      kinds.set(kind, { count: count + 1, sum: sum + log, squares: squares + log * log })
    },
    gapMs(kind, ageMs) {
      const seen = kinds.get(kind)
      return seen && seen.count >= enough ? gapOf(seen, ageMs) : undefined
    },
  }
}

/** Durations are taken for log-normal; what is said of them here is said of `z`, in standard deviations from the median. */
function gapOf({ count, sum, squares }: Seen, ageMs: number): number {
  const mean = sum / count
  const spread = Math.max(leastSpread, Math.sqrt(Math.max(0, squares / count - mean * mean)))
  const ageAt = (z: number) => Math.exp(mean + spread * z)
  const from = Math.max(earliest, (Math.log(Math.max(1, ageMs)) - mean) / spread)
  const share = weightOfAll(spread) / questions
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
