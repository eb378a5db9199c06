import type { Head } from '../http/exchange.ts'
import type { WireLimits } from '../http/limits.ts'
import { retryAfterMs } from '../http/retry-after.ts'
import type { DownloadReply } from '../http/wire.ts'
import { trouble, undelivered } from './undelivered.ts'

// Stores answer an expired signature with 400 or 401 as well. The same link will not do again.
const expired = [400, 401, 403, 404, 410]

/** What an answer that is not the file says; undefined for the file. */
export function refusalOf(head: Head, limits: WireLimits): DownloadReply | undefined {
  const { status, headers } = head
  if (expired.includes(status)) return { got: 'expired', failure: undelivered(`status ${status}`) }
  if (status !== 200) return { ...trouble(`status ${status}`), waitMs: retryAfterMs(head) }
  const encoding = headers['content-encoding']?.trim().toLowerCase() ?? 'identity'
  if (encoding !== '' && encoding !== 'identity') return trouble(`the file comes encoded as ${encoding}`)
  const total = declaredBytes(head)
  if (total !== undefined && total > limits.download.bytes) return trouble(tooLong(limits))
  return undefined
}

/** How long the file is, as the answer declares it. */
export function declaredBytes(head: Head): number | undefined {
  const length = head.headers['content-length']
  return length !== undefined && /^\d+$/.test(length) ? Number(length) : undefined
}

export function tooLong(limits: WireLimits): string {
  return `the file is longer than ${limits.download.bytes} bytes`
}
