import type { BitWriter } from './bits.ts'
import { allButDirect, allOf, putBlock } from './cavlc.ts'
import {
  type BlockPlace,
  type CodedPlane,
  count,
  countAt,
  expected,
  isFlat,
  showBlock,
  showDirect,
  subtract,
} from './plane.ts'
import { dequantiseLumaDirect, forward, quantise, quantiseLumaDirect } from './transform.ts'

/** Intra16x16 prediction modes by their numbers (table 8-4). */
const vertical = 0
const horizontal = 1
const average = 2
type LumaMode = typeof vertical | typeof horizontal | typeof average

interface CodedLuma {
  readonly mode: LumaMode
  /** Whether anything beyond the direct components is left to write. */
  readonly hasMore: boolean
}

/** 4x4 blocks in the order of writing: quarters of quarters (figure 6-10). */
const order = Array.from({ length: 16 }, (_, k) => ({
  column: (k & 1) + ((k >> 2) & 1) * 2,
  row: ((k >> 1) & 1) + (k >> 3) * 2,
}))

// The macroblock at work: 16 blocks row by row, each one's 16 places in a run; and their direct components.
const levels = new Int32Array(256)
const direct = new Int32Array(16)

/** Predicts a macroblock's luma into `shown` and turns what differs into levels. */
export function codeLuma(plane: CodedPlane, place: BlockPlace): CodedLuma {
  const mean = meanAround(plane, place)
  if (isFlat(plane, place.at, 16)) {
    // The mean, not an edge: plain fields stay plain whatever noise is beside them.
    predict(plane, place, average, mean)
    direct.fill(0)
    direct[0] = 2 * (plane.wanted[place.at]! - mean)
    return { mode: average, hasMore: false }
  }
  const mode = nearestMode(plane, place, mean)
  predict(plane, place, mode, mean)
  return { mode, hasMore: transform(plane, place) }
}

/** Intra_16x16_DC (section 8.3.3.3). */
function meanAround({ shown, stride }: CodedPlane, { at, hasLeft, hasTop }: BlockPlace): number {
  if (!hasLeft && !hasTop) return 128
  let sum = 0
  for (let k = 0; k < 16; k++) {
    if (hasTop) sum += shown[at - stride + k]!
    if (hasLeft) sum += shown[at + k * stride - 1]!
  }
  return hasLeft && hasTop ? (sum + 16) >> 5 : (sum + 8) >> 4
}

function nearestMode({ wanted, shown, stride }: CodedPlane, place: BlockPlace, mean: number): LumaMode {
  const { at, hasLeft, hasTop } = place
  let fromMean = 0
  let fromTop = 0
  let fromLeft = 0
  for (let j = 0; j < 16; j++) {
    const line = at + j * stride
    const left = hasLeft ? shown[line - 1]! : 0
    for (let i = 0; i < 16; i++) {
      const value = wanted[line + i]!
      fromMean += Math.abs(value - mean)
      fromLeft += Math.abs(value - left)
      if (hasTop) fromTop += Math.abs(value - shown[at - stride + i]!)
    }
  }
  if (hasTop && fromTop < fromMean && (fromTop <= fromLeft || !hasLeft)) return vertical
  return hasLeft && fromLeft < fromMean ? horizontal : average
}

function predict({ shown, stride }: CodedPlane, { at }: BlockPlace, mode: LumaMode, mean: number): void {
  for (let j = 0; j < 16; j++) {
    const line = at + j * stride
    const flat = mode === average ? mean : mode === horizontal ? shown[line - 1]! : 0
    for (let i = 0; i < 16; i++) shown[line + i] = mode === vertical ? shown[at - stride + i]! : flat
  }
}

/** Whether anything beyond the direct components is left. */
function transform(plane: CodedPlane, { at }: BlockPlace): boolean {
  let hasMore = false
  for (let block = 0; block < 16; block++) {
    const first = at + (block >> 2) * 4 * plane.stride + (block & 3) * 4
    const isUneven = subtract(plane, first, levels, block * 16)
    if (isUneven) forward(levels, block * 16)
    direct[block] = levels[block * 16]!
    if (isUneven && quantise(levels, block * 16)) hasMore = true
  }
  quantiseLumaDirect(direct)
  return hasMore
}

export function putLuma(bits: BitWriter, plane: CodedPlane, place: BlockPlace, hasMore: boolean): void {
  putBlock(bits, { coefficients: direct, at: 0 }, allOf, expected(plane, place.column, place.row))
  if (!hasMore) return
  for (const { column, row } of order) {
    const x = place.column + column
    const y = place.row + row
    const written = putBlock(
      bits,
      { coefficients: levels, at: (row * 4 + column) * 16 },
      allButDirect,
      expected(plane, x, y),
    )
    count(plane, x, y, written)
  }
}

/** Decodes what was written into `shown`. Uses the levels up. */
export function showLuma(plane: CodedPlane, { at, column, row }: BlockPlace, hasMore: boolean): void {
  dequantiseLumaDirect(direct)
  for (let block = 0; block < 16; block++) {
    const first = at + (block >> 2) * 4 * plane.stride + (block & 3) * 4
    if (hasMore && countAt(plane, column + (block & 3), row + (block >> 2)) > 0)
      showBlock(plane, first, { levels, first: block * 16 }, direct[block]!)
    else showDirect(plane, first, direct[block]!)
  }
}
