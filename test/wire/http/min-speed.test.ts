import { expect, test } from 'vitest'
import { type DownloadLimits, wireLimits } from '../../../src/wire/http/limits.ts'
import { keepMinSpeed } from '../../../src/wire/http/min-speed.ts'
import { handClock } from '../hand-clock.ts'

const limits: DownloadLimits = { ...wireLimits.download, leastMs: 600_000 }

/** Moves the clock minute by minute while `perMinute` bytes come; the reason and minute of the cut, if there was one. */
async function watch(minutes: number, perMinute: number, total?: number) {
  const clock = handClock()
  const over = new AbortController()
  let bytes = 0
  let cut: [string, number] | undefined
  let minute = 0
  const watching = keepMinSpeed({ clock, limits }, { bytes: () => bytes, total }, over.signal, reason => {
    cut = [reason, minute]
    over.abort()
  })
  while (minute < minutes && !cut) {
    minute++
    bytes += perMinute
    clock.advance(60_000)
    for (let turn = 0; turn < 10; turn++) await Promise.resolve()
  }
  over.abort()
  await watching
  return cut
}

test('a download that comes fast enough goes on', async () => {
  expect(await watch(9, 700_000)).toBeUndefined()
})

test('one that is slower than 10 KiB/s over a minute is cut off', async () => {
  expect(await watch(9, 600_000)).toEqual(['slower than 10240 bytes a second', 1])
})

test('one that is not finished after 10 minutes is cut off', async () => {
  expect(await watch(20, 700_000, 50_000_000)).toEqual(['not finished after 600 s', 10])
})

test('a large one has the time that its size takes at 100 KiB/s', async () => {
  expect(await watch(30, 700_000, 20 * 60 * 102_400)).toEqual(['not finished after 1200 s', 20])
})

test('one of unknown size has the time of what has come', async () => {
  expect(await watch(30, 60 * 102_400 + 1)).toBeUndefined()
})
