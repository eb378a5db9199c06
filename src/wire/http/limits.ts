/** Times and sizes of docs/contract.md section 4. Times in milliseconds, sizes in bytes. Tests pass smaller ones. */
export interface WireLimits {
  /** Until a connection stands, TLS included. */
  readonly connectMs: number
  readonly submit: { readonly firstHeaderMs: number; readonly totalMs: number; readonly bytes: number }
  readonly execute: { readonly firstHeaderMs: number; readonly totalMs: number; readonly bytes: number }
  readonly result: { readonly firstHeaderMs: number; readonly totalMs: number; readonly bytes: number }
  readonly download: DownloadLimits
  /** An upload may take `leastMs`, and as long as its size takes at `bytesPerSecond` beside. */
  readonly upload: { readonly leastMs: number; readonly bytesPerSecond: number }
  /** The largest JSON answer that is read: an honest one of more is media in base64 that belongs behind links. */
  readonly jsonBytes: number
}

export interface DownloadLimits {
  readonly firstHeaderMs: number
  /** The whole download may take this long, or as long as its size takes at `bytesPerSecond`. */
  readonly leastMs: number
  readonly bytesPerSecond: number
  readonly bytes: number
  /** Cut off when fewer than `bytesPerSecond` came over a window of `overMs`. */
  readonly slow: { readonly bytesPerSecond: number; readonly overMs: number }
  readonly redirects: number
}

const seconds = 1000
const minutes = 60 * seconds
const KiB = 1024
const MiB = 1024 * KiB
const GiB = 1024 * MiB

export const wireLimits: WireLimits = {
  connectMs: 10 * seconds,
  submit: { firstHeaderMs: 60 * seconds, totalMs: 90 * seconds, bytes: MiB },
  execute: { firstHeaderMs: 10 * minutes, totalMs: 10 * minutes, bytes: 2 * GiB },
  result: { firstHeaderMs: 30 * seconds, totalMs: 45 * seconds, bytes: 64 * MiB },
  download: {
    firstHeaderMs: 30 * seconds,
    leastMs: 10 * minutes,
    bytesPerSecond: 100 * KiB,
    bytes: 2 * GiB,
    slow: { bytesPerSecond: 10 * KiB, overMs: 60 * seconds },
    redirects: 5,
  },
  upload: { leastMs: 60 * seconds, bytesPerSecond: 100 * KiB },
  jsonBytes: 256 * MiB,
}
