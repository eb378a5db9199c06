/** One of several parts into which the jobs of a manifest are divided, each run by itself: number `nth` of `of`, counted from 1. */
export interface Shard {
  readonly nth: number
  readonly of: number
}

/** More parts than anybody has machines for. */
const mostShards = 1000

/** `3/16`, as a person writes it. Undefined for anything else. */
export function readShard(text: string): Shard | undefined {
  const [, nth, of] = /^(\d{1,4})\/(\d{1,4})$/.exec(text.trim()) ?? []
  return shardOf(Number(nth), Number(of))
}

export function shardText({ nth, of }: Shard): string {
  return `${nth}/${of}`
}

/** `3-of-16`: what the files of a shard have in their names. */
export function shardMark({ nth, of }: Shard): string {
  return `${nth}-of-${of}`
}

/** The shard of `3-of-16`. Undefined for any other text. */
export function shardMarked(text: string): Shard | undefined {
  const [, nth, of] = /^([1-9]\d{0,3})-of-([1-9]\d{0,3})$/.exec(text) ?? []
  return shardOf(Number(nth), Number(of))
}

function shardOf(nth: number, of: number): Shard | undefined {
  const isOne = Number.isInteger(nth) && nth >= 1 && nth <= of && of <= mostShards
  return isOne ? { nth, of } : undefined
}
