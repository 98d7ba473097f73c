import type { Endpoint } from '../endpoints/endpoint.ts'
import { OWN_SERVICE, ownEndpoint } from './own-items.ts'
import type { Registry } from './registry.ts'

/**
 * Increase it when something else is derived from records than before: types, cards, participants, search words, dedupe keys. Stored records
 * are then read again, without their services.
 */
const KIT_VERSION = 4
/** Limit: the version of a kind, plus one. */
export const MAX_KIND_VERSIONS = 256

/** The version that an item of this endpoint is read with; it is part of the item's hash, in 16 bits. */
export function readerVersion({ kind }: Endpoint): number {
  return KIT_VERSION * MAX_KIND_VERSIONS + ((kind.version ?? 0) % MAX_KIND_VERSIONS)
}

/** The version of all readers of a service: it grows when that of any endpoint does. */
export function serviceReaderVersion(endpoints: Record<string, Endpoint>): number {
  return Object.values(endpoints).reduce((sum, { kind }) => sum + (kind.version ?? 0), KIT_VERSION * 100_000)
}

export const OWN_READER_VERSION = serviceReaderVersion({ own: ownEndpoint })

/** The current version of every loaded service, and of own items. */
export function currentReaderVersions(registry: Registry): { service: string; version: number }[] {
  return [
    { service: OWN_SERVICE.service, version: OWN_READER_VERSION },
    ...registry.list().map(({ service, endpoints }) => ({ service, version: serviceReaderVersion(endpoints) })),
  ]
}
