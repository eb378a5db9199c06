/** Writes bits, most significant first: the notation of ITU-T H.264 section 7.2. */
export interface BitWriter {
  /** Appends the low `count` bits of `value`; 0 to 24 of them. */
  put(value: number, count: number): void
  /** ue(v), the unsigned Exp-Golomb code. */
  ue(value: number): void
  /** se(v), the signed Exp-Golomb code. */
  se(value: number): void
  /** A one and zeros up to the next whole byte (rbsp_trailing_bits), then everything written. */
  finish(): Uint8Array
}

export function bitWriter(roomFor = 4096): BitWriter {
  let bytes = new Uint8Array(roomFor)
  let length = 0
  let pending = 0
  let pendingBits = 0

  const put = (value: number, count: number): void => {
    pending = (pending << count) | value
    pendingBits += count
    while (pendingBits >= 8) {
      if (length === bytes.length) bytes = grown(bytes)
      pendingBits -= 8
      bytes[length++] = (pending >>> pendingBits) & 255
    }
    pending &= (1 << pendingBits) - 1
  }
  const ue = (value: number): void => {
    const digits = 32 - Math.clz32(value + 1)
    if (digits <= 12) return put(value + 1, 2 * digits - 1)
    put(0, digits - 1)
    put(value + 1, digits)
  }
  const se = (value: number): void => ue(value > 0 ? 2 * value - 1 : -2 * value)
  const finish = (): Uint8Array => {
    put(1, 1)
    if (pendingBits > 0) put(0, 8 - pendingBits)
    return bytes.subarray(0, length)
  }
  return { put, ue, se, finish }
}

function grown(bytes: Uint8Array<ArrayBuffer>): Uint8Array<ArrayBuffer> {
  const bigger = new Uint8Array(bytes.length * 2)
  bigger.set(bytes)
  return bigger
}
