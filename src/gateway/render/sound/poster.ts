/**
 * A still of each clip, stored in it in a box of our own ("uuid", ISO/IEC 14496-12 section 4.2), which players pass
 * over. With it a later job can show the clip it was given, though there is no decoder here.
 */
const ours = new TextEncoder().encode('genrun poster v1')
const headerBytes = 8 + ours.length

/** The file with the still, a JPEG, behind its last box. */
export function withPoster(mp4: Uint8Array, jpeg: Uint8Array): Uint8Array {
  const whole = new Uint8Array(mp4.length + headerBytes + jpeg.length)
  whole.set(mp4)
  new DataView(whole.buffer).setUint32(mp4.length, headerBytes + jpeg.length)
  whole.set(new TextEncoder().encode('uuid'), mp4.length + 4)
  whole.set(ours, mp4.length + 8)
  whole.set(jpeg, mp4.length + headerBytes)
  return whole
}

/** The still of a clip that was made here; undefined for all other files. */
export function posterOf(mp4: Uint8Array): Uint8Array | undefined {
  for (const box of boxes(mp4, 0, mp4.length)) {
    if (box.type !== 'uuid' || !ours.every((byte, k) => mp4[box.start + k] === byte)) continue
    return mp4.subarray(box.start + ours.length, box.end)
  }
  return undefined
}

/** Boxes between two places; `start` and `end` enclose what a box holds. Ends early where the bytes are no boxes. */
export function* boxes(
  bytes: Uint8Array,
  from: number,
  to: number,
): Generator<{ type: string; start: number; end: number }> {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength)
  let at = from
  while (at + 8 <= to) {
    const isLarge = view.getUint32(at) === 1 && at + 16 <= to
    const size = isLarge ? Number(view.getBigUint64(at + 8)) : view.getUint32(at)
    const header = isLarge ? 16 : 8
    if (size < header || at + size > to) return
    yield { type: String.fromCharCode(...bytes.subarray(at + 4, at + 8)), start: at + header, end: at + size }
    at += size
  }
}
