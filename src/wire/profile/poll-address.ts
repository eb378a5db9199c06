import { isLoopbackHost } from '../http/networks.ts'

/** An address to ask at, or why there is none; `origin` when it is one that nobody has named. */
export type Asking = { readonly url: URL } | { readonly problem: string; readonly origin?: string }

/**
 * Where a run is asked for whose id is an address that the service gave: at its own origin, or at one that the person names.
 * Undefined for an id that is no address.
 */
export function pollAddress(id: string, base: URL, origins: readonly string[]): Asking | undefined {
  if (!isAddress(id)) return undefined
  const from = `${base.href.replace(/\/+$/, '')}/`
  if (!URL.canParse(id, from)) return { problem: 'what it is known by is no address' }
  const url = new URL(id, from)
  if (url.username !== '' || url.password !== '') return { problem: 'its address holds a user name' }
  if (url.origin === base.origin) return { url }
  const isSafe = url.protocol === 'https:' || (url.protocol === 'http:' && isLoopbackHost(url.hostname))
  if (isSafe && origins.includes(url.origin)) return { url }
  const isSaid = `if that is the service, say so outside of the project: GENRUN_UPLOAD_ORIGINS=${url.origin}`
  const problem = `the service says to ask at ${url.origin}, which is not the service; ${isSaid}`
  return { problem, origin: url.origin }
}

/** `https://eu.host/v1/runs/7`, `/v1/runs/7?version=2` and `runs/7` are; `7` is none. */
function isAddress(id: string): boolean {
  return id.includes('/')
}

/** An address with a signature in it is no name for a run: names are written down, and shown. */
export function isSignedAddress(address: string): boolean {
  const query = /\?([^#]*)/.exec(address)?.[1] ?? ''
  return [...new URLSearchParams(query).keys()].some(name =>
    /sig|token|key|secret|credential|auth|pass/i.test(name),
  )
}
