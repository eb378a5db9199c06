import { liveThrough } from './history.ts'
import type { DiskFails } from './medium.ts'
import { fair } from './weather.ts'

const ways = {
  once: (nth: number): DiskFails => ({ from: nth, only: true }),
  on: (nth: number): DiskFails => ({ from: nth, only: false }),
  full: (nth: number): DiskFails => ({ room: (nth - 1) * 61 }),
}

/** How a disk fails: at one call, from one call on, or after so many bytes. */
export type Way = keyof typeof ways

/**
 * Each batch, with a disk that fails at its first call, at its second, and so on until it has no call more. How many runs met a failure,
 * and what went wrong in them.
 */
export async function throughFailingDisks(
  way: Way,
  batches: number,
): Promise<{ readonly troubles: number; readonly bad: readonly string[] }> {
  const bad: string[] = []
  let troubles = 0
  for (let seed = 1; seed <= batches; seed++) {
    for (let nth = 1; ; nth++) {
      const diskFails = ways[way](nth)
      const [{ accusations }, times] = await liveThrough(seed, { weather: fair, diskFails })
      bad.push(...accusations.map(each => `seed ${seed}, ${JSON.stringify(diskFails)}: ${each}`))
      if (times === 0) break
      troubles++
    }
  }
  return { troubles, bad }
}
