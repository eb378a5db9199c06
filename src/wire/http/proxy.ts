import { BlockList, isIP } from 'node:net'
import { isLoopbackHost } from './networks.ts'

/** Proxies as the environment names them. */
export interface ProxyRules {
  /** `http://proxy.example:3128`, `https://user:password@proxy.example`. */
  readonly https?: string
  /** Hosts that are reached directly: names with all below them, addresses, networks, `*`; `:port` may follow. */
  readonly no?: string
}

/** The proxy on the way to a host; undefined for the direct way. This machine is always reached directly. */
export function proxyFor(rules: ProxyRules | undefined, hostname: string, port: number): URL | undefined {
  const { https, no = '' } = rules ?? {}
  if (https === undefined || https.trim() === '' || isLoopbackHost(hostname)) return undefined
  const host = hostname.replace(/^\[|\]$/g, '').toLowerCase()
  const isDirect = no.split(/[\s,]+/).some(rule => rule !== '' && means(rule.toLowerCase(), host, port))
  return isDirect ? undefined : parseProxy(https)
}

/** Why a proxy's address is none; undefined when it is one. */
export function proxyProblem(text: string): string | undefined {
  const url = URL.canParse(withScheme(text)) ? parseProxy(text) : undefined
  if (url && ['http:', 'https:'].includes(url.protocol) && url.hostname !== '') return undefined
  return 'the address of the proxy must look like http://host:port'
}

function parseProxy(text: string): URL {
  return new URL(withScheme(text))
}

function withScheme(text: string): string {
  return /^[a-z][a-z\d+.-]*:\/\//i.test(text.trim()) ? text.trim() : `http://${text.trim()}`
}

/** Whether an entry of the exceptions means this host. */
function means(rule: string, host: string, port: number): boolean {
  if (rule === '*') return true
  const [, name = rule, itsPort] = /^(\[.*\]|[^:]*):(\d+)$/.exec(rule) ?? []
  if (itsPort !== undefined && Number(itsPort) !== port) return false
  const bare = name.replace(/^\[|\]$/g, '').replace(/^\*?\./, '')
  const [address = '', bits] = bare.split('/')
  if (bits !== undefined) return isWithin(address, Number(bits), host)
  return host === bare || (isIP(host) === 0 && host.endsWith(`.${bare}`))
}

function isWithin(network: string, bits: number, host: string): boolean {
  const family = isIP(network)
  if (family === 0 || isIP(host) !== family || !(bits >= 0 && bits <= (family === 4 ? 32 : 128))) return false
  const type = family === 4 ? 'ipv4' : 'ipv6'
  const list = new BlockList()
  list.addSubnet(network, bits, type)
  return list.check(host, type)
}
