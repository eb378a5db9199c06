import { bars, peaksIn } from './bars.ts'
import type { ShownFile } from './shown.ts'

const mostSecondsWhole = 300

const known = new Map<string, Promise<readonly number[]>>()

/** How loud a sound is from its beginning to its end, from 0 to 1; made once in the life of a page, one sound after the other. */
export function peaksOf({ key, seconds }: ShownFile, url: string): Promise<readonly number[]> {
  const found = known.get(key)
  if (found) return found
  const made = last.then(() => measured(url, seconds)).catch(() => flat)
  last = made
  known.set(key, made)
  return made
}

let last: Promise<unknown> = Promise.resolve()

// What cannot be decoded is drawn as silence.
const flat: readonly number[] = Array.from({ length: bars }, () => 0)

async function measured(url: string, seconds = Infinity): Promise<readonly number[]> {
  const bytes = await (await fetch(url)).arrayBuffer()
  // A low rate takes away what is high in it, and a part of its peaks; but an hour of speech fits into memory.
  const rate = seconds < mostSecondsWhole ? 48_000 : 8000
  const sound = await new OfflineAudioContext(1, 1, rate).decodeAudioData(bytes)
  return peaksIn(sound.getChannelData(0), bars)
}
