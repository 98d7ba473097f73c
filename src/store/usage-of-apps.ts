import { type Amount, add } from '#model/apps/quotas.ts'
import type { Clock } from '#platform/clock.ts'
import type { Queries } from '#platform/postgres/database.ts'
import { sumApp } from './app-usage.ts'

/**
 * What an app has stored, cached in this process: an app may have a million profiles, so they are summed only now and
 * then. In between the process adds what it writes itself; writes of other processes appear with the next sum.
 */
export interface AppUsage {
  total: Amount
  /** The app's own items, which are part of the total. */
  own: Amount
  countedAt: number
  /** Counts own items before they are written. Call the returned function with whether they were stored. */
  reserve: (more: Amount) => (isStored: boolean) => void
}

/** Summing takes at most this share of the time. A sum is used for at least a second and at most a minute. */
const SHARE_OF_TIME = 1 / 200
const SHORTEST_TTL_MS = 1000
const LONGEST_TTL_MS = 60_000

interface CachedUsage {
  usage: AppUsage
  reserved: Amount
  /** Stored while a sum was running, which may not include them: rather counted twice than not at all. */
  storedDuringSum: Amount
  expiresAt: number
  running: Promise<AppUsage> | undefined
}

const caches = new WeakMap<Queries, Map<string, CachedUsage>>()

export async function appUsage(
  { database, clock }: { database: Queries; clock: Clock },
  appId: string,
  ownService: string,
): Promise<AppUsage> {
  const cache = caches.get(database) ?? new Map<string, CachedUsage>()
  caches.set(database, cache)
  const cached = cache.get(appId) ?? createCachedUsage()
  cache.set(appId, cached)
  if (cached.expiresAt > clock.now()) return cached.usage
  cached.running ??= refresh(cached, clock, () => sumApp(database, appId, ownService)).finally(() => {
    cached.running = undefined
  })
  return cached.running
}

function createCachedUsage(): CachedUsage {
  const [total, own, reserved, storedDuringSum] = [noAmount(), noAmount(), noAmount(), noAmount()]
  const usage = { total, own, countedAt: 0, reserve }
  const cached: CachedUsage = { usage, reserved, storedDuringSum, expiresAt: 0, running: undefined }
  function reserve(more: Amount): (isStored: boolean) => void {
    const less = { items: -more.items, bytes: -more.bytes }
    for (const amount of [total, own, reserved]) add(amount, more)
    return (isStored) => {
      add(reserved, less)
      if (!isStored) for (const amount of [total, own]) add(amount, less)
      else if (cached.running !== undefined) add(storedDuringSum, more)
    }
  }
  return cached
}

async function refresh(
  cached: CachedUsage,
  clock: Clock,
  sum: () => Promise<{ total: Amount; own: Amount }>,
): Promise<AppUsage> {
  const { usage, reserved, storedDuringSum } = cached
  Object.assign(storedDuringSum, noAmount())
  const [began, countedAt] = [performance.now(), clock.now()]
  const { total, own } = await sum()
  for (const more of [reserved, storedDuringSum]) for (const amount of [total, own]) add(amount, more)
  Object.assign(usage.total, total)
  Object.assign(usage.own, own)
  usage.countedAt = countedAt
  const ttlMs = (performance.now() - began) / SHARE_OF_TIME
  cached.expiresAt = countedAt + Math.min(LONGEST_TTL_MS, Math.max(SHORTEST_TTL_MS, ttlMs))
  return usage
}

const noAmount = (): Amount => ({ items: 0, bytes: 0 })
