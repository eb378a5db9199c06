import { crc32 } from 'node:zlib'
import { pixel } from '../verbs/bench.ts'

/** A picture of one pixel with a chunk of so many bytes that no reader looks at. */
export function largePicture(bytes: number): Buffer {
  const ihdr = 8 + 25
  const body = Buffer.concat([Buffer.from('prVt'), Buffer.alloc(bytes, 'genrun')])
  const frame = Buffer.alloc(8)
  frame.writeUInt32BE(bytes, 0)
  frame.writeUInt32BE(crc32(body), 4)
  const chunk = [frame.subarray(0, 4), body, frame.subarray(4)]
  return Buffer.concat([pixel.subarray(0, ihdr), ...chunk, pixel.subarray(ihdr)])
}
