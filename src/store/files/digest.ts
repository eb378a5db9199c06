import { createHash, hash } from 'node:crypto'
import { type Digest, type Json, type JsonObject, sha256Digest } from '../../base/names.ts'
import type { Disk } from './disk.ts'
import { eachInTurn } from './pieces.ts'
import { rememberLast } from './remember-last.ts'

/** The digest of a file's contents, read in pieces. Rejects with StorageError. */
export async function digestFile(disk: Disk, path: string): Promise<Digest> {
  const hash = createHash('sha256')
  for await (const piece of disk.readPieces(path)) hash.update(piece)
  return sha256Digest(hash.digest('hex'))
}

/** The same for whoever cannot wait. Throws StorageError. */
export function digestFileNow(disk: Disk, path: string): Digest {
  const hash = createHash('sha256')
  for (const piece of disk.readPiecesNow(path)) hash.update(piece)
  return sha256Digest(hash.digest('hex'))
}

export function digestBytes(bytes: Uint8Array | string): Digest {
  return sha256Digest(hash('sha256', bytes))
}

/** Of a text that is never there as a whole. */
export function digestPieces(pieces: Iterable<string>): Digest {
  const hash = createHash('sha256')
  for (const piece of pieces) hash.update(piece)
  return sha256Digest(hash.digest('hex'))
}

/** The same where others are at work. */
export async function digestInTurns(pieces: Iterable<string>): Promise<Digest> {
  const hash = createHash('sha256')
  await eachInTurn(pieces, piece => hash.update(piece))
  return sha256Digest(hash.digest('hex'))
}

const lastText = rememberLast<{ readonly text: string; readonly digest: Digest }>()

/** The same of a text that may be long, and that one run asks for several times: a lock. */
export function digestText(text: string): Digest {
  const last = lastText.get()
  if (last?.text === text) return last.digest
  const digest = digestBytes(text)
  lastText.keep({ text, digest })
  return digest
}

/** The digest of a value, whatever order its keys were written in. */
export function digestOf(value: Json): Digest {
  return digestBytes(canonicalJson(value))
}

/**
 * One text for one value (RFC 8785): keys sorted by UTF-16 units, no spaces, numbers as JavaScript prints them, so that
 * `1.0` and `1`, or `-0` and `0`, are one. Members without a value are left out. Throws on numbers that JSON does not have.
 */
export function canonicalJson(value: Json): string {
  if (typeof value === 'number' && !Number.isFinite(value))
    throw new RangeError(`${value} is not a JSON number`)
  if (value === null || typeof value !== 'object') return JSON.stringify(value)
  if (isJsonList(value)) return `[${value.map(canonicalJson).join()}]`
  const members: string[] = []
  // By UTF-16 units, as it sorts.
  for (const key of Object.keys(value).sort()) {
    const member = value[key]
    if (member !== undefined) members.push(`${JSON.stringify(key)}:${canonicalJson(member)}`)
  }
  return `{${members.join()}}`
}

export function isJsonList(value: readonly Json[] | JsonObject): value is readonly Json[] {
  return Array.isArray(value)
}
