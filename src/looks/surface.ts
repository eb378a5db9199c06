import { type Bars, rounded, type Surface } from './facts.ts'

/** A small picture: one value from 0 to 255 a pixel, or red, green, blue and one that says nothing, row by row. */
export interface Raster {
  readonly width: number
  readonly height: number
  readonly channels: 1 | 4
  readonly values: Uint8Array | Uint8ClampedArray
}

/** Whether there is anything on it, how bright that is, and whether bars frame it. */
export function surfaceOf(raster: Raster, gray = grayOf(raster)): Surface {
  const bars = barsOf(gray, raster)
  const bright = new Uint32Array(256)
  for (const value of gray) count(bright, Math.round(value))
  return { spread: spreadOf(raster), bright: percentile(bright, gray.length, 0.99), ...(bars && { bars }) }
}

/** Its brightness (ITU-R BT.601). */
export function grayOf({ width, height, channels, values }: Raster): Float32Array {
  if (channels === 1) return Float32Array.from(values)
  const gray = new Float32Array(width * height)
  for (let at = 0, from = 0; at < gray.length; at++, from += 4)
    gray[at] =
      0.299 * valueAt(values, from) + 0.587 * valueAt(values, from + 1) + 0.114 * valueAt(values, from + 2)
  return gray
}

// Loops over typed arrays without closures: of what a picture costs, all that is not its decoder's.

function valueAt(values: Raster['values'], at: number): number {
  return values[at] ?? 0
}

function count(counts: Uint32Array, value: number): void {
  counts[value] = (counts[value] ?? 0) + 1
}

/** A thousandth may be noise of the encoder, at an edge. */
function spreadOf({ width, height, channels, values }: Raster): number {
  const pixels = width * height
  const away = new Uint8Array(pixels)
  for (let channel = 0; channel < Math.min(channels, 3); channel++) {
    const counts = new Uint32Array(256)
    for (let at = channel; at < values.length; at += channels) count(counts, valueAt(values, at))
    const usual = percentile(counts, pixels, 0.5)
    for (let at = 0, from = channel; at < pixels; at++, from += channels) {
      const distance = Math.abs(valueAt(values, from) - usual)
      if (distance > (away[at] ?? 0)) away[at] = distance
    }
  }
  const counts = new Uint32Array(256)
  for (const distance of away) count(counts, distance)
  return percentile(counts, pixels, 0.999)
}

/** Of so many values, counted from 0 to 255: the one below which that share of them lies. */
function percentile(counts: Uint32Array, total: number, share: number): number {
  let [value, below] = [0, counts[0] ?? 0]
  while (below <= Math.min(total - 1, Math.floor(total * share))) below += counts[++value] ?? 0
  return value
}

/**
 * Bars of film: black to the edge on two opposite sides, as wide on both, and ending in a straight line where the picture begins. A
 * night sky ends in no line, and a picture that is dark as a whole has no picture between the bars.
 */
function barsOf(gray: Float32Array, size: Pick<Raster, 'width' | 'height'>): Bars | undefined {
  const { width, height } = size
  const rows = (y: number) => gray.subarray(y * width, (y + 1) * width)
  const columns = (x: number) => Float32Array.from({ length: height }, (_, y) => gray[y * width + x] ?? 0)
  const across = barShares(height, rows)
  if (across) return { along: 'top and bottom', shares: across }
  const beside = barShares(width, columns)
  return beside && { along: 'left and right', shares: beside }
}

const blackest = 20
const narrowest = 0.03
const widest = 0.45

function barShares(count: number, line: (at: number) => Float32Array): [number, number] | undefined {
  const first = barLength(count, line)
  const last = barLength(count, at => line(count - 1 - at))
  const shares: [number, number] = [rounded(first / count, 2), rounded(last / count, 2)]
  if (Math.min(...shares) < narrowest || Math.max(...shares) > widest) return undefined
  return Math.abs(first - last) <= Math.max(2, 0.25 * Math.max(first, last)) ? shares : undefined
}

/** How many lines from the edge on are black, if they end where the picture begins all along; 0 otherwise. */
function barLength(count: number, line: (at: number) => Float32Array): number {
  let length = 0
  while (length < count && line(length).every(value => value <= blackest)) length++
  if (length === 0 || length > count / 2) return 0
  // One line may be half bar and half picture, as the picture was made small.
  const [before, beyond] = [line(length - 1), line(Math.min(count - 1, length + 1))]
  const begun = beyond.filter((value, at) => value > (before[at] ?? 0) + 16).length
  return begun >= 0.6 * beyond.length ? length : 0
}
