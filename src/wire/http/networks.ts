import { BlockList, isIP } from 'node:net'

/** What kind of network an address belongs to. Only `public` is open to links from anywhere. */
export type Network = 'public' | 'loopback' | 'private' | 'link-local' | 'metadata' | 'reserved'

/**
 * The network of an IP address, by IANA's special-purpose registries. IPv6 forms that carry an IPv4 address (mapped,
 * NAT64, 6to4) count as what they carry. Text that is no address is `reserved`.
 */
export function networkOf(address: string): Network {
  const plain = address.replace(/^\[|\]$/g, '').replace(/%.*$/, '')
  const family = isIP(plain)
  if (family === 0) return 'reserved'
  const carried = family === 6 ? carriedIPv4(plain) : undefined
  if (carried !== undefined) return networkOf(carried)
  const found = listed().find(([, list]) => list.check(plain, family === 4 ? 'ipv4' : 'ipv6'))
  return found ? found[0] : 'public'
}

/** The host of a URL by name or address: whether it is this machine and nothing else. */
export function isLoopbackHost(hostname: string): boolean {
  const name = hostname.toLowerCase().replace(/\.$/, '')
  return name === 'localhost' || name.endsWith('.localhost') || networkOf(name) === 'loopback'
}

/** Metadata services first: their addresses lie within the other ranges. Made when an address is looked at: many commands see none. */
function listed(): readonly (readonly [Network, BlockList])[] {
  lists ??= [
    [
      'metadata',
      blocks(
        '169.254.169.254/32 169.254.170.2/32 100.100.100.200/32 192.0.0.192/32 168.63.129.16/32 fd00:ec2::254/128',
      ),
    ],
    ['loopback', blocks('127.0.0.0/8 ::1/128')],
    ['private', blocks('10.0.0.0/8 100.64.0.0/10 172.16.0.0/12 192.168.0.0/16 fc00::/7 fec0::/10')],
    ['link-local', blocks('169.254.0.0/16 fe80::/10')],
    [
      'reserved',
      blocks(`
        0.0.0.0/8 192.0.0.0/24 192.0.2.0/24 192.88.99.0/24 198.18.0.0/15 198.51.100.0/24 203.0.113.0/24
        224.0.0.0/4 240.0.0.0/4 ::/96 64:ff9b:1::/48 100::/64 2001::/23 2001:db8::/32 3fff::/20 5f00::/16 ff00::/8
      `),
    ],
  ]
  return lists
}

let lists: readonly (readonly [Network, BlockList])[] | undefined

function blocks(networks: string): BlockList {
  const list = new BlockList()
  for (const network of networks.trim().split(/\s+/)) {
    const [address = '', bits] = network.split('/')
    list.addSubnet(address, Number(bits), address.includes(':') ? 'ipv6' : 'ipv4')
  }
  return list
}

/** ::ffff:a.b.c.d (RFC 4291), 64:ff9b::a.b.c.d (RFC 6052), 2002:aabb:ccdd:: (RFC 3056). */
function carriedIPv4(address: string): string | undefined {
  // A URL spells an IPv6 address in one way only: lower case, shortest, without dots.
  const text = new URL(`http://[${address}]/`).hostname.slice(1, -1)
  const found =
    /^(?:::ffff:|64:ff9b::)([0-9a-f]{1,4}):([0-9a-f]{1,4})$/.exec(text) ??
    /^2002:([0-9a-f]{1,4}):([0-9a-f]{1,4}):/.exec(text)
  if (!found) return undefined
  const [high, low] = [Number.parseInt(found[1] ?? '', 16), Number.parseInt(found[2] ?? '', 16)]
  return [high >> 8, high & 255, low >> 8, low & 255].join('.')
}
