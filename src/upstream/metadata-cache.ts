import type { Clock } from '#base/clock.ts'

export type Metadata = Readonly<Record<string, unknown>>

/** What servers published about themselves, kept for some minutes; askers at the same time share one fetch. */
export interface MetadataCache {
  get(url: string, fetch: () => Promise<Metadata>): Promise<Metadata>
}

const LIFE_MS = 10 * 60_000
/** Limit: metadata documents of authorization servers held in memory; the oldest goes. */
const MAX_ENTRIES = 1000

export function createMetadataCache(clock: Clock): MetadataCache {
  const entries = new Map<string, { value: Promise<Metadata>; untilMs: number }>()
  return {
    get(url, fetch) {
      const known = entries.get(url)
      if (known && known.untilMs > clock.now()) return known.value
      const value = fetch()
      const entry = { value, untilMs: clock.now() + LIFE_MS }
      entries.delete(url)
      entries.set(url, entry)
      const [oldest] = entries.keys()
      if (entries.size > MAX_ENTRIES && oldest !== undefined) entries.delete(oldest)
      const forget = () => {
        if (entries.get(url) === entry) entries.delete(url)
      }
      value.catch(forget)
      return value
    },
  }
}
