import { lookup as systemLookup } from 'node:dns/promises'
import { isIP, type LookupFunction } from 'node:net'
import { callbackify } from 'node:util'
import type { AddressPolicy } from './address.ts'
import { EgressError } from './errors.ts'

export interface ResolvedAddress {
  address: string
  family: 4 | 6
}

/** Resolves a name to all its addresses. */
export type Resolve = (host: string) => Promise<readonly { address: string }[]>

/** What a host must satisfy before a socket is opened to it. */
export interface HostRules {
  policy: AddressPolicy
  resolve: Resolve
  /** True: only addresses that the operator listed, as for plain HTTP. */
  listedOnly: boolean
}

/** Limit: addresses that a DNS answer may have; a name with more is refused. */
const MAX_ANSWERS = 1000
/** Limit: addresses of one name that are tried. */
const MAX_CANDIDATES = 16

export const systemResolve: Resolve = (host) => systemLookup(host, { all: true, order: 'verbatim' })

/** All addresses of a name or literal, each one checked; one refused address refuses the name. */
export async function checkedAddresses(rules: HostRules, host: string): Promise<ResolvedAddress[]> {
  const bare = withoutBrackets(host)
  if (isIP(bare) !== 0) return [checkedAddress(rules, bare)]
  const answers = await answersFor(rules.resolve, bare)
  const of = { ofName: true, host: bare }
  if (answers.length === 0) throw new EgressError('name_unresolved', 'The host name has no address', of)
  if (answers.length > MAX_ANSWERS)
    throw new EgressError('too_many_addresses', 'The host name has too many addresses', of)
  const checked = new Map(answers.map(({ address }) => [address, checkedAddress(rules, address, of)]))
  return [...checked.values()].slice(0, MAX_CANDIDATES)
}

/** Throws unless the address may be connected to under these rules. */
export function checkedAddress(
  { policy, listedOnly }: Omit<HostRules, 'resolve'>,
  address: string,
  of: { ofName?: boolean; host?: string } = { host: address },
): ResolvedAddress {
  if (!policy.allows(address)) throw new EgressError('address_refused', 'The host is not on the public internet', of)
  if (listedOnly && !policy.listed(address)) {
    const message = 'Without TLS only addresses that the operator listed can be reached'
    throw new EgressError('plain_http_refused', message, of)
  }
  return { address, family: isIP(address) === 6 ? 6 : 4 }
}

/** A `lookup` for sockets: they connect only to addresses that were checked, and resolve nothing themselves. */
export function pinnedLookup(rules: HostRules): LookupFunction {
  const resolve = callbackify((host: string) => checkedAddresses(rules, host))
  return (host, options, callback) =>
    resolve(host, (error, addresses) => {
      const first = addresses?.[0]
      if (error || !first) callback(error, '')
      else if (options.all) callback(null, addresses)
      else callback(null, first.address, first.family)
    })
}

export function withoutBrackets(host: string): string {
  return host.startsWith('[') && host.endsWith(']') ? host.slice(1, -1) : host
}

async function answersFor(resolve: Resolve, host: string): Promise<readonly { address: string }[]> {
  try {
    return await resolve(host)
  } catch (error) {
    throw new EgressError('name_unresolved', 'The host name could not be resolved', {
      cause: error,
      ofName: true,
      host,
    })
  }
}
