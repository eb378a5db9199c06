/** What part of a file a request asks for. Positions count bytes, `end` is exclusive. */
export type ByteRange =
  | { readonly is: 'whole' }
  | { readonly is: 'part'; readonly start: number; readonly end: number }
  | { readonly is: 'outside' }

/**
 * Reads a Range header (RFC 9110, 14.2). What it does not understand, and what asks for several parts, is the whole
 * file, as the standard allows.
 */
export function partAsked(range: string | null, bytes: number): ByteRange {
  const asked = /^bytes=(\d*)-(\d*)$/.exec(range?.replaceAll(/\s/g, '') ?? '')
  const [first, last] = [asked?.[1] ?? '', asked?.[2] ?? '']
  if (first === '' && last === '') return { is: 'whole' }
  if (first === '') return suffix(Number(last), bytes)
  const [start, end] = [Number(first), last === '' ? bytes : Math.min(Number(last) + 1, bytes)]
  if (last !== '' && Number(last) < start) return { is: 'whole' }
  return start < bytes ? { is: 'part', start, end } : { is: 'outside' }
}

function suffix(length: number, bytes: number): ByteRange {
  if (length === 0 || bytes === 0) return { is: 'outside' }
  return { is: 'part', start: Math.max(0, bytes - length), end: bytes }
}

/** True when an If-Range header allows a part: it is absent, or is this strong entity tag. */
export function rangeHolds(ifRange: string | null, etag: string): boolean {
  return ifRange === null || ifRange.trim() === etag
}

/** True when an If-None-Match header names this entity tag; weak comparison, RFC 9110, 13.1.2. */
export function isKnown(ifNoneMatch: string | null, etag: string): boolean {
  if (ifNoneMatch === null) return false
  const tags = ifNoneMatch.split(',').map(tag => tag.trim().replace(/^W\//, ''))
  return tags.includes('*') || tags.includes(etag)
}
