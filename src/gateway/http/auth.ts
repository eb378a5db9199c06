import { createHash, timingSafeEqual } from 'node:crypto'
import { type GatewayAnswer, refusedAnswer } from './answer.ts'

/** Undefined when the request carries the key; else the answer that asks for it. */
export function checkKey(headers: Headers, key: string): GatewayAnswer | undefined {
  const given = headers.get('authorization')
  if (given === null) return askForKey('the request has no Authorization header')
  const token = /^bearer +(\S+) *$/i.exec(given)?.[1]
  if (token === undefined) return askForKey('the Authorization header is not of the form Bearer <key>')
  return isSameSecret(token, key) ? undefined : askForKey('the key is not known here')
}

/** True for the key as the password of HTTP basic authentication, which is how a browser asks for it. */
export function hasKeyAsPassword(headers: Headers, key: string): boolean {
  const token = /^basic +(\S+) *$/i.exec(headers.get('authorization') ?? '')?.[1]
  if (token === undefined) return false
  const pair = Buffer.from(token, 'base64').toString()
  return isSameSecret(pair.slice(pair.indexOf(':') + 1), key)
}

/** True for a host that only this machine can reach: a literal loopback address or `localhost`. */
export function isLoopback(host: string): boolean {
  return /^(localhost|127(\.\d{1,3}){3}|\[?::1\]?)$/i.test(host)
}

function askForKey(message: string): GatewayAnswer {
  return refusedAnswer(401, 'unauthorized', message, {
    headers: { 'www-authenticate': 'Bearer realm="genrun gateway"' },
  })
}

/** Digests have one length, so that neither the comparison nor its absence tells how long the secret is. */
export function isSameSecret(one: string, other: string): boolean {
  return timingSafeEqual(sha256(one), sha256(other))
}

function sha256(text: string): Buffer {
  return createHash('sha256').update(text).digest()
}
