import { crc32 } from 'node:zlib'

/** In every sheet that genrun has drawn: such a file may be replaced by the next one. */
const mark = 'genrun contact sheet'

/** The same picture with the mark: a comment of a JPEG, a text of a PNG. */
export function marked(picture: Uint8Array): Uint8Array {
  const isJpeg = picture[0] === 0xff
  const part = isJpeg ? jpegComment() : pngText()
  // Behind the first marker of a JPEG; before the last chunk of a PNG.
  const at = isJpeg ? 2 : picture.length - 12
  return Buffer.concat([picture.subarray(0, at), part, picture.subarray(at)])
}

export function hasMark(picture: Uint8Array): boolean {
  return Buffer.from(picture.buffer, picture.byteOffset, picture.byteLength).includes(mark)
}

function jpegComment(): Uint8Array {
  const head = Buffer.from([0xff, 0xfe, 0, 0])
  head.writeUInt16BE(2 + mark.length, 2)
  return Buffer.concat([head, Buffer.from(mark, 'latin1')])
}

function pngText(): Uint8Array {
  const body = Buffer.from(`tEXtSoftware\0${mark}`, 'latin1')
  const [length, sum] = [Buffer.alloc(4), Buffer.alloc(4)]
  length.writeUInt32BE(body.length - 4)
  sum.writeUInt32BE(crc32(body))
  return Buffer.concat([length, body, sum])
}
