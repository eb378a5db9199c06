import { dequantise, inverse } from './transform.ts'

/** One plane of a picture as the codec works on it: what is wanted, what decoders show, and what was written. */
export interface CodedPlane {
  readonly wanted: Uint8Array
  readonly shown: Uint8Array
  readonly stride: number
  /** Coefficients written per 4x4 block, row by row; zero where none were. */
  readonly counts: Uint8Array
}

/** Where a macroblock's part of a plane begins, and which neighbours it can be predicted from. */
export interface BlockPlace {
  readonly at: number
  /** In 4x4 blocks. */
  readonly column: number
  readonly row: number
  readonly hasLeft: boolean
  readonly hasTop: boolean
}

/** `blocks` is a macroblock's width in 4x4 blocks: 4 for luma, 2 for chroma. */
export function blockPlace(plane: CodedPlane, column: number, row: number, blocks: 2 | 4): BlockPlace {
  return {
    at: row * blocks * 4 * plane.stride + column * blocks * 4,
    column: column * blocks,
    row: row * blocks,
    hasLeft: column > 0,
    hasTop: row > 0,
  }
}

/** Whether a square of wanted samples is all one colour. */
export function isFlat({ wanted, stride }: CodedPlane, at: number, side: number): boolean {
  const first = wanted[at]
  for (let j = 0; j < side; j++) {
    for (let k = at + j * stride; k < at + j * stride + side; k++) if (wanted[k] !== first) return false
  }
  return true
}

/** How many 4x4 blocks of a macroblock's luma differ between wanted and shown. */
export function unlikeBlocks({ wanted, shown, stride }: CodedPlane, at: number): number {
  let count = 0
  for (let block = 0; block < 16; block++) {
    const first = at + (block >> 2) * 4 * stride + (block & 3) * 4
    let differing = 0
    for (let line = first; line < first + 4 * stride; line += stride) {
      differing |= wanted[line]! ^ shown[line]!
      differing |= wanted[line + 1]! ^ shown[line + 1]!
      differing |= wanted[line + 2]! ^ shown[line + 2]!
      differing |= wanted[line + 3]! ^ shown[line + 3]!
    }
    if (differing !== 0) count++
  }
  return count
}

/**
 * The differences between wanted and shown samples of a 4x4 block, row by row; false where they are all one, which is then
 * written as its transform: the direct component alone.
 */
export function subtract(
  { wanted, shown, stride }: CodedPlane,
  at: number,
  differences: Int32Array,
  to: number,
): boolean {
  const first = wanted[at]! - shown[at]!
  let differing = 0
  let k = to
  for (let line = at; line < at + 4 * stride; line += stride) {
    for (let sample = line; sample < line + 4; sample++) {
      const each = wanted[sample]! - shown[sample]!
      differing |= each ^ first
      differences[k++] = each
    }
  }
  if (differing !== 0) return true
  // A loop: calling `fill` for a few numbers takes longer.
  for (k = to; k < to + 16; k++) differences[k] = 0
  differences[to] = 16 * first
  return false
}

/** nC (section 9.2.1): how many coefficients the blocks to the left and above lead to expect. */
export function expected({ counts, stride }: CodedPlane, column: number, row: number): number {
  const at = row * (stride >> 2) + column
  const left = column > 0 ? counts[at - 1]! : 0
  const top = row > 0 ? counts[at - (stride >> 2)]! : 0
  return column > 0 && row > 0 ? (left + top + 1) >> 1 : left + top
}

export function count({ counts, stride }: CodedPlane, column: number, row: number, written: number): void {
  counts[row * (stride >> 2) + column] = written
}

export function countAt({ counts, stride }: CodedPlane, column: number, row: number): number {
  return counts[row * (stride >> 2) + column]!
}

/** Decodes one 4x4 block of which only the direct component was written: adds it to the prediction in `shown`. */
export function showDirect({ shown, stride }: CodedPlane, at: number, direct: number): void {
  const difference = (direct + 32) >> 6
  if (difference === 0) return
  for (let j = 0; j < 4; j++) {
    for (let k = at + j * stride; k < at + j * stride + 4; k++) shown[k] = clamped(shown[k]! + difference)
  }
}

/** Decodes one 4x4 block of levels, which it uses up: adds it to the prediction in `shown`. */
export function showBlock(
  { shown, stride }: CodedPlane,
  at: number,
  { levels, first }: { readonly levels: Int32Array; readonly first: number },
  direct: number,
): void {
  levels[first] = direct
  dequantise(levels, first)
  inverse(levels, first)
  for (let j = 0; j < 4; j++) {
    const line = at + j * stride
    for (let i = 0; i < 4; i++) shown[line + i] = clamped(shown[line + i]! + levels[first + j * 4 + i]!)
  }
}

function clamped(value: number): number {
  return value < 0 ? 0 : value > 255 ? 255 : value
}
