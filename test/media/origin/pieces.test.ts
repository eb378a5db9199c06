import { expect, test } from 'vitest'
import { withMark } from '../../../src/media/origin/mark.ts'
import { originPieces } from '../../../src/media/origin/pieces.ts'
import { originIn } from '../../../src/media/origin/seen.ts'
import { mediaTypes } from '../../../src/media/sniff.ts'
import fc from '../../cases.ts'
import { samples } from '../samples.ts'

// What a result says of where it came from is read of whatever lies there, and written into it.

const files = await samples()
const names = ['png', 'jpeg', 'webp', 'mp4', 'mov', 'm4a', 'wav', 'mp3'] as const

/** Sizes that lead far away, back to where they stand, or nowhere; words that are looked for. */
const put = fc.oneof(
  fc
    .constantFrom(
      ...['ffffffff', '00000000', '00000001', '80000000', '7fffffff', '00000008', 'fffffffffffffff8'],
    )
    .map(hex => Buffer.from(hex, 'hex')),
  fc
    .constantFrom(
      'ID3',
      'RIFF',
      'uuid',
      'caBX',
      'C2PA',
      'XMP ',
      'iTXt',
      'PRIV',
      'VP8X',
      '\xff\xe1',
      '\xff\xff',
      '</rdf:RDF>',
    )
    .map(text => Buffer.from(text, 'latin1')),
  fc.uint8Array({ minLength: 1, maxLength: 12 }).map(bytes => Buffer.from(bytes)),
)
const slips = fc.array(fc.record({ at: fc.nat(), cut: fc.nat({ max: 12 }), put, isNear: fc.boolean() }), {
  minLength: 1,
  maxLength: 6,
})

test.each(names)('of a %s that is nearly right nothing is thrown, and no piece lies outside of it', name => {
  const { type } = mediaTypes[name]
  const starts = [files[name], marked(files[name], type)]
  fc.assert(
    fc.property(fc.constantFrom(...starts), slips, (start, all) => {
      const bytes = all.reduce((left, slip) => {
        const at = slip.at % (slip.isNear ? Math.min(left.length + 1, 200) : left.length + 1)
        return Buffer.concat([left.subarray(0, at), slip.put, left.subarray(at + slip.cut)])
      }, Buffer.from(start))
      const before = Buffer.from(bytes)
      originIn(bytes, type)
      const pieces = originPieces(bytes, type) ?? []
      for (const { at, end } of pieces) expect(at < end && end <= bytes.length).toBe(true)
      expect(pieces.toSorted((a, b) => a.at - b.at)).toEqual(pieces)
      const made = withMark(bytes, type)
      // Marking adds a packet and its place, and never reads itself wrong.
      if (made.got === 'marked') {
        expect(made.bytes.length).toBeLessThan(2 * bytes.length + 2000)
        expect(originIn(made.bytes, type).isMarked).toBe(true)
      }
      expect(Buffer.compare(bytes, before)).toBe(0)
    }),
    { numRuns: 150 },
  )
})

function marked(bytes: Uint8Array, type: string): Uint8Array {
  const made = withMark(bytes, type)
  return made.got === 'marked' ? made.bytes : expect.fail(made.why)
}
