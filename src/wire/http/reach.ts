import { lookup as systemLookup } from 'node:dns'
import { isIP, type LookupFunction } from 'node:net'
import { isLoopbackHost, type Network, networkOf } from './networks.ts'

/** Which hosts a link may lead to, decided by the address that is really dialled. docs/contract.md P37. */
export interface LinkReach {
  /**
   * Why a host must not be dialled, as far as its name tells; undefined when only its addresses can. Behind a tunnel the
   * proxy resolves names: then they are resolved here as well, and a name that is only known there may be dialled.
   */
  refusal(hostname: string, isTunnelled?: boolean): Promise<string | undefined>
  /** Resolves names to addresses that may be dialled, and fails when a name has none. */
  readonly lookup: LookupFunction
}

interface ReachRules {
  /** Its network is open: a service in a private network has its files there. */
  readonly base: URL
  /** Host names that may lead anywhere. */
  readonly allowHosts: readonly string[]
  readonly lookup?: LookupFunction | undefined
}

export function createReach({ base, allowHosts, lookup = systemLookup }: ReachRules): LinkReach {
  const baseHost = bareHost(base.hostname)
  const free = new Set(allowHosts.map(host => bareHost(host.toLowerCase())))
  let open: Promise<ReadonlySet<Network>> | undefined

  const isOpen = async (address: string) => {
    const network = networkOf(address)
    if (network === 'public') return true
    open ??= networksOf(baseHost, lookup)
    try {
      return (await open).has(network)
    } catch {
      // The base address did not resolve just now; the next link asks again.
      open = undefined
      return false
    }
  }

  const allowedOf = async (hostname: string): Promise<Found[]> => {
    const found = await resolve(hostname, lookup)
    if (free.has(hostname)) return found
    const checked = await Promise.all(found.map(each => isOpen(each.address)))
    const allowed = found.filter((_, nth) => checked[nth])
    if (allowed.length > 0) return allowed
    const address = found[0]?.address ?? 'no address'
    throw new Error(`${hostname} is at ${address}, a ${networkOf(address)} address`)
  }

  const whyNotByName = async (host: string) => {
    try {
      await allowedOf(host)
      return undefined
    } catch (error) {
      // The resolver's errors have a code, ours have none.
      return error instanceof Error && !('code' in error) ? error.message : undefined
    }
  }

  return {
    async refusal(hostname, isTunnelled = false) {
      const host = bareHost(hostname)
      if (isTunnelled && isIP(host) === 0) return whyNotByName(host)
      if (isIP(host) === 0 || free.has(host) || (await isOpen(host))) return undefined
      return `the link leads to ${host}, a ${networkOf(host)} address`
    },
    lookup(hostname, options, done) {
      allowedOf(hostname).then(
        // Node asks for all addresses when it tries several at a time, for one otherwise.
        ([first, ...rest]) => {
          if (first && !options.all) done(null, first.address, first.family)
          else done(null, first ? [first, ...rest] : [])
        },
        (error: NodeJS.ErrnoException) => done(error, []),
      )
    },
  }
}

async function networksOf(host: string, lookup: LookupFunction): Promise<ReadonlySet<Network>> {
  if (isLoopbackHost(host)) return new Set(['loopback'])
  if (isIP(host) !== 0) return new Set([networkOf(host)])
  const found = await resolve(host, lookup)
  return new Set(found.map(each => networkOf(each.address)))
}

interface Found {
  readonly address: string
  readonly family: number
}

function resolve(hostname: string, lookup: LookupFunction): Promise<Found[]> {
  return new Promise((yes, no) => {
    lookup(hostname, { all: true }, (error, found, family) => {
      if (error) return no(error)
      yes(typeof found === 'string' ? [{ address: found, family: family ?? isIP(found) }] : found)
    })
  })
}

function bareHost(hostname: string): string {
  return hostname.replace(/^\[|\]$/g, '')
}
