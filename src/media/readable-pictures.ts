import { pngOf, type Shades, shadesOf } from './picture-pixels.ts'

/** A reader of letters is best at this size: those of a sign are some dozen pixels high. */
const side = 1000
const brightness = [0.299, 0.587, 0.114] as const
const red = [1, 0, 0] as const
const blue = [0, 0, 1] as const

/** Letters that stand aslant by more than some 4° are read as others: about so much, in radians. */
const slant = 0.09
/** A reader sees two equal letters beside each other as one, but for wide ones. */
const wider = 1.5

/** As PNG. */
interface ReadablePicture {
  readonly plain: Buffer
  /** The same with wider letters. */
  wide(): Buffer
}

/**
 * A picture as a reader of letters sees it best, in several ways: its brightness; what stands out from what is around it; its red
 * and its blue, where letters are as bright as their ground; the first two turned either way. Throws where it cannot be unpacked.
 */
export async function* readablePictures(bytes: Uint8Array): AsyncGenerator<ReadablePicture> {
  const [gray, ...others] = (await shadesOf(bytes, side, [brightness, red, blue])) ?? []
  if (!gray) throw new Error('it cannot be unpacked here')
  yield readable(gray)
  const outstanding = standingOut(gray)
  for (const shades of [outstanding, ...others]) yield readable(shades)
  for (const turn of [slant, -slant]) for (const shades of [gray, outstanding]) yield readable(shades, turn)
}

function readable(shades: Shades, turn = 0): ReadablePicture {
  return { plain: pngOf(shades, { turn }), wide: () => pngOf(shades, { turn, wide: wider }) }
}

/** Each pixel by how far it lies from those around it, in steps of how much these differ (a square of an eighth of the width). */
function standingOut({ width, height, values }: Shades): Shades {
  const [sums, squares] = [
    summed(values, width, height),
    summed(
      values.map(value => value * value),
      width,
      height,
    ),
  ]
  const reach = Math.round(width / 16)
  const found = new Float32Array(values.length)
  for (let y = 0, at = 0; y < height; y++) {
    const [top, bottom] = [Math.max(0, y - reach), Math.min(height, y + reach + 1)]
    for (let x = 0; x < width; x++, at++) {
      const [left, right] = [Math.max(0, x - reach), Math.min(width, x + reach + 1)]
      const within = (all: Float64Array) =>
        (all[bottom * (width + 1) + right] ?? 0) -
        (all[top * (width + 1) + right] ?? 0) -
        (all[bottom * (width + 1) + left] ?? 0) +
        (all[top * (width + 1) + left] ?? 0)
      const pixels = (right - left) * (bottom - top)
      const mean = within(sums) / pixels
      const spread = Math.sqrt(Math.max(0, within(squares) / pixels - mean * mean))
      found[at] = Math.min(255, Math.max(0, 160 + (70 * ((values[at] ?? 0) - mean)) / (spread + noise)))
    }
  }
  return { width, height, values: found }
}

/** Less than that is no letter. */
const noise = 12

/** For each corner the sum of all that lies above it and left of it: one row and one column more. */
function summed(values: Float32Array, width: number, height: number): Float64Array {
  const sums = new Float64Array((width + 1) * (height + 1))
  for (let y = 0; y < height; y++) {
    let row = 0
    for (let x = 0; x < width; x++) {
      row += values[y * width + x] ?? 0
      sums[(y + 1) * (width + 1) + x + 1] = (sums[y * (width + 1) + x + 1] ?? 0) + row
    }
  }
  return sums
}
