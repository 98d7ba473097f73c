import type { Clock } from '../clock.ts'

/** Caches values for a time. Beyond `maxEntries` or `maxWeight`, the least recently used entry is dropped. */
export interface TtlCache<Value> {
  /**
   * Concurrent callers share one load. A failed load is not cached: the next caller loads again. `untilMs`: when it ends, for what is
   * made of older values.
   */
  get(key: string, load: () => Promise<Value>, untilMs?: number): Promise<Value>
  /** The cached value, or the one being loaded; never starts a load. */
  peek(key: string): Promise<Value> | undefined
  /** The cached value, unless it is being loaded. */
  loaded(key: string): Value | undefined
  set(key: string, value: Value, untilMs?: number): void
  delete(key: string): void
  /** Deletes the values that match, and those being loaded: what they are loaded from may have changed since they began. */
  deleteMatching(matches: (value: Value) => boolean): void
  clear(): void
}

export interface TtlCacheOptions<Value> {
  ttlMs: number
  maxEntries: number
  /** For values of very different sizes. A value that is heavier than `maxWeight` is not kept. */
  weigh?: ((value: Value) => number) | undefined
  maxWeight?: number | undefined
}

interface Entry<Value> {
  value: Promise<Value>
  /** Absent while it is loaded. */
  loaded?: { value: Value }
  expiresAt: number
  /** 0 while it is loaded. */
  weight: number
}

export function createTtlCache<Value>(
  clock: Clock,
  { ttlMs, maxEntries, weigh, maxWeight = Number.POSITIVE_INFINITY }: TtlCacheOptions<Value>,
): TtlCache<Value> {
  // A map keeps insertion order, and every use inserts again: the first entry is the least recently used.
  const entries = new Map<string, Entry<Value>>()
  let sweeper: NodeJS.Timeout | undefined

  const insert = (key: string, value: Promise<Value>, untilMs = clock.now() + ttlMs) => {
    entries.delete(key)
    const entry: Entry<Value> = { value, expiresAt: untilMs, weight: 0 }
    entries.set(key, entry)
    if (entries.size > maxEntries) for (const oldest of entries.keys().take(1)) entries.delete(oldest)
    void value.then((loaded) => {
      entry.loaded = { value: loaded }
      if (weigh !== undefined) addWeight(entry, weigh(loaded))
    }, ignoreFailure)
    sweeper ??= setTimeout(sweep, 2 * ttlMs).unref()
  }
  const addWeight = (entry: Entry<Value>, weight: number) => {
    entry.weight = weight
    let total = entries.values().reduce((sum, each) => sum + each.weight, 0)
    for (const [key, each] of entries) {
      if (total <= maxWeight) return
      // Entries that are still loaded weigh nothing yet.
      if (each.weight > 0) entries.delete(key)
      total -= each.weight
    }
  }
  // Some values are secrets, so expired ones do not stay in memory.
  const sweep = () => {
    const now = clock.now()
    for (const [key, { expiresAt }] of entries) if (expiresAt <= now) entries.delete(key)
    sweeper = entries.size === 0 ? undefined : setTimeout(sweep, 2 * ttlMs).unref()
  }

  const use = (key: string) => {
    const known = entries.get(key)
    if (known === undefined || known.expiresAt <= clock.now()) return undefined
    entries.delete(key)
    entries.set(key, known)
    return known
  }
  const peek = (key: string) => use(key)?.value

  return {
    peek,
    loaded: (key) => use(key)?.loaded?.value,
    get: (key, load, untilMs) => {
      const known = peek(key)
      if (known !== undefined) return known
      const value = load()
      insert(key, value, untilMs)
      // The caller handles the failure; here it is only removed from the cache.
      value.catch(() => {
        if (entries.get(key)?.value === value) entries.delete(key)
      })
      return value
    },
    set: (key, value, untilMs) => insert(key, Promise.resolve(value), untilMs),
    delete: (key) => void entries.delete(key),
    deleteMatching: (matches) => {
      for (const [key, { loaded }] of entries) if (loaded === undefined || matches(loaded.value)) entries.delete(key)
    },
    clear: () => {
      clearTimeout(sweeper)
      sweeper = undefined
      entries.clear()
    },
  }
}

/** `get` handles the failure. */
function ignoreFailure(): void {}
