import { describe, expect, test } from 'vitest'
import { bitWriter } from '../../../../src/gateway/render/h264/bits.ts'
import { allOf, chromaDirect, putBlock } from '../../../../src/gateway/render/h264/cavlc.ts'
import {
  chromaCoeffTokens,
  chromaTotalZeros,
  coeffTokens,
  runsBefore,
  totalZeros,
} from '../../../../src/gateway/render/h264/cavlc-tables.ts'

const prefixCodes = [
  ...coeffTokens.map((table, k) => [`coeff_token ${k}`, table.flat()] as const),
  ['chroma coeff_token', chromaCoeffTokens.flat()] as const,
  ...totalZeros.map((codes, k) => [`total_zeros ${k + 1}`, codes] as const),
  ...chromaTotalZeros.map((codes, k) => [`chroma total_zeros ${k + 1}`, codes] as const),
  ...runsBefore.map((codes, k) => [`run_before ${k + 1}`, codes] as const),
]

test.each(prefixCodes)('no code of %s begins another', (_, codes) => {
  const words = codes.map(([bits, length]) => bits.toString(2).padStart(length, '0'))
  for (const [k, word] of words.entries()) {
    expect(word).toHaveLength(codes[k]![1])
    expect(words.filter(other => other.startsWith(word))).toEqual([word])
  }
})

test('tables are as long as the standard says', () => {
  expect(coeffTokens.map(table => table.map(row => row.length))).toEqual(
    Array.from({ length: 3 }, () => [1, 2, 3, ...Array(14).fill(4)]),
  )
  expect(totalZeros.map(row => row.length)).toEqual([16, 15, 14, 13, 12, 11, 10, 9, 8, 7, 6, 5, 4, 3, 2])
  expect(runsBefore.map(row => row.length)).toEqual([2, 3, 4, 5, 6, 7, 15])
})

describe('a block of coefficients', () => {
  const written = (values: number[], around: number, scan = allOf) => {
    const bits = bitWriter()
    const total = putBlock(bits, { coefficients: Int32Array.from(values), at: 0 }, scan, around)
    bits.put(0, 0)
    const text = [...bits.finish()].map(byte => byte.toString(2).padStart(8, '0')).join('')
    // Without the stop bit and the zeros after it.
    return { total, text: text.replace(/10*$/, '') }
  }

  // The worked example of the standard's commentary: 0, 3, 0, 1, -1, -1, 0, 1, 0... in scan order.
  test('is written as in the well-known example', () => {
    const block = [0, 3, -1, 0, 0, -1, 1, 0, 1, 0, 0, 0, 0, 0, 0, 0]
    expect(written(block, 0)).toEqual({ total: 5, text: '000010001110010111101101' })
  })

  test('that is empty is one bit', () => {
    expect(written(Array(16).fill(0), 0)).toEqual({ total: 0, text: '1' })
  })

  test('of chroma direct components uses codes of its own', () => {
    expect(written([0, 0, 0, 0], 0, chromaDirect)).toEqual({ total: 0, text: '01' })
    expect(written([1, 0, 0, 0], 0, chromaDirect)).toEqual({ total: 1, text: '101' })
  })

  test('among full neighbours begins with a token of six bits', () => {
    expect(written(Array(16).fill(0), 8).text).toBe('000011')
  })

  test('with a level too large for a short code is escaped', () => {
    const block = [500, ...Array(15).fill(0)]
    // One coefficient, prefix 15, suffix 2 * 500 - 2 - 2 - 30 in twelve bits, no zeros before.
    expect(written(block, 0).text).toBe(`000101${'0'.repeat(15)}1${(966).toString(2).padStart(12, '0')}1`)
  })
})
