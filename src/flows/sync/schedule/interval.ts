import type { Endpoint } from '#kit/endpoints/endpoint.ts'
import type { SyncRules } from '#model/sync/sync-rules.ts'
import type { Chance } from '#platform/chance.ts'
import { nextRun } from '#platform/formats/cron.ts'

const DAY_MS = 86_400_000
/** Limit (sync): shortest time between two syncs of an endpoint for which an app has no rule. */
const MIN_INTERVAL_MS = 60_000

export interface SyncInterval {
  intervalMs: number
  nextRunAt: number
}

/**
 * Shorter after changes, longer without, between a quarter and sixteen times the endpoint's own interval. A rule of the
 * app is used as it is.
 */
export function nextInterval(
  service: string,
  name: string,
  endpoint: Endpoint,
  rules: SyncRules,
  run: { intervalMs: number; changes: number; nowMs: number },
  chance: Chance,
): SyncInterval {
  const rule = rules.pace[`${service}/${name}`] ?? rules.pace[`${service}/*`]
  if (rule !== undefined && 'cron' in rule)
    return { intervalMs: run.intervalMs, nextRunAt: nextRun(rule, run.nowMs) ?? run.nowMs + DAY_MS }
  if (rule !== undefined) return { intervalMs: rule.everyMs, nextRunAt: run.nowMs + jitter(rule.everyMs, chance) }
  // It depends on the day only: what it is computed from makes it due by itself.
  if (endpoint.computed !== undefined)
    return { intervalMs: endpoint.everyMs, nextRunAt: run.nowMs + jitter(endpoint.everyMs, chance) }
  const shortest = Math.max(MIN_INTERVAL_MS, endpoint.everyMs / 4)
  const longest = Math.max(endpoint.everyMs, Math.min(endpoint.everyMs * 16, DAY_MS))
  const adapted = run.changes > 0 ? run.intervalMs / 2 : run.intervalMs * 1.5
  const intervalMs = Math.round(Math.min(longest, Math.max(shortest, adapted)))
  return { intervalMs, nextRunAt: run.nowMs + jitter(intervalMs, chance) }
}

/** Exponential backoff after failures, from half a minute to six hours. */
export function retryAt(fails: number, retryAfterMs: number | undefined, nowMs: number, chance: Chance): number {
  const backoffMs = Math.min(6 * 3_600_000, 30_000 * 2 ** Math.min(fails, 12))
  // After repeated failures a short `Retry-After` is ignored.
  if (retryAfterMs === undefined || (fails > 5 && retryAfterMs < backoffMs)) return nowMs + jitter(backoffMs, chance)
  return nowMs + Math.max(retryAfterMs, 1000) + Math.round(chance() * 1000)
}

/** False for a class of endpoints that the app switched off. */
export function isEnabled(endpoint: Endpoint, rules: SyncRules): boolean {
  return endpoint.class === 'core' || !rules.off.includes(endpoint.class)
}

/** False for an endpoint, or for the person's record (`self`), that costs money, unless the app switched it on. */
export function isPaidFor(
  service: string,
  name: string,
  { price }: Pick<Endpoint, 'price'>,
  { on }: SyncRules,
): boolean {
  return price === undefined || on.includes(`${service}/${name}`) || on.includes(`${service}/*`)
}

// Plus or minus a tenth: a thousand profiles that connected together must not stay together.
function jitter(ms: number, chance: Chance): number {
  return Math.round(ms * (0.9 + chance() * 0.2))
}
