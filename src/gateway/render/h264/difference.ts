import type { BitWriter } from './bits.ts'
import { allOf, putBlock } from './cavlc.ts'
import { type BlockPlace, type CodedPlane, count, expected, showBlock, subtract } from './plane.ts'
import { dequantiseDirect, forward, quantise, quantiseDirect } from './transform.ts'

/**
 * The luma of a macroblock that is predicted by the frame before, as it stands in `shown`. Of its four quarters only
 * those are written in which something differs; which ones they are stands in four bits, the luma part of
 * coded_block_pattern.
 */

// The macroblock at work: 16 blocks in the order of writing (quarters of quarters), each one's 16 places in a run.
const levels = new Int32Array(256)

/** Turns what differs into levels; the quarters in which any is left. */
export function codeDifference(plane: CodedPlane, { at }: BlockPlace): number {
  let quarters = 0
  for (let block = 0; block < 16; block++) {
    if (code(plane, at + rowOf(block) * 4 * plane.stride + columnOf(block) * 4, block * 16))
      quarters |= 1 << (block >> 2)
  }
  return quarters
}

/** Whether any level of a block is left. */
function code(plane: CodedPlane, at: number, to: number): boolean {
  const isUneven = subtract(plane, at, levels, to)
  if (isUneven) forward(levels, to)
  const hasDirect = quantiseDirect(levels, to)
  return (isUneven && quantise(levels, to)) || hasDirect
}

export function putDifference(bits: BitWriter, plane: CodedPlane, place: BlockPlace, quarters: number): void {
  for (let block = 0; block < 16; block++) {
    if (((quarters >> (block >> 2)) & 1) === 0) continue
    const [x, y] = [place.column + columnOf(block), place.row + rowOf(block)]
    count(plane, x, y, putBlock(bits, { coefficients: levels, at: block * 16 }, allOf, expected(plane, x, y)))
  }
}

/** Decodes what was written into `shown`. Uses the levels up. */
export function showDifference(plane: CodedPlane, { at }: BlockPlace, quarters: number): void {
  for (let block = 0; block < 16; block++) {
    if (((quarters >> (block >> 2)) & 1) === 0) continue
    const first = at + rowOf(block) * 4 * plane.stride + columnOf(block) * 4
    showBlock(plane, first, { levels, first: block * 16 }, dequantiseDirect(levels[block * 16]!))
  }
}

function columnOf(block: number): number {
  return (block & 1) + ((block >> 2) & 1) * 2
}

function rowOf(block: number): number {
  return ((block >> 1) & 1) + (block >> 3) * 2
}

/** me(v) for predicted macroblocks of 4:2:0 pictures (table 9-4): the number of a coded_block_pattern. */
export function patternNumber(pattern: number): number {
  return patterns.indexOf(pattern)
}

const patterns = [
  0, 16, 1, 2, 4, 8, 32, 3, 5, 10, 12, 15, 47, 7, 11, 13, 14, 6, 9, 31, 35, 37, 42, 44, 33, 34, 36, 40, 39,
  43, 45, 46, 17, 18, 20, 24, 19, 21, 26, 28, 23, 27, 29, 30, 22, 25, 38, 41,
]
