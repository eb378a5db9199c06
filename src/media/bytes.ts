import { withMedia } from '../disk/media.ts'

/** Bytes of any length that are looked at piece by piece, so that a file of 2 GiB costs no more memory than a small one. */
export interface Bytes {
  readonly size: number
  /** From the place on; fewer than asked only at the end. Good until the next call. */
  read(at: number, length: number): Promise<Uint8Array>
}

/** What one look holds: also how much a caller should ask for when it scans. */
export const pieceBytes = 64 * 1024

/** Opens a file for one use and closes it afterwards. Rejects with the system's error when it cannot be read. */
export async function withFile<T>(path: string, use: (bytes: Bytes) => Promise<T>): Promise<T> {
  return withMedia(path, async ({ size, readInto }) => {
    // A window over the file: formats are walked forward in steps of a few bytes.
    let window = new Uint8Array(0)
    let start = 0
    const read = async (at: number, length: number) => {
      const wanted = Math.max(0, Math.min(length, size - at))
      if (at < start || at + wanted > start + window.length) {
        const buffer = new Uint8Array(Math.max(wanted, Math.min(pieceBytes, size - at)))
        window = buffer.subarray(0, await fill(buffer, at))
        start = at
      }
      return window.subarray(at - start, at - start + wanted)
    }
    const fill = async (buffer: Uint8Array, at: number) => {
      let filled = 0
      while (filled < buffer.length) {
        const bytes = await readInto(buffer, filled, at + filled)
        if (bytes === 0) break
        filled += bytes
      }
      return filled
    }
    return use({ size, read })
  })
}

export function bytesInMemory(bytes: Uint8Array): Bytes {
  return { size: bytes.length, read: async (at, length) => bytes.subarray(at, at + length) }
}

export function uint32(bytes: Uint8Array, at: number): number {
  return view(bytes).getUint32(at)
}

export function uint32le(bytes: Uint8Array, at: number): number {
  return view(bytes).getUint32(at, true)
}

export function uint16(bytes: Uint8Array, at: number): number {
  return view(bytes).getUint16(at)
}

export function uint16le(bytes: Uint8Array, at: number): number {
  return view(bytes).getUint16(at, true)
}

export function uint64(bytes: Uint8Array, at: number): number {
  return Number(view(bytes).getBigUint64(at))
}

function view(bytes: Uint8Array): DataView {
  return new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength)
}
