import type { Clock } from '#platform/clock.ts'
import { createTtlCache, type TtlCache } from '#platform/waiting/ttl-cache.ts'

export type Metadata = Readonly<Record<string, unknown>>

/** Published metadata of servers, by address. */
export type MetadataCache = TtlCache<Metadata>

const TTL_MS = 10 * 60_000
/** Limit: metadata documents of authorization servers held in memory; the least recently used is evicted. */
const MAX_ENTRIES = 1000

export function createMetadataCache(clock: Clock): MetadataCache {
  return createTtlCache(clock, { ttlMs: TTL_MS, maxEntries: MAX_ENTRIES })
}
