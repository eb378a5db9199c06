import { headOf, type Span, spanOf } from '../../base/source.ts'

/** What is wrong with bytes that are no UTF-8, and where: at the first of them, in a text that can be shown. */
export function encodingFault(
  name: string,
  bytes: Uint8Array,
): { readonly message: string; readonly at: Span } {
  const message = 'the file is not UTF-8 text'
  const nowhere = headOf({ name, text: '' })
  const [first, second] = bytes
  if ((first === 0xff && second === 0xfe) || (first === 0xfe && second === 0xff))
    return { message: `${message}: it looks like UTF-16`, at: nowhere }
  // Nobody reads a line of a picture.
  if (bytes.includes(0)) return { message, at: nowhere }
  const text = new TextDecoder('utf-8', { ignoreBOM: true }).decode(bytes)
  const offset = firstWrong(text, bytes)
  const byte = bytes[Buffer.byteLength(text.slice(0, offset))]?.toString(16).toUpperCase()
  return {
    message: `${message}: the byte ${byte} stands here, as in Latin-1 or Windows-1252`,
    at: spanOf({ name, text }, offset, offset + 1),
  }
}

/** Where the first sign stands that was put in for a byte, and is not itself in the file. */
function firstWrong(text: string, bytes: Uint8Array): number {
  let offset = text.indexOf(substitute)
  for (let at = Buffer.byteLength(text.slice(0, offset)); isWritten(bytes, at); ) {
    const next = text.indexOf(substitute, offset + 1)
    at += Buffer.byteLength(text.slice(offset, next))
    offset = next
  }
  return offset
}

const substitute = '\ufffd'
const written = Buffer.from(substitute)

function isWritten(bytes: Uint8Array, at: number): boolean {
  return written.every((byte, nth) => bytes[at + nth] === byte)
}
