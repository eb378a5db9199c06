import type { Answer } from './answer.ts'

/**
 * How long the service asked to be left alone, in milliseconds, never less than it said (RFC 9110, 10.2.3): seconds,
 * also with decimals, or a date, which is compared with the answer's own Date so that a wrong clock here does no harm.
 * Where it was asked twice, the longer counts. Undefined when it asked for nothing that can be understood.
 */
export function retryAfterMs(answer: Pick<Answer, 'headers' | 'at'>): number | undefined {
  const asked = answer.headers['retry-after'] ?? ''
  const now = httpDate(answer.headers.date?.trim() ?? '') ?? answer.at
  const waits = asked.split(betweenTwo).flatMap(each => waitMs(each.trim(), now) ?? [])
  return waits.length === 0 ? undefined : Math.min(Math.max(...waits), longestMs)
}

// A date holds a comma of its own, before its day.
const betweenTwo = /,\s*(?=[A-Za-z]|[\d.]+\s*(?:,|$))/

// Beyond every deadline there is, and still a date: so many digits are infinite as a number.
const longestMs = 100 * 365 * 86_400_000

function waitMs(asked: string, now: number): number | undefined {
  if (/^\d+(\.\d+)?$/.test(asked)) return Math.ceil(Number(asked) * 1000)
  const until = httpDate(asked)
  return until === undefined ? undefined : Math.max(0, until - now)
}

/** The three forms of a date in RFC 9110, 5.6.7; without a zone they mean GMT, which some write as UTC or +0000. */
function httpDate(text: string): number | undefined {
  if (!/^(Mon|Tue|Wed|Thu|Fri|Sat|Sun)/i.test(text)) return undefined
  const date = Date.parse(/(GMT|UTC|[+-]\d{4})$/i.test(text) ? text : `${text} GMT`)
  return Number.isFinite(date) ? date : undefined
}
