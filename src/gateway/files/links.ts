import { createHmac } from 'node:crypto'
import { isSameSecret } from '../http/auth.ts'
import type { GatewayOutput } from './outputs.ts'

/** The path all links to files begin with. */
const filesPath = '/gw-v2/files/'

/** Links to served files. When they expire, a link carries its date and a signature over both. */
export interface Links {
  /** `http://127.0.0.1:4000/gw-v2/files/{run}/1.png` */
  to(output: GatewayOutput, origin: string): string
  /** What a request for a file is worth. */
  check(run: string, name: string, query: URLSearchParams): 'good' | 'expired' | 'forged'
}

interface LinkRules {
  readonly secret: string
  /** Undefined for links that live as long as the file. */
  readonly seconds: number | undefined
  readonly now: () => number
}

export function signedLinks({ secret, seconds, now }: LinkRules): Links {
  const sign = (run: string, name: string, expires: string) =>
    createHmac('sha256', secret).update(`${run}/${name}?${expires}`).digest('hex').slice(0, 32)
  return {
    to({ run, name }, origin) {
      const path = `${origin}${filesPath}${run}/${name}`
      if (seconds === undefined) return path
      const expires = String(now() + seconds * 1000)
      return `${path}?expires=${expires}&signature=${sign(run, name, expires)}`
    },
    check(run, name, query) {
      if (seconds === undefined) return 'good'
      const expires = query.get('expires') ?? ''
      if (!isSameSecret(query.get('signature') ?? '', sign(run, name, expires))) return 'forged'
      return Number(expires) > now() ? 'good' : 'expired'
    },
  }
}

/** What a link to one of our own files says. */
interface OwnFile {
  readonly run: string
  readonly name: string
  readonly query: URLSearchParams
}

/** Reads a link of this gateway; undefined for links to anywhere else. */
export function ownFile(link: string, origins: readonly string[]): OwnFile | undefined {
  if (!URL.canParse(link)) return undefined
  const { origin, pathname, searchParams: query } = new URL(link)
  const [, run, name] = /^\/gw-v2\/files\/([0-9a-f]{32})\/(\d+\.[a-z0-9]+)$/.exec(pathname) ?? []
  return run && name && origins.includes(origin) ? { run, name, query } : undefined
}
