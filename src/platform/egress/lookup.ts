import { lookup as systemLookup } from 'node:dns/promises'
import { isIP, type LookupFunction } from 'node:net'
import { callbackify } from 'node:util'
import type { AddressPolicy } from './address.ts'
import { EgressError, type EgressReason, type RefusedHost } from './errors.ts'
import type { PrivateList } from './trust.ts'

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
  /** Why only addresses that the operator listed may be reached; undefined: public ones too. */
  listedOnly: 'plain_http_refused' | 'port_refused' | undefined
  /** The setting that lists private networks for these calls. */
  list: PrivateList
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
  const of = { ofName: true, host: bare }
  const answers = await answersFor(rules, bare)
  if (answers.length === 0) throw refusal(rules, 'name_unresolved', 'The host name has no address', of)
  if (answers.length > MAX_ANSWERS)
    throw refusal(rules, 'too_many_addresses', 'The host name has too many addresses', of)
  const checked = new Map(answers.map(({ address }) => [address, checkedAddress(rules, address, of)]))
  return [...checked.values()].slice(0, MAX_CANDIDATES)
}

/** Throws unless the address may be connected to under these rules. */
export function checkedAddress(
  rules: Omit<HostRules, 'resolve'>,
  address: string,
  of: RefusedHost = { host: address },
): ResolvedAddress {
  const { policy, listedOnly } = rules
  if (!policy.allows(address)) throw refusal(rules, 'address_refused', 'The host is not on the public internet', of)
  if (listedOnly !== undefined && !policy.listed(address)) {
    const message = 'Without TLS only addresses that the operator listed can be reached'
    throw refusal(rules, 'plain_http_refused', message, of)
  }
  return { address, family: isIP(address) === 6 ? 6 : 4 }
}

/** A refused port looks the same whatever is behind it: otherwise it would tell which names and machines exist. */
function refusal(
  { listedOnly, list }: Omit<HostRules, 'resolve'>,
  reason: EgressReason,
  message: string,
  of: RefusedHost & ErrorOptions,
): EgressError {
  if (listedOnly !== 'port_refused') return new EgressError(reason, message, { ...of, list })
  return new EgressError('port_refused', 'This port cannot be called', { ...of, list })
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

async function answersFor(rules: HostRules, host: string): Promise<readonly { address: string }[]> {
  try {
    return await rules.resolve(host)
  } catch (cause) {
    throw refusal(rules, 'name_unresolved', 'The host name could not be resolved', { cause, ofName: true, host })
  }
}
