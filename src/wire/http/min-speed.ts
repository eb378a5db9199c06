import type { Clock } from '../../base/clock.ts'
import { inSeconds } from './deadline.ts'
import type { DownloadLimits } from './limits.ts'

/** How far a download is. `total` is its declared size. */
interface Progress {
  readonly bytes: () => number
  readonly total: number | undefined
}

interface SpeedLimits {
  readonly clock: Clock
  readonly limits: DownloadLimits
}

/**
 * Watches a download until the signal is aborted, and says why it must be cut off: too slow over a whole window, or not
 * finished when its time is over. A download of unknown size has the time of what came so far.
 */
export async function keepMinSpeed(
  { clock, limits }: SpeedLimits,
  { bytes, total }: Progress,
  signal: AbortSignal,
  cutOff: (reason: string) => void,
): Promise<void> {
  const { slow } = limits
  const start = clock.now()
  const allowedMs = () => Math.max(limits.leastMs, ((total ?? bytes()) / limits.bytesPerSecond) * 1000)
  let window = { from: start, bytes: bytes() }
  while (!signal.aborted) {
    await clock.until(Math.min(start + allowedMs(), window.from + slow.overMs), signal)
    if (signal.aborted) return
    const now = clock.now()
    if (now >= start + allowedMs()) return cutOff(`not finished after ${inSeconds(now - start)}`)
    if (now < window.from + slow.overMs) continue
    const leastBytes = (slow.bytesPerSecond * slow.overMs) / 1000
    if (bytes() - window.bytes < leastBytes)
      return cutOff(`slower than ${slow.bytesPerSecond} bytes a second`)
    window = { from: now, bytes: bytes() }
  }
}
