import type { Chance } from '../order/chance.ts'

/** A CSS colour, `#rrggbb`. */
export type Colour = string

/** Colours that go together. `paper` and `ink` are readable on each other; the rest is told apart from both. */
export interface Palette {
  readonly paper: Colour
  readonly ink: Colour
  /** Between paper and ink: small print on either. */
  readonly muted: Colour
  /** The field behind everything. */
  readonly background: Colour
  /** Five strong colours, neighbours in this list contrasting. */
  readonly accents: readonly [Colour, Colour, Colour, Colour, Colour]
}

/** Hue steps from the first colour, in degrees: near relatives, opposites, thirds. */
const schemes = [
  [0, 35, 185, 60, 205],
  [0, 150, 25, 190, 50],
  [0, 120, 240, 30, 145],
  [0, -40, 170, -75, 25],
  [0, 75, 20, 215, 100],
] as const

export function paletteFrom(chance: Chance): Palette {
  const hue = chance.between(0, 360)
  const hues = chance.pick(schemes).map(step => hue + step)
  const isDark = chance.next() < 0.4
  const [a, b, c, d, e] = hues as [number, number, number, number, number] // every scheme has five steps
  return {
    paper: colour(0.965, 0.014, a),
    ink: colour(0.22, 0.045, deep(c)),
    muted: colour(0.53, 0.03, deep(c)),
    background: isDark ? colour(0.3, 0.07, deep(c)) : colour(0.9, 0.05, b),
    accents: [
      colour(0.66, 0.17, a),
      colour(0.84, 0.13, b),
      colour(0.45, 0.13, deep(c)),
      colour(0.75, 0.13, d),
      colour(0.58, 0.15, e),
    ],
  }
}

/** Dark yellow is mud; its hues become blue where a dark colour is wanted. */
function deep(hue: number): number {
  const turn = ((hue % 360) + 360) % 360
  return turn > 50 && turn < 135 ? hue + 165 : hue
}

/** A colour as far between two as `share` says: 0 is the first, 1 the second. */
export function mixed(from: Colour, to: Colour, share: number): Colour {
  const start = channels(from)
  const end = channels(to)
  return hex(start.map((value, k) => (value + (end[k]! - value) * share) / 255))
}

/** From OKLCH (lightness 0 to 1, chroma, hue in degrees), with less chroma where a screen cannot show it. */
function colour(lightness: number, chroma: number, hue: number): Colour {
  const angle = (hue * Math.PI) / 180
  for (let strength = chroma; strength > 0.005; strength -= 0.005) {
    const rgb = linear(lightness, strength * Math.cos(angle), strength * Math.sin(angle))
    if (rgb.every(value => value >= 0 && value <= 1)) return hex(rgb.map(gamma))
  }
  return hex(linear(lightness, 0, 0).map(gamma))
}

/** OKLab to linear sRGB (the published matrices of the colour space). */
function linear(lightness: number, a: number, b: number): number[] {
  const long = (lightness + 0.3963377774 * a + 0.2158037573 * b) ** 3
  const middle = (lightness - 0.1055613458 * a - 0.0638541728 * b) ** 3
  const short = (lightness - 0.0894841775 * a - 1.291485548 * b) ** 3
  return [
    4.0767416621 * long - 3.3077115913 * middle + 0.2309699292 * short,
    -1.2684380046 * long + 2.6097574011 * middle - 0.3413193965 * short,
    -0.0041960863 * long - 0.7034186147 * middle + 1.707614701 * short,
  ]
}

function gamma(value: number): number {
  const inside = Math.min(1, Math.max(0, value))
  return inside <= 0.0031308 ? 12.92 * inside : 1.055 * inside ** (1 / 2.4) - 0.055
}

function hex(rgb: readonly number[]): Colour {
  return `#${rgb
    .map(value =>
      Math.round(value * 255)
        .toString(16)
        .padStart(2, '0'),
    )
    .join('')}`
}

function channels(from: Colour): number[] {
  return [1, 3, 5].map(at => Number.parseInt(from.slice(at, at + 2), 16))
}
