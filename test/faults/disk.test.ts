import { expect, test } from 'vitest'
import { hangsAfterMs } from './budget.ts'
import { liveThrough } from './history.ts'
import type { DiskFails } from './medium.ts'
import { fair } from './weather.ts'

const batches = 12
const timeLimit = { timeout: hangsAfterMs }

test.each<[string, (nth: number) => DiskFails]>([
  ['fails at one call, whichever it is,', from => ({ from, only: true })],
  ['fails from one call on, whichever it is, until space is freed,', from => ({ from, only: false })],
  ['is full after so many bytes, however many,', nth => ({ room: (nth - 1) * 61 })],
])(
  'a disk that %s buys nothing that is not recorded, and a rerun pays nothing twice',
  timeLimit,
  async (_, failsAt) => {
    let troubles = 0
    for (let seed = 1; seed <= batches; seed++) {
      for (let nth = 1; ; nth++) {
        const diskFails = failsAt(nth)
        const [{ accusations }, times] = await liveThrough(seed, { weather: fair, diskFails })
        expect(accusations, `seed ${seed}, ${JSON.stringify(diskFails)}`).toEqual([])
        if (times === 0) break
        troubles++
      }
    }
    console.log(`${troubles} runs of ${batches} batches met a failing disk; paid twice or lost: 0`)
    expect(troubles).toBeGreaterThan(50 * batches)
  },
)
