import { bars, peaksIn } from '../../data/bars.ts'
import type { ShownFile } from '../../data/shown.ts'

const mostSecondsWhole = 300

type Peaks = readonly number[]

/** Its channels, at that rate. */
type Decode = (bytes: ArrayBuffer, rate: number) => Promise<readonly Float32Array[]>

const known = new Map<string, Promise<Peaks | undefined>>()

/**
 * How loud a sound is from its beginning to its end, from 0 to 1; made once in the life of a page, one sound after the other. None of
 * what cannot be decoded; undefined where it could not be fetched, which may be otherwise later.
 */
export function peaksOf(file: ShownFile, url: string, decoded: Decode): Promise<Peaks | undefined> {
  const { key } = file
  const found = known.get(key)
  if (found) return found
  const made = last.then(() => measured(file, url, decoded))
  last = made
  known.set(key, made)
  void made.then(peaks => peaks ?? known.delete(key))
  return made
}

let last: Promise<unknown> = Promise.resolve()

async function measured(
  { seconds = Infinity }: ShownFile,
  url: string,
  decoded: Decode,
): Promise<Peaks | undefined> {
  const bytes = await bytesAt(url)
  if (!bytes) return undefined
  // A low rate takes away what is high in it, and a part of its peaks; but an hour of speech fits into memory.
  const rate = seconds < mostSecondsWhole ? 48_000 : 8000
  try {
    return peaksIn(await decoded(bytes, rate), bars)
  } catch {
    return []
  }
}

async function bytesAt(url: string): Promise<ArrayBuffer | undefined> {
  try {
    const response = await fetch(url)
    return response.ok ? await response.arrayBuffer() : undefined
  } catch {
    return undefined
  }
}
