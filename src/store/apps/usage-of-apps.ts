import { type Amount, add } from '#model/quotas.ts'
import type { Clock } from '#platform/clock.ts'
import type { Queries } from '#platform/postgres/database.ts'
import { sumApp } from './usage.ts'

/**
 * What an app has stored, as this process knows it: summed now and then, because an app may have a million profiles. In between the
 * process adds what it writes itself; what others write is seen with the next sum.
 */
export interface AppUsage {
  total: Amount
  /** Of it, the app's own items. */
  own: Amount
  countedAt: number
  /** Counts own items that are about to be written. The function given back says what became of them. */
  hold: (more: Amount) => (isStored: boolean) => void
}

/** Summing takes at most this share of the time, and its result is at least a second and at most a minute old. */
const SHARE_OF_TIME = 1 / 200
const YOUNGEST_MS = 1000
const OLDEST_MS = 60_000

interface Kept {
  usage: AppUsage
  held: Amount
  /** Stored while a sum was under way, which may not have seen them: counted once too often rather than not at all. */
  late: Amount
  untilMs: number
  next: Promise<AppUsage> | undefined
}

const kept = new WeakMap<Queries, Map<string, Kept>>()

export async function appUsage(
  { database, clock }: { database: Queries; clock: Clock },
  appId: string,
  ownService: string,
): Promise<AppUsage> {
  const apps = kept.get(database) ?? new Map<string, Kept>()
  kept.set(database, apps)
  const known = apps.get(appId) ?? unknown()
  apps.set(appId, known)
  if (known.untilMs > clock.now()) return known.usage
  known.next ??= refresh(known, clock, () => sumApp(database, appId, ownService)).finally(() => {
    known.next = undefined
  })
  return known.next
}

function unknown(): Kept {
  const held = { items: 0, bytes: 0 }
  const [total, own, late] = [{ ...held }, { ...held }, { ...held }]
  const one: Kept = { usage: { total, own, countedAt: 0, hold }, held, late, untilMs: 0, next: undefined }
  function hold(more: Amount): (isStored: boolean) => void {
    const less = { items: -more.items, bytes: -more.bytes }
    for (const amount of [total, own, held]) add(amount, more)
    return (isStored) => {
      add(held, less)
      if (!isStored) for (const amount of [total, own]) add(amount, less)
      else if (one.next !== undefined) add(late, more)
    }
  }
  return one
}

async function refresh(one: Kept, clock: Clock, sum: () => Promise<{ total: Amount; own: Amount }>): Promise<AppUsage> {
  const { usage, held, late } = one
  Object.assign(late, { items: 0, bytes: 0 })
  const [began, countedAt] = [performance.now(), clock.now()]
  const { total, own } = await sum()
  for (const more of [held, late]) for (const amount of [total, own]) add(amount, more)
  Object.assign(usage.total, total)
  Object.assign(usage.own, own)
  usage.countedAt = countedAt
  one.untilMs = countedAt + Math.min(OLDEST_MS, Math.max(YOUNGEST_MS, (performance.now() - began) / SHARE_OF_TIME))
  return usage
}
