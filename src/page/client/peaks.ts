import { bars, peaksIn } from './bars.ts'

const known = new Map<string, Promise<readonly number[]>>()

/** How loud a sound is from its beginning to its end, from 0 to 1; made once in the life of a page, one sound after the other. */
export function peaksOf(key: string, url: string): Promise<readonly number[]> {
  const found = known.get(key)
  if (found) return found
  const made = last.then(() => measured(url)).catch(() => flat)
  last = made
  known.set(key, made)
  return made
}

let last: Promise<unknown> = Promise.resolve()

// What cannot be decoded is drawn as silence.
const flat: readonly number[] = Array.from({ length: bars }, () => 0)

async function measured(url: string): Promise<readonly number[]> {
  const bytes = await (await fetch(url)).arrayBuffer()
  // At a low rate: bars need no more, and an hour of speech fits into memory.
  const sound = await new OfflineAudioContext(1, 1, 8000).decodeAudioData(bytes)
  return peaksIn(sound.getChannelData(0), bars)
}
