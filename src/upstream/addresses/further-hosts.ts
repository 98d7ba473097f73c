import type { Connector } from '#kit/connector/connector.ts'
import { trimEndOf } from '#platform/formats/trim-end.ts'
import type { ServiceKey } from '../request/service-key.ts'
import type { LocationInput } from './addresses.ts'
import { hostsOfFact, isOfService } from './fact-address.ts'

/** An origin of the service beside that of its API. */
export interface FurtherHost {
  /** As the connector names it; `https://*.` and a name for many. */
  declared: string
  /** Where it is called, without a trailing slash: the same, or on the instance to which the service was moved. */
  url: string
}

/** The further origins, and the vendor's address of the API where an operator has moved it to an instance. */
export interface ServiceHosts {
  hosts: readonly FurtherHost[]
  movedFrom?: string
}

/**
 * The hosts for one credential, which is called at `apiUrl`. A credential of an instance is never sent to a host of the vendor:
 * what is not known to be on the instance is left out.
 */
export function serviceHosts({ connector, key, instance }: LocationInput, apiUrl: string): ServiceHosts {
  const { hosts = [], baseUrl, hostsOnInstance } = connector.api
  const at = new URL(apiUrl)
  if (isAtVendor(connector, key, at)) return { hosts: hosts.map((declared) => ({ declared, url: declared })) }
  const base = instance?.['base_url'] ?? key.overrides['base_url']
  const movedByKey = key.overrides['api_url'] ?? base ?? Object.values(key.overrides)[0]
  // A server that one person named, or that was found for them, is not known to have these hosts.
  const ofPerson = instance?.['api_url']
  const isOnInstance = ofPerson !== undefined && originOf(ofPerson) === originOf(key.overrides['base_url'])
  const isPersons = ofPerson !== undefined && ofPerson !== key.overrides['api_url'] && !isOnInstance
  if (movedByKey === undefined || isPersons) return { hosts: [] }
  const isOnBase = base !== undefined && key.overrides['api_url'] === undefined
  const place = (declared: string) => (isOnBase ? base : at.origin + (hostsOnInstance?.[declared] ?? ''))
  const moved = hosts.map((declared) => ({ declared, url: trimEndOf(place(declared), '/') }))
  return { hosts: moved, ...(baseUrl.includes('{') ? {} : { movedFrom: trimEndOf(baseUrl, '/') }) }
}

const originOf = (url: string | undefined): string | undefined => URL.parse(url ?? '')?.origin

/** The API is at the vendor's address, or at another one that the vendor has for this person. */
function isAtVendor({ api }: Connector, { overrides }: ServiceKey, at: URL): boolean {
  if (URL.parse(api.baseUrl)?.origin === at.origin) return true
  const isMoved = overrides['api_url'] !== undefined || overrides['base_url'] !== undefined
  return !isMoved && api.baseUrlFrom !== undefined && isOfService(hostsOfFact(api.baseUrlFrom), at)
}
