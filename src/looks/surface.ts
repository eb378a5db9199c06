import { type Bars, rounded, type Surface } from './facts.ts'

/** A small picture: one or three values from 0 to 255 a pixel, row by row. */
export interface Raster {
  readonly width: number
  readonly height: number
  readonly channels: 1 | 3
  readonly values: ArrayLike<number>
}

/** Whether there is anything on it, how bright that is, and whether bars frame it. */
export function surfaceOf(raster: Raster): Surface {
  const gray = grayOf(raster)
  const bars = barsOf(gray, raster)
  return {
    spread: spreadOf(raster),
    bright: percentile(gray.length, at => gray[at] ?? 0, 0.99),
    ...(bars && { bars }),
  }
}

/** Its brightness (ITU-R BT.601). */
export function grayOf({ width, height, channels, values }: Raster): Float64Array {
  const gray = new Float64Array(width * height)
  for (let at = 0; at < gray.length; at++)
    gray[at] =
      channels === 1
        ? (values[at] ?? 0)
        : 0.299 * (values[at * 3] ?? 0) +
          0.587 * (values[at * 3 + 1] ?? 0) +
          0.114 * (values[at * 3 + 2] ?? 0)
  return gray
}

/** A thousandth may be noise of the encoder, at an edge. */
function spreadOf({ width, height, channels, values }: Raster): number {
  const pixels = width * height
  const usual = Array.from({ length: channels }, (_, channel) =>
    percentile(pixels, at => values[at * channels + channel] ?? 0, 0.5),
  )
  const away = (at: number) => {
    let most = 0
    for (let channel = 0; channel < channels; channel++)
      most = Math.max(most, Math.abs((values[at * channels + channel] ?? 0) - (usual[channel] ?? 0)))
    return most
  }
  return percentile(pixels, away, 0.999)
}

/** Of values from 0 to 255, to the whole number. */
function percentile(count: number, valueAt: (at: number) => number, share: number): number {
  const counts = new Uint32Array(256)
  for (let at = 0; at < count; at++) {
    const value = Math.round(valueAt(at))
    counts[value] = (counts[value] ?? 0) + 1
  }
  let [value, below] = [0, counts[0] ?? 0]
  while (below <= Math.min(count - 1, Math.floor(count * share))) below += counts[++value] ?? 0
  return value
}

/**
 * Bars of film: black to the edge on two opposite sides, as wide on both, and ending in a straight line where the picture begins. A
 * night sky ends in no line, and a picture that is dark as a whole has no picture between the bars.
 */
function barsOf(gray: Float64Array, size: Pick<Raster, 'width' | 'height'>): Bars | undefined {
  const { width, height } = size
  const rows = (y: number) => Array.from({ length: width }, (_, x) => gray[y * width + x] ?? 0)
  const columns = (x: number) => Array.from({ length: height }, (_, y) => gray[y * width + x] ?? 0)
  const across = barShares(height, rows)
  if (across) return { along: 'top and bottom', shares: across }
  const beside = barShares(width, columns)
  return beside && { along: 'left and right', shares: beside }
}

const blackest = 20
const narrowest = 0.03
const widest = 0.45

function barShares(count: number, line: (at: number) => number[]): [number, number] | undefined {
  const first = barLength(count, line)
  const last = barLength(count, at => line(count - 1 - at))
  const shares: [number, number] = [rounded(first / count, 2), rounded(last / count, 2)]
  if (Math.min(...shares) < narrowest || Math.max(...shares) > widest) return undefined
  return Math.abs(first - last) <= Math.max(2, 0.25 * Math.max(first, last)) ? shares : undefined
}

/** How many lines from the edge on are black, if they end where the picture begins all along; 0 otherwise. */
function barLength(count: number, line: (at: number) => number[]): number {
  let length = 0
  while (length < count && line(length).every(value => value <= blackest)) length++
  if (length === 0 || length > count / 2) return 0
  // One line may be half bar and half picture, as the picture was made small.
  const [before, beyond] = [line(length - 1), line(Math.min(count - 1, length + 1))]
  const begun = beyond.filter((value, at) => value > (before[at] ?? 0) + 16).length
  return begun >= 0.6 * beyond.length ? length : 0
}
