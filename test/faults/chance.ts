import type { Random } from '../../src/base/random.ts'

/** Chance that is the same for the same seed, and cheap. */
export interface Chance extends Random {
  /** From `least` to `most`, both included. */
  whole(least: number, most: number): number
  /** True in so many of a hundred cases: 0.1 is ten. */
  hits(share: number): boolean
  pick<T>(of: readonly T[]): T
  /** A name by its weight. */
  weighed<Name extends string>(weights: { readonly [name in Name]: number }): Name
  /** Chance of its own, which what happens elsewhere does not disturb. */
  branch(): Chance
}

/** The generator is SFC32, of the public PractRand suite; the seed is spread by the finaliser of MurmurHash3. */
export function chanceOf(seed: number): Chance {
  let [a, b, c, counter] = [spread(seed), spread(seed + 0x9e3779b9), spread(seed / 2 ** 32), 1]
  const bits = () => {
    const sum = (((a + b) | 0) + counter) | 0
    counter = (counter + 1) | 0
    a = b ^ (b >>> 9)
    b = (c + (c << 3)) | 0
    c = ((c << 21) | (c >>> 11)) + sum
    return sum >>> 0
  }
  for (let turn = 0; turn < 12; turn++) bits()
  const next = () => bits() / 2 ** 32
  const hex = () => bits().toString(16).padStart(8, '0')
  return {
    next,
    token: () => hex() + hex() + hex() + hex(),
    whole: (least, most) => least + Math.floor(next() * (most - least + 1)),
    hits: share => next() < share,
    pick(of) {
      const picked = of[Math.floor(next() * of.length)]
      if (picked === undefined) throw new Error('nothing to pick from')
      return picked
    },
    weighed(weights) {
      const entries = Object.entries(weights) as [keyof typeof weights, number][] // its own keys
      let left = next() * entries.reduce((sum, [, weight]) => sum + weight, 0)
      for (const [name, weight] of entries) {
        left -= weight
        if (left < 0) return name
      }
      throw new Error('no weight is above zero')
    },
    branch: () => chanceOf(bits() * 2 ** 20 + (bits() >>> 12)),
  }
}

function spread(seed: number): number {
  let mixed = Math.floor(seed) | 0
  mixed = Math.imul(mixed ^ (mixed >>> 16), 0x85ebca6b)
  mixed = Math.imul(mixed ^ (mixed >>> 13), 0xc2b2ae35)
  return mixed ^ (mixed >>> 16)
}
