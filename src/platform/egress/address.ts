import { BlockList, isIP, isIPv4 } from 'node:net'

/** Which addresses may be connected to. `listed`: in a range that the operator allowed. */
export interface AddressPolicy {
  allows(address: string): boolean
  listed(address: string): boolean
}

const SPECIAL_IPV4 = [
  '0.0.0.0/8', // this network
  '10.0.0.0/8', // private
  '100.64.0.0/10', // carrier-grade NAT
  '127.0.0.0/8', // loopback
  '168.63.129.16/32', // a cloud's host agent, reachable only from inside its machines
  '169.254.0.0/16', // link-local, cloud metadata
  '172.16.0.0/12', // private
  '192.0.0.0/24', // protocol assignments
  '192.0.2.0/24', // documentation
  '192.31.196.0/24', // AS112
  '192.52.193.0/24', // multicast tunnels
  '192.88.99.0/24', // 6to4 relays
  '192.168.0.0/16', // private
  '192.175.48.0/24', // AS112
  '198.18.0.0/15', // benchmarks
  '198.51.100.0/24', // documentation
  '203.0.113.0/24', // documentation
  '224.0.0.0/4', // multicast
  '240.0.0.0/4', // reserved, broadcast
]

// Everything outside is special: mapped, compatible and translated IPv4, NAT64, local, multicast, discard, segment routing.
const GLOBAL_IPV6 = ['2000::/3']

const SPECIAL_IPV6 = [
  '2001::/23', // protocol assignments, Teredo, ORCHID
  '2001:db8::/32', // documentation
  '2002::/16', // 6to4
  '2620:4f:8000::/48', // AS112
  '3fff::/20', // documentation
]

const specialIPv4 = blockListOf(SPECIAL_IPV4)
const globalIPv6 = blockListOf(GLOBAL_IPV6)
const specialIPv6 = blockListOf(SPECIAL_IPV6)

/** True for global unicast only; false for anything that is not exactly one IP address. */
export function isGlobalUnicast(address: string): boolean {
  // A zone id ("%eth0") names a link of this machine, so the address is not global.
  if (isIP(address) === 0 || address.includes('%')) return false
  if (isIPv4(address)) return !specialIPv4.check(address, 'ipv4')
  return globalIPv6.check(address, 'ipv6') && !specialIPv6.check(address, 'ipv6')
}

/** `allowPrivate` holds ranges ("10.0.0.0/8", "fd00::/8") or single addresses; throws `RangeError` on anything else. */
export function createAddressPolicy(allowPrivate: readonly string[]): AddressPolicy {
  // Two lists, because one BlockList would apply an IPv4 range to IPv6 forms of the same address.
  const allowedIPv4 = blockListOf(allowPrivate.filter((range) => !range.includes(':')))
  const allowedIPv6 = blockListOf(allowPrivate.filter((range) => range.includes(':')))
  const listed = (address: string) => {
    if (isIP(address) === 0 || address.includes('%')) return false
    return isIPv4(address) ? allowedIPv4.check(address, 'ipv4') : allowedIPv6.check(address, 'ipv6')
  }
  return { listed, allows: (address) => isGlobalUnicast(address) || listed(address) }
}

function blockListOf(ranges: readonly string[]): BlockList {
  const list = new BlockList()
  for (const range of ranges) {
    const [, address = '', bits] = /^\s*([0-9a-fA-F.:]+)(?:\/(\d{1,3}))?\s*$/.exec(range) ?? []
    const family = isIP(address)
    const width = family === 4 ? 32 : 128
    const prefix = bits === undefined ? width : Number(bits)
    if (family === 0 || prefix > width) throw new RangeError(`Not an address range: ${JSON.stringify(range)}`)
    list.addSubnet(address, prefix, family === 4 ? 'ipv4' : 'ipv6')
  }
  return list
}
