import type { BitWriter } from './bits.ts'
import { allButDirect, chromaDirect, putBlock } from './cavlc.ts'
import {
  type BlockPlace,
  type CodedPlane,
  count,
  countAt,
  expected,
  showBlock,
  showDirect,
  subtract,
} from './plane.ts'
import { dequantiseChromaDirect, forward, quantise, quantiseChromaDirect } from './transform.ts'

/** How much of a macroblock's chroma is written: nothing, direct components, all (the chroma part of coded_block_pattern). */
export type ChromaDepth = 0 | 1 | 2

/** One chroma plane's part of the macroblock at work: its four blocks' levels and direct components. */
interface ChromaWork {
  readonly levels: Int32Array
  readonly direct: Int32Array
}

export function chromaWork(): ChromaWork {
  return { levels: new Int32Array(64), direct: new Int32Array(4) }
}

/** Predicts a macroblock's part of one chroma plane into `shown`, from what stands around it. */
export function predictChroma(plane: CodedPlane, place: BlockPlace): void {
  for (let block = 0; block < 4; block++)
    predict(plane, blockAt(plane, place, block), guessAt(plane, place, block))
}

/** Turns what differs from the prediction in `shown` into levels. */
export function codeChroma(
  plane: CodedPlane,
  place: BlockPlace,
  { levels, direct }: ChromaWork,
): ChromaDepth {
  let hasMore = false
  for (let block = 0; block < 4; block++) {
    const first = blockAt(plane, place, block)
    if (transform(plane, first, levels, block * 16)) hasMore = true
    direct[block] = levels[block * 16]!
  }
  quantiseChromaDirect(direct)
  if (hasMore) return 2
  return (direct[0]! | direct[1]! | direct[2]! | direct[3]!) === 0 ? 0 : 1
}

// Loops, here and in luma: calling `fill` for a few samples takes longer than setting them.
function predict({ shown, stride }: CodedPlane, first: number, guess: number): void {
  for (let line = first; line < first + 4 * stride; line += stride) {
    for (let k = line; k < line + 4; k++) shown[k] = guess
  }
}

/** Whether anything beyond the direct component is left. */
function transform(plane: CodedPlane, at: number, levels: Int32Array, to: number): boolean {
  if (!subtract(plane, at, levels, to)) return false
  forward(levels, to)
  return quantise(levels, to)
}

/** Intra chroma DC prediction of one of the four blocks (sections 8.3.4.1 to 8.3.4.3). */
function guessAt({ shown, stride }: CodedPlane, { at, hasLeft, hasTop }: BlockPlace, block: number): number {
  if (!hasLeft && !hasTop) return 128
  const x = (block & 1) * 4
  const y = (block >> 1) * 4
  let left = 0
  let top = 0
  for (let k = 0; k < 4; k++) {
    if (hasLeft) left += shown[at + (y + k) * stride - 1]!
    if (hasTop) top += shown[at - stride + x + k]!
  }
  if (hasLeft && hasTop && (block === 0 || block === 3)) return (left + top + 4) >> 3
  const usesTop = hasTop && (block === 1 || !hasLeft)
  return ((usesTop ? top : left) + 2) >> 2
}

export function putChromaDirect(bits: BitWriter, { direct }: ChromaWork): void {
  putBlock(bits, { coefficients: direct, at: 0 }, chromaDirect, 0)
}

export function putChromaRest(
  bits: BitWriter,
  plane: CodedPlane,
  place: BlockPlace,
  { levels }: ChromaWork,
): void {
  for (let block = 0; block < 4; block++) {
    const x = place.column + (block & 1)
    const y = place.row + (block >> 1)
    count(
      plane,
      x,
      y,
      putBlock(bits, { coefficients: levels, at: block * 16 }, allButDirect, expected(plane, x, y)),
    )
  }
}

/** Decodes what was written into `shown`. Uses the levels up. */
export function showChroma(
  plane: CodedPlane,
  place: BlockPlace,
  { levels, direct }: ChromaWork,
  depth: ChromaDepth,
): void {
  if (depth === 0) return
  dequantiseChromaDirect(direct)
  for (let block = 0; block < 4; block++) {
    const first = blockAt(plane, place, block)
    if (depth === 2 && countAt(plane, place.column + (block & 1), place.row + (block >> 1)) > 0)
      showBlock(plane, first, { levels, first: block * 16 }, direct[block]!)
    else showDirect(plane, first, direct[block]!)
  }
}

function blockAt({ stride }: CodedPlane, { at }: BlockPlace, block: number): number {
  return at + (block >> 1) * 4 * stride + (block & 1) * 4
}
