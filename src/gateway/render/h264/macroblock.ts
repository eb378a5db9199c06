import type { BitWriter } from './bits.ts'
import {
  type ChromaDepth,
  chromaWork,
  codeChroma,
  putChromaDirect,
  putChromaRest,
  showChroma,
} from './chroma.ts'
import { codeLuma, putLuma, showLuma } from './luma.ts'
import { type CodedPlane, placeOf } from './plane.ts'

/** Luma, then the two of chroma. */
export type CodedPlanes = readonly [CodedPlane, CodedPlane, CodedPlane]

const blueWork = chromaWork()
const redWork = chromaWork()

/**
 * Writes the macroblock at a column and row (counted in macroblocks) as Intra16x16 (section 7.3.5), and decodes it
 * into `shown`. `intraTypes` is where the intra types begin in the slice: 0 in I slices, 5 in P slices.
 */
export function putMacroblock(
  bits: BitWriter,
  [luma, blue, red]: CodedPlanes,
  column: number,
  row: number,
  intraTypes: 0 | 5,
): void {
  const place = placeOf(luma, column, row, 4)
  const chromaPlace = placeOf(blue, column, row, 2)
  const { mode, hasMore } = codeLuma(luma, place)
  const depth = deeper(codeChroma(blue, chromaPlace, blueWork), codeChroma(red, chromaPlace, redWork))

  bits.ue(intraTypes + 1 + mode + 4 * depth + (hasMore ? 12 : 0))
  bits.ue(0) // intra_chroma_pred_mode: DC
  bits.se(0) // mb_qp_delta
  putLuma(bits, luma, place, hasMore)
  if (depth > 0) {
    putChromaDirect(bits, blueWork)
    putChromaDirect(bits, redWork)
  }
  if (depth > 1) {
    putChromaRest(bits, blue, chromaPlace, blueWork)
    putChromaRest(bits, red, chromaPlace, redWork)
  }
  showLuma(luma, place, hasMore)
  showChroma(blue, chromaPlace, blueWork, depth)
  showChroma(red, chromaPlace, redWork, depth)
}

function deeper(a: ChromaDepth, b: ChromaDepth): ChromaDepth {
  return a > b ? a : b
}
