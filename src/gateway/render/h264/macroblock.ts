import type { BitWriter } from './bits.ts'
import {
  type ChromaDepth,
  chromaWork,
  codeChroma,
  predictChroma,
  putChromaDirect,
  putChromaRest,
  showChroma,
} from './chroma.ts'
import { codeDifference, patternNumber, putDifference, showDifference } from './difference.ts'
import { codeLuma, putLuma, showLuma } from './luma.ts'
import { type BlockPlace, blockPlace, type CodedPlane, isFlat, unlikeBlocks } from './plane.ts'

/** Luma, then the two of chroma. */
type CodedPlanes = readonly [CodedPlane, CodedPlane, CodedPlane]

/** Counted in macroblocks. */
interface MacroblockPlace {
  readonly column: number
  readonly row: number
}

const blueWork = chromaWork()
const redWork = chromaWork()

/**
 * Writes the macroblock as Intra16x16 (section 7.3.5), and decodes it
 * into `shown`. `intraTypes` is where the intra types begin in the slice: 0 in I slices, 5 in P slices.
 */
export function putIntra(
  bits: BitWriter,
  [luma, blue, red]: CodedPlanes,
  { column, row }: MacroblockPlace,
  intraTypes: 0 | 5,
): void {
  const place = blockPlace(luma, column, row, 4)
  const chromaPlace = blockPlace(blue, column, row, 2)
  const { mode, hasMore } = codeLuma(luma, place)
  predictChroma(blue, chromaPlace)
  predictChroma(red, chromaPlace)
  const depth = deeper(codeChroma(blue, chromaPlace, blueWork), codeChroma(red, chromaPlace, redWork))

  bits.ue(intraTypes + 1 + mode + 4 * depth + (hasMore ? 12 : 0))
  bits.ue(0) // intra_chroma_pred_mode: DC
  bits.se(0) // mb_qp_delta
  putLuma(bits, luma, place, hasMore)
  putChroma(bits, [luma, blue, red], chromaPlace, depth)
  showLuma(luma, place, hasMore)
}

/**
 * Writes a macroblock of a P slice by what differs from the frame before (P_L0_16x16 without movement), after so many
 * that were skipped, and decodes it. False, with nothing written, where nothing worth writing differs. Written anew is what
 * hardly resembles the frame before, and plain fields, which keep their colour exactly that way.
 */
export function putChange(
  bits: BitWriter,
  [luma, blue, red]: CodedPlanes,
  { column, row }: MacroblockPlace,
  skipped: number,
): boolean {
  const place = blockPlace(luma, column, row, 4)
  const chromaPlace = blockPlace(blue, column, row, 2)
  if (unlikeBlocks(luma, place.at) > mostUnlike || isPlain([luma, blue, red], place, chromaPlace)) {
    bits.ue(skipped)
    putIntra(bits, [luma, blue, red], { column, row }, 5)
    return true
  }
  const quarters = codeDifference(luma, place)
  const depth = deeper(codeChroma(blue, chromaPlace, blueWork), codeChroma(red, chromaPlace, redWork))
  if (quarters === 0 && depth === 0) return false

  bits.ue(skipped)
  bits.ue(0) // mb_type: P_L0_16x16
  bits.se(0) // mvd_l0, across and down: nothing moves
  bits.se(0)
  bits.ue(patternNumber(quarters + 16 * depth))
  bits.se(0) // mb_qp_delta
  putDifference(bits, luma, place, quarters)
  putChroma(bits, [luma, blue, red], chromaPlace, depth)
  showDifference(luma, place, quarters)
  return true
}

/** Of a macroblock's sixteen blocks. With more of them the file grows, and the time. */
const mostUnlike = 8

function isPlain([luma, blue, red]: CodedPlanes, place: BlockPlace, chromaPlace: BlockPlace): boolean {
  return isFlat(luma, place.at, 16) && isFlat(blue, chromaPlace.at, 8) && isFlat(red, chromaPlace.at, 8)
}

/** Writes the chroma of both planes and decodes it. */
function putChroma(bits: BitWriter, [, blue, red]: CodedPlanes, place: BlockPlace, depth: ChromaDepth): void {
  if (depth > 0) {
    putChromaDirect(bits, blueWork)
    putChromaDirect(bits, redWork)
  }
  if (depth > 1) {
    putChromaRest(bits, blue, place, blueWork)
    putChromaRest(bits, red, place, redWork)
  }
  showChroma(blue, place, blueWork, depth)
  showChroma(red, place, redWork, depth)
}

function deeper(a: ChromaDepth, b: ChromaDepth): ChromaDepth {
  return a > b ? a : b
}
