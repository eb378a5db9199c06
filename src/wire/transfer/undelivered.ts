import type { Failure } from '../../base/failure.ts'
import type { DownloadReply } from '../http/wire.ts'

/** A download that came to nothing this time. */
export function trouble(detail: string): DownloadReply & { got: 'trouble' } {
  return { got: 'trouble', failure: undelivered(detail) }
}

export function undelivered(detail: string): Failure {
  return { why: 'undelivered', detail }
}
