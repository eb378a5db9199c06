/** The bytes of a `data:` URI (RFC 2397), in base64 or percent-encoded; undefined when it is malformed. */
export function dataUriBytes(uri: string): Uint8Array | undefined {
  const comma = uri.indexOf(',')
  if (!/^data:/i.test(uri) || comma < 0) return undefined
  const [head, data] = [uri.slice(0, comma), uri.slice(comma + 1)]
  return /;\s*base64\s*$/i.test(head) ? base64Bytes(data) : percentBytes(data)
}

// Buffer would skip what is not base64 and take half of a damaged text for the whole.
function base64Bytes(data: string): Uint8Array | undefined {
  const text = data.includes('%') ? decoded(data) : data
  if (text === undefined || !/^[A-Za-z0-9+/_-]*={0,2}$/.test(text)) return undefined
  return Buffer.from(text, 'base64')
}

function percentBytes(data: string): Uint8Array | undefined {
  if (/%(?![0-9a-f]{2})/i.test(data)) return undefined
  const latin = data.replaceAll(/%([0-9a-f]{2})/gi, (_, hex: string) =>
    String.fromCharCode(Number.parseInt(hex, 16)),
  )
  return Buffer.from(latin, 'latin1')
}

function decoded(text: string): string | undefined {
  try {
    return decodeURIComponent(text)
  } catch {
    return undefined
  }
}
