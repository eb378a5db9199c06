/** A NAL unit with its length in front. */
export function unit(header: number, payload: Uint8Array): Uint8Array {
  const body = nal(header, payload)
  const size = new Uint8Array(4)
  new DataView(size.buffer).setUint32(0, body.length)
  return joined([size, body])
}

/** A NAL unit (section 7.3.1): two zeros are never followed by 0 to 3 inside it. */
export function nal(header: number, payload: Uint8Array): Uint8Array {
  const bytes = new Uint8Array(1 + payload.length + Math.floor(payload.length / 2))
  bytes[0] = header
  let length = 1
  let zeros = 0
  for (const byte of payload) {
    if (zeros === 2 && byte <= 3) {
      bytes[length++] = 3
      zeros = 0
    }
    bytes[length++] = byte
    zeros = byte === 0 ? zeros + 1 : 0
  }
  return bytes.slice(0, length)
}

/** One after the other. */
export function joined(parts: readonly Uint8Array[]): Uint8Array {
  const whole = new Uint8Array(parts.reduce((sum, part) => sum + part.length, 0))
  let at = 0
  for (const part of parts) {
    whole.set(part, at)
    at += part.length
  }
  return whole
}
