import { createHash, type Hash } from 'node:crypto'
import { defined } from '../../base/defined.ts'
import type { Beginning } from '../../base/state.ts'
import { copyPart, partBytes, replacePart } from '../../disk/part.ts'
import type { Head } from '../http/exchange.ts'
import type { Begun } from '../http/wire.ts'

/** A download that broke off and can go on: what came so far is in the file and in the hash. */
export interface Resumption {
  /** The link without its query: a signature is renewed, the file behind it is not. */
  readonly resource: string
  /** A strong entity tag, the only proof that two answers are parts of one file (RFC 9110, 8.8.3). */
  readonly etag: string
  readonly bytes: number
  readonly total: number | undefined
  readonly hash: Hash
}

/** Names the file behind a link. */
export function resourceOf(link: string): string {
  return link.replace(/[?#].*$/s, '')
}

/** The entity tag, if it proves anything: weak ones (`W/`) do not. */
export function strongEtag({ headers }: Pick<Head, 'headers'>): string | undefined {
  const { etag } = headers
  return etag !== undefined && /^"[\x21\x23-\x7e\x80-\xff]*"$/.test(etag.trim()) ? etag.trim() : undefined
}

/** The headers that ask for the rest, or for everything when the file is another one by now (RFC 9110, 13.1.5). */
export function rangeHeaders({ bytes, etag }: Resumption): { readonly [name: string]: string } {
  return { range: `bytes=${bytes}-`, 'if-range': etag }
}

/**
 * What an answer to a request for the rest is. `rest` only when its range begins where the file ends, the length agrees
 * with itself and with the first answer, and it names the same version.
 */
export function restOf(asked: Resumption, head: Head): 'rest' | 'whole' | 'wrong' {
  if (head.status === 200) return 'whole'
  const { headers } = head
  const range = /^bytes (\d+)-(\d+)\/(\d+)$/.exec(headers['content-range']?.trim() ?? '')
  if (head.status !== 206 || !range) return 'wrong'
  const [first, last, total] = range.slice(1).map(Number) as [number, number, number] // three groups of digits
  const length = headers['content-length']
  const isHonest =
    first === asked.bytes &&
    last === total - 1 &&
    last >= first &&
    (asked.total === undefined || total === asked.total) &&
    (length === undefined || Number(length) === total - first) &&
    strongEtag(head) === asked.etag
  return isHonest ? 'rest' : 'wrong'
}

/** The size of the whole file, by an answer that is its rest. */
export function totalOfRest({ headers }: Pick<Head, 'headers'>): number {
  return Number(headers['content-range']?.split('/')[1])
}

/** Whether the file on disk is as long as it was left. */
export async function isAsLeft(path: string, { bytes }: Resumption): Promise<boolean> {
  try {
    return (await partBytes(path)) === bytes
  } catch {
    return false
  }
}

/**
 * What an earlier process left, copied to a file of ours and read again: undefined unless it begins with the very bytes
 * that were noted. What came behind them is cut off, nobody vouches for it. A copy, because that process may only have
 * been paused, and write on when it wakes.
 */
export async function takeUp(to: string, { path, beginning }: Begun): Promise<Resumption | undefined> {
  const { resource, etag, bytes, total, sha256 } = beginning
  const hash = createHash('sha256')
  try {
    if (bytes === 0 || (await partBytes(path)) < bytes) return undefined
    for await (const piece of await copyPart(path, to, bytes)) hash.update(piece)
    if (hash.copy().digest('hex') !== sha256) return undefined
    await replacePart(path, to, bytes)
    return { resource, etag, bytes, total, hash }
  } catch {
    return undefined
  }
}

/** As it can be noted. */
export function beginningOf({ hash, total, ...rest }: Resumption): Beginning {
  return { ...rest, ...defined({ total }), sha256: hash.copy().digest('hex') }
}
