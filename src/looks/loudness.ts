/**
 * Loudness by ITU-R BS.1770-4: each channel through two filters, mean squares of 400 ms each 100 ms, gated at −70 LUFS and again 10 LU
 * below what is left.
 */
interface LoudnessMeter {
  /** Interleaved samples, full scale at 1. */
  add(samples: ArrayLike<number>, count: number): void
  /** Integrated, in LUFS; undefined where everything lies below the gate. */
  integrated(): number | undefined
}

export function newLoudnessMeter(rate: number, channels: number): LoudnessMeter {
  const stages = [shelf(rate), highPass(rate)]
  const filters = Array.from({ length: channels }, () => stages.map(newFilter))
  const perStep = Math.round(rate / 10)
  const steps: number[] = []
  let [sum, inStep] = [0, 0]
  return {
    add(samples, count) {
      for (let at = 0; at < count; ) {
        for (let channel = 0; channel < channels; channel++, at++) {
          const [first, second] = filters[channel] ?? []
          const heard = second?.(first?.(samples[at] ?? 0) ?? 0) ?? 0
          sum += weightOf(channel, channels) * heard * heard
        }
        if (++inStep < perStep) continue
        steps.push(sum / perStep)
        sum = 0
        inStep = 0
      }
    },
    integrated: () => gated(blocksOf(steps)),
  }
}

/** Of five and more channels the fourth is the one of low frequencies, and those behind it are the surround. */
function weightOf(channel: number, channels: number): number {
  if (channels < 5) return 1
  if (channels > 5 && channel === 3) return 0
  return channel >= (channels > 5 ? 4 : 3) ? 1.41 : 1
}

/** Mean squares of four steps each; a sound that is shorter is one block. */
function blocksOf(steps: readonly number[]): number[] {
  if (steps.length < 4) return steps.length === 0 ? [] : [mean(steps)]
  return steps.slice(3).map((_, at) => mean(steps.slice(at, at + 4)))
}

function gated(blocks: readonly number[]): number | undefined {
  const heard = blocks.filter(block => lufs(block) > -70)
  if (heard.length === 0) return undefined
  const least = lufs(mean(heard)) - 10
  return lufs(mean(heard.filter(block => lufs(block) > least)))
}

function mean(values: readonly number[]): number {
  return values.reduce((sum, each) => sum + each, 0) / values.length
}

function lufs(meanSquare: number): number {
  return -0.691 + 10 * Math.log10(meanSquare)
}

interface Biquad {
  readonly b: readonly [number, number, number]
  readonly a: readonly [number, number]
}

/** The standard's figures are for 48 kHz; this is the analog filter that they come from, at any rate. */
function shelf(rate: number): Biquad {
  const [gain, q, k] = [3.999843853973347, 0.7071752369554196, Math.tan((Math.PI * 1681.974450955533) / rate)]
  const high = 10 ** (gain / 20)
  const band = high ** 0.4996667741545416
  const scale = 1 + k / q + k * k
  return {
    b: [
      (high + (band * k) / q + k * k) / scale,
      (2 * (k * k - high)) / scale,
      (high - (band * k) / q + k * k) / scale,
    ],
    a: [(2 * (k * k - 1)) / scale, (1 - k / q + k * k) / scale],
  }
}

function highPass(rate: number): Biquad {
  const [q, k] = [0.5003270373238773, Math.tan((Math.PI * 38.13547087602444) / rate)]
  const scale = 1 + k / q + k * k
  return { b: [1, -2, 1], a: [(2 * (k * k - 1)) / scale, (1 - k / q + k * k) / scale] }
}

function newFilter({ b: [b0, b1, b2], a: [a1, a2] }: Biquad): (value: number) => number {
  let [x1, x2, y1, y2] = [0, 0, 0, 0]
  return value => {
    const made = b0 * value + b1 * x1 + b2 * x2 - a1 * y1 - a2 * y2
    x2 = x1
    x1 = value
    y2 = y1
    y1 = made
    return made
  }
}
