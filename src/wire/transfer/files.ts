/** A file as a link (RFC 2397). It takes the bytes and not a path, so that what was digested is what is sent. */
export function dataUri(bytes: Uint8Array, type: string): string {
  return `data:${type};base64,${base64(bytes)}`
}

export function base64({ buffer, byteOffset, byteLength }: Uint8Array): string {
  return Buffer.from(buffer, byteOffset, byteLength).toString('base64')
}

/** The bytes of base64 with or without a `data:` prefix, or of a percent-encoded data URI; undefined when there are none. */
export function inlineBytes(text: string): Buffer | undefined {
  const comma = text.startsWith('data:') ? text.indexOf(',') : -1
  if (text.startsWith('data:') && comma < 0) return undefined
  const isPlain = comma >= 0 && !/;\s*base64\s*$/i.test(text.slice(0, comma))
  const bytes = isPlain ? percentDecoded(text.slice(comma + 1)) : Buffer.from(text.slice(comma + 1), 'base64')
  return bytes.byteLength > 0 ? bytes : undefined
}

/** Byte by byte: media in percent encoding is no UTF-8. */
function percentDecoded(text: string): Buffer {
  const latin = text.replace(/%([0-9a-f]{2})/gi, (_, hex: string) =>
    String.fromCharCode(Number.parseInt(hex, 16)),
  )
  return Buffer.from(latin, 'latin1')
}
