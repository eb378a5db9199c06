import type { Component } from './components.ts'

/** A shard takes so much more than its even part before others take what would have been its own. */
const slack = 1.1

/**
 * The shard of each component, from 1 to `of`. Each has a shard that it likes best by its key alone, and gets the next one that
 * it likes when that is full, the heavy ones first: what is added or taken away moves few others, and no shard gets much more
 * than its part. What is heavier than a whole part goes to the emptiest. Pure.
 */
export function divide(components: readonly Component[], of: number): number[] {
  const room =
    evenPart(
      components.map(({ weight }) => weight),
      of,
    ) * slack
  const loads = new Array<number>(of).fill(0)
  const shards = new Array<number>(components.length).fill(1)
  for (const nth of inOrder(components)) {
    const { key, weight } = components[nth] ?? { key: 0, weight: 0 }
    const fits = (shard: number) => (loads[shard] ?? 0) + weight <= room
    const best = likedBest(key, of, fits) ?? emptiest(key, loads)
    loads[best] = (loads[best] ?? 0) + weight
    shards[nth] = best + 1
  }
  return shards
}

/** What is heavier than a whole part has a shard to itself: the others are divided among those that are left. */
function evenPart(weights: readonly number[], of: number): number {
  let rest = weights.reduce((sum, weight) => sum + weight, 0)
  let shards = of
  for (const weight of weights.toSorted((a, b) => b - a)) {
    if (shards === 1 || weight <= rest / shards) break
    rest -= weight
    shards--
  }
  return rest / shards
}

/** Heavy before light, where twice as much is heavier: a second more or less changes no turn. Else by the keys. */
function inOrder(components: readonly Component[]): number[] {
  const rank = components.map(({ weight }) => Math.floor(Math.log2(weight)))
  const keyOf = (nth: number) => components[nth]?.key ?? 0
  return components
    .map((_, nth) => nth)
    .toSorted((a, b) => (rank[b] ?? 0) - (rank[a] ?? 0) || keyOf(a) - keyOf(b))
}

/** Highest random weight (rendezvous hashing), among those that it fits in. */
function likedBest(key: number, of: number, fits: (shard: number) => boolean): number | undefined {
  let best: number | undefined
  let highest = -1
  for (let shard = 0; shard < of; shard++) {
    const liking = mixed(key, shard)
    if (liking <= highest || !fits(shard)) continue
    best = shard
    highest = liking
  }
  return best
}

function emptiest(key: number, loads: readonly number[]): number {
  const least = Math.min(...loads)
  return likedBest(key, loads.length, shard => loads[shard] === least) ?? 0
}

/** 32 bits that say nothing about those that went in (the finalizer of MurmurHash3). */
function mixed(key: number, shard: number): number {
  let bits = (key % 2 ** 32) ^ Math.imul(shard + 1, 0x9e3779b1) ^ Math.floor(key / 2 ** 32)
  bits = Math.imul(bits ^ (bits >>> 16), 0x85ebca6b)
  bits = Math.imul(bits ^ (bits >>> 13), 0xc2b2ae35)
  return (bits ^ (bits >>> 16)) >>> 0
}

/**
 * A whole number divided by weights, so that the parts are whole and their sum is it: everybody gets what they weigh where that is
 * enough for all, and the rest by weight; else all by weight. Pure.
 */
export function apportion(total: number, weights: readonly number[]): number[] {
  const sum = weights.reduce((all, each) => all + each, 0)
  if (sum === 0)
    return apportionBy(
      total,
      weights.map(() => 1),
    )
  if (total < sum) return apportionBy(total, weights)
  const more = apportionBy(total - sum, weights)
  return weights.map((weight, nth) => weight + (more[nth] ?? 0))
}

/** Up to each one of them all have together what is theirs, rounded down: what is lost to one by rounding the next ones get. */
function apportionBy(total: number, weights: readonly number[]): number[] {
  const sum = weights.reduce((all, each) => all + each, 0)
  let weight = 0
  let given = 0
  return weights.map((each, nth) => {
    weight += each
    const upTo = nth === weights.length - 1 ? total : Math.floor((total / sum) * weight)
    const part = Math.max(0, upTo - given)
    given += part
    return part
  })
}
