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
  // A sign that is put in for a byte is, written again, not what stands there.
  const differs = Buffer.from(text).findIndex((byte, nth) => byte !== bytes[nth])
  const before = new TextDecoder('utf-8', { ignoreBOM: true }).decode(bytes.subarray(0, differs + 1))
  const offset = before.lastIndexOf('\ufffd')
  return { message, at: spanOf({ name, text }, offset, offset + 1) }
}
