/**
 * The 4x4 transform of ITU-T H.264 sections 8.5.6 to 8.5.12 with its forward half, at the one quantiser `quantiser`.
 * There a flat block's direct component comes back exactly, so a plain field of colour keeps its value; LevelScale and
 * its inverse are the rows for quantiser % 6 = 4, and all shifts hold for quantiser / 6 = 3 only. Chroma uses the same.
 */
export const quantiser = 22

/** By place in the block: corner of each 2x2, its diagonal, the rest. Levels to coefficients (times 8). */
const scale = byPlace(128, 200, 160)
const inverseScale = byPlace(8192, 3355, 5243)
const shift = 18
/** Small coefficients go: a sixth is added before cutting, a half only for direct components, which fields consist of. */
const rounding = (1 << shift) / 6
const directRounding = 1 << shift

/** Turns 16 differences into transform coefficients, in place. */
export function forward(block: Int32Array, at: number): void {
  for (let k = at; k < at + 16; k += 4) forwardLine(block, k, 1)
  for (let k = at; k < at + 4; k++) forwardLine(block, k, 4)
}

function forwardLine(block: Int32Array, at: number, step: number): void {
  const outer = block[at]! + block[at + 3 * step]!
  const inner = block[at + step]! + block[at + 2 * step]!
  const outerLess = block[at]! - block[at + 3 * step]!
  const innerLess = block[at + step]! - block[at + 2 * step]!
  block[at] = outer + inner
  block[at + step] = 2 * outerLess + innerLess
  block[at + 2 * step] = outer - inner
  block[at + 3 * step] = outerLess - 2 * innerLess
}

/** Coefficients, already scaled, to differences, in place. */
export function inverse(block: Int32Array, at: number): void {
  for (let k = at; k < at + 16; k += 4) inverseLine(block, k, 1)
  for (let k = at; k < at + 4; k++) inverseLine(block, k, 4)
  for (let k = at; k < at + 16; k++) block[k] = (block[k]! + 32) >> 6
}

function inverseLine(block: Int32Array, at: number, step: number): void {
  const even = block[at]! + block[at + 2 * step]!
  const evenLess = block[at]! - block[at + 2 * step]!
  const odd = (block[at + step]! >> 1) - block[at + 3 * step]!
  const oddPlus = block[at + step]! + (block[at + 3 * step]! >> 1)
  block[at] = even + oddPlus
  block[at + step] = evenLess + odd
  block[at + 2 * step] = evenLess - odd
  block[at + 3 * step] = even - oddPlus
}

/** Quantises the 15 coefficients after the direct one, in place; whether any is left. */
export function quantise(block: Int32Array, at: number): boolean {
  let isAny = false
  for (let k = 1; k < 16; k++) {
    const level = quantised(block[at + k]!, inverseScale[k]!, rounding, shift)
    block[at + k] = level
    isAny ||= level !== 0
  }
  return isAny
}

/** Quantises a direct component that stands in its block, in place; whether anything is left. */
export function quantiseDirect(block: Int32Array, at: number): boolean {
  const level = quantised(block[at]!, inverseScale[0]!, rounding, shift)
  block[at] = level
  return level !== 0
}

/** Back to a scaled direct component. */
export function dequantiseDirect(level: number): number {
  return level * scale[0]!
}

export function dequantise(block: Int32Array, at: number): void {
  for (let k = 1; k < 16; k++) block[at + k]! *= scale[k]!
}

/** The 16 direct components of a luma macroblock, in their places, to levels, in place. */
export function quantiseLumaDirect(direct: Int32Array): void {
  hadamard(direct)
  for (let k = 0; k < 16; k++) {
    direct[k] = quantised(direct[k]! >> 1, inverseScale[0]!, directRounding, shift + 1)
  }
}

/** Levels back to scaled direct components, in place. */
export function dequantiseLumaDirect(direct: Int32Array): void {
  hadamard(direct)
  for (let k = 0; k < 16; k++) direct[k]! *= 32
}

/** The four direct components of one chroma plane of a macroblock to levels, in place. */
export function quantiseChromaDirect(direct: Int32Array): void {
  hadamardOfFour(direct)
  for (let k = 0; k < 4; k++) {
    direct[k] = quantised(direct[k]!, inverseScale[0]!, directRounding, shift + 1)
  }
}

export function dequantiseChromaDirect(direct: Int32Array): void {
  hadamardOfFour(direct)
  for (let k = 0; k < 4; k++) direct[k]! *= 64
}

function quantised(value: number, factor: number, added: number, by: number): number {
  const level = (Math.abs(value) * factor + added) >> by
  return value < 0 ? -level : level
}

function hadamard(block: Int32Array): void {
  for (let k = 0; k < 16; k += 4) hadamardLine(block, k, 1)
  for (let k = 0; k < 4; k++) hadamardLine(block, k, 4)
}

function hadamardLine(block: Int32Array, at: number, step: number): void {
  const outer = block[at]! + block[at + 3 * step]!
  const inner = block[at + step]! + block[at + 2 * step]!
  const outerLess = block[at]! - block[at + 3 * step]!
  const innerLess = block[at + step]! - block[at + 2 * step]!
  block[at] = outer + inner
  block[at + step] = outerLess + innerLess
  block[at + 2 * step] = outer - inner
  block[at + 3 * step] = outerLess - innerLess
}

function hadamardOfFour(direct: Int32Array): void {
  const a = direct[0]!
  const b = direct[1]!
  const c = direct[2]!
  const d = direct[3]!
  direct[0] = a + b + c + d
  direct[1] = a - b + c - d
  direct[2] = a + b - c - d
  direct[3] = a - b - c + d
}

function byPlace(corner: number, diagonal: number, rest: number): readonly number[] {
  return Array.from({ length: 16 }, (_, k) => {
    const odd = ((k >> 2) & 1) + (k & 1)
    return odd === 0 ? corner : odd === 2 ? diagonal : rest
  })
}
