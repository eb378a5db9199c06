import { createHash } from 'node:crypto'

/** Chance that follows from texts alone: the same texts give the same numbers on every machine. */
export interface Chance {
  /** In [0, 1). */
  next(): number
  between(low: number, high: number): number
  /** A whole number in [low, high]. */
  whole(low: number, high: number): number
  pick<T>(from: readonly T[]): T
  shuffle<T>(items: readonly T[]): T[]
}

export function chanceOf(...texts: readonly string[]): Chance {
  // Lengths keep ['ab', 'c'] and ['a', 'bc'] apart.
  const digest = createHash('sha256')
    .update(texts.map(text => `${text.length}:${text}`).join(''))
    .digest()
  const next = generator(digest)
  const between = (low: number, high: number) => low + next() * (high - low)
  const whole = (low: number, high: number) => Math.floor(between(low, high + 1))
  const pick = <T>(from: readonly T[]): T => from[whole(0, from.length - 1)]!
  const shuffle = <T>(items: readonly T[]): T[] => {
    const rest = [...items]
    return items.map(() => rest.splice(whole(0, rest.length - 1), 1)[0]!)
  }
  return { next, between, whole, pick, shuffle }
}

/** A small fast counter-based generator ("sfc32"), seeded with 128 bits. */
function generator(seed: Buffer): () => number {
  let [a, b, c, counter] = [
    seed.readInt32LE(0),
    seed.readInt32LE(4),
    seed.readInt32LE(8),
    seed.readInt32LE(12),
  ]
  return () => {
    const mixed = (((a + b) | 0) + counter) | 0
    counter = (counter + 1) | 0
    a = b ^ (b >>> 9)
    b = (c + (c << 3)) | 0
    c = (((c << 21) | (c >>> 11)) + mixed) | 0
    return (mixed >>> 0) / 2 ** 32
  }
}
