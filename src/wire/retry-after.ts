import type { Answer } from './answer.ts'

/**
 * How long the service asked to be left alone, in milliseconds, never less than it said (RFC 9110, 10.2.3): seconds,
 * also with decimals, or a date, which is compared with the answer's own Date so that a wrong clock here does no harm.
 * Undefined when it asked for nothing that can be understood.
 */
export function retryAfterMs(answer: Pick<Answer, 'headers' | 'at'>): number | undefined {
  const asked = answer.headers['retry-after']?.trim()
  if (asked === undefined) return undefined
  if (/^\d+(\.\d+)?$/.test(asked)) return Math.ceil(Number(asked) * 1000)
  const until = httpDate(asked)
  if (until === undefined) return undefined
  const now = httpDate(answer.headers.date?.trim() ?? '') ?? answer.at
  return Math.max(0, until - now)
}

/** The three forms of a date in RFC 9110, 5.6.7; the last has no zone and means GMT. */
function httpDate(text: string): number | undefined {
  if (!/^(Mon|Tue|Wed|Thu|Fri|Sat|Sun)/.test(text)) return undefined
  const date = Date.parse(text.endsWith('GMT') ? text : `${text} GMT`)
  return Number.isFinite(date) ? date : undefined
}
