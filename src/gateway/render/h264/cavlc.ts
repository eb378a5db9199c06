import type { BitWriter } from './bits.ts'
import {
  type BitCode,
  chromaCoeffTokens,
  chromaTotalZeros,
  coeffTokens,
  runsBefore,
  totalZeros,
} from './cavlc-tables.ts'

/** Scan position to place in a 4x4 block, row by row (figure 8-8, frame scan). */
const zigzag = [0, 1, 4, 8, 5, 2, 3, 6, 9, 12, 13, 10, 7, 11, 14, 15] as const

/** Which of a block's coefficients are written, in scan order. */
interface Scan {
  /** 0, or 1 when the direct component is written elsewhere. */
  readonly first: number
  /** One past the last. */
  readonly end: number
  /** For 4:2:0 chroma direct components, which have tables of their own and no scan. */
  readonly isChromaDirect?: true
}

export const allOf: Scan = { first: 0, end: 16 }
export const allButDirect: Scan = { first: 1, end: 16 }
export const chromaDirect: Scan = { first: 0, end: 4, isChromaDirect: true }

// The tables in a row, as `length * 65536 + bits`: a code is looked up for every coefficient of a clip.
const tokens = coeffTokens.map(table => inRow(table, 4))
const chromaTokens = inRow(chromaCoeffTokens, 4)
const zerosCodes = inRow(totalZeros, 16)
const chromaZerosCodes = inRow(chromaTotalZeros, 16)
const runCodes = inRow(runsBefore, 16)

function inRow(table: readonly (readonly BitCode[])[], width: number): Int32Array {
  const row = new Int32Array(table.length * width)
  for (const [k, codes] of table.entries())
    for (const [j, [bits, length]] of codes.entries()) row[k * width + j] = length * 65_536 + bits
  return row
}

/** A 4x4 block, or the direct components of several. */
interface Block {
  readonly coefficients: Int32Array
  /** Where it begins. */
  readonly at: number
}

// Scratch for one block, from the highest frequency down: levels, and the zeros that precede each of them.
const levels = new Int32Array(16)
const runs = new Int32Array(16)
/** Of all runs together. */
let zeros = 0

/**
 * residual_block_cavlc (section 7.3.5.3.2) for a block. `around` is nC,
 * the number of coefficients expected from the neighbours. Returns how many were written.
 */
export function putBlock(bits: BitWriter, { coefficients, at }: Block, scan: Scan, around: number): number {
  const total = gather(coefficients, at, scan)
  const ones = trailingOnes(total)
  putToken(bits, scan, around, { total, ones })
  if (total === 0) return 0
  putSigns(bits, ones)
  putLevels(bits, total, ones)
  if (total < scan.end - scan.first) {
    put(bits, (scan.isChromaDirect ? chromaZerosCodes : zerosCodes)[(total - 1) * 16 + zeros]!)
  }
  putRuns(bits, total)
  return total
}

/** Fills the scratch; how many coefficients there are. */
function gather(coefficients: Int32Array, at: number, scan: Scan): number {
  let total = 0
  zeros = 0
  for (let k = scan.end - 1; k >= scan.first; k--) {
    const level = coefficients[at + (scan.isChromaDirect ? k : zigzag[k]!)]!
    if (level !== 0) {
      levels[total] = level
      runs[total++] = 0
    } else if (total > 0) {
      runs[total - 1]!++
      zeros++
    }
  }
  return total
}

function trailingOnes(total: number): number {
  let ones = 0
  while (ones < 3 && ones < total && Math.abs(levels[ones]!) === 1) ones++
  return ones
}

interface Tokens {
  readonly total: number
  readonly ones: number
}

function putToken(bits: BitWriter, scan: Scan, around: number, { total, ones }: Tokens): void {
  if (scan.isChromaDirect) return put(bits, chromaTokens[total * 4 + ones]!)
  if (around >= 8) return bits.put(total === 0 ? 3 : ((total - 1) << 2) | ones, 6)
  put(bits, tokens[around < 2 ? 0 : around < 4 ? 1 : 2]![total * 4 + ones]!)
}

function putSigns(bits: BitWriter, ones: number): void {
  let signs = 0
  for (let k = 0; k < ones; k++) signs = (signs << 1) | (levels[k]! < 0 ? 1 : 0)
  bits.put(signs, ones)
}

function putLevels(bits: BitWriter, total: number, ones: number): void {
  let suffixBits = total > 10 && ones < 3 ? 1 : 0
  for (let k = ones; k < total; k++) {
    const level = levels[k]!
    const isKnownAboveOne = k === ones && ones < 3
    putLevel(bits, (level > 0 ? 2 * level - 2 : -2 * level - 1) - (isKnownAboveOne ? 2 : 0), suffixBits)
    if (suffixBits === 0) suffixBits = 1
    if (suffixBits < 6 && Math.abs(level) > 3 << (suffixBits - 1)) suffixBits++
  }
}

/** Section 9.2.2.1 backwards. Codes beyond the 12 bit escape do not occur: no level here exceeds 510. */
function putLevel(bits: BitWriter, code: number, suffixBits: number): void {
  if (suffixBits === 0 && code >= 14 && code < 30) return putPrefix(bits, 14, code - 14, 4)
  const escape = suffixBits === 0 ? 30 : 15 << suffixBits
  if (code >= escape) return putPrefix(bits, 15, code - escape, 12)
  putPrefix(bits, code >> suffixBits, code & ((1 << suffixBits) - 1), suffixBits)
}

function putPrefix(bits: BitWriter, prefix: number, suffix: number, suffixBits: number): void {
  if (prefix + suffixBits < 24) return bits.put((1 << suffixBits) | suffix, prefix + 1 + suffixBits)
  bits.put(1, prefix + 1)
  bits.put(suffix, suffixBits)
}

function putRuns(bits: BitWriter, total: number): void {
  let left = zeros
  for (let k = 0; k < total - 1 && left > 0; k++) {
    const run = runs[k]!
    put(bits, runCodes[(Math.min(left, 7) - 1) * 16 + run]!)
    left -= run
  }
}

function put(bits: BitWriter, code: number): void {
  bits.put(code & 0xffff, code >> 16)
}
