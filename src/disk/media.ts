import { closeSync, createReadStream, fstatSync, openSync, readFileSync } from 'node:fs'
import { open, readFile } from 'node:fs/promises'

// Files of media that genrun has made or was given by the program that calls it. All of this rejects with what the system says.

/** A file that is open for reading, of any length. */
interface OpenMedia {
  readonly size: number
  /** How many bytes were put there; 0 at the end. */
  readInto(buffer: Uint8Array, from: number, at: number): Promise<number>
}

/** Opens a file for one use and closes it afterwards. */
export async function withMedia<T>(path: string, use: (file: OpenMedia) => Promise<T>): Promise<T> {
  const file = await open(path, 'r')
  try {
    const { size } = await file.stat()
    const readInto = async (buffer: Uint8Array, from: number, at: number) =>
      (await file.read(buffer, from, buffer.length - from, at)).bytesRead
    return await use({ size, readInto })
  } finally {
    await file.close()
  }
}

/** A small file whole, and of a larger one its path. */
export async function smallMedia(path: string, mostBytes: number): Promise<Uint8Array | string> {
  const file = openSync(path, 'r')
  try {
    const { size } = fstatSync(file)
    if (size > mostBytes) return path
    return size <= atOnceBytes ? readFileSync(file) : await readFile(path)
  } finally {
    closeSync(file)
  }
}

// What was written a moment ago is in memory: to read so much of it takes less time than to ask another thread for it.
const atOnceBytes = 1024 * 1024

export function readMedia(path: string): Promise<Buffer> {
  return readFile(path)
}

export function streamMedia(path: string): ReturnType<typeof createReadStream> {
  return createReadStream(path)
}
