import { z } from 'zod'
import type { ShownDestination } from '#flows/push/manage/status.ts'
import { withoutSecrets } from '#model/destination-address.ts'
import { text } from './parameters.ts'

/** What the routes of push have in common. */
export const path = z.object({ id: text("The destination's id.") })
export const destination = z
  .object({
    id: z.string(),
    name: z.string(),
    kind: z.string(),
    url: z.string(),
    filter: z.array(z.string()),
    schedule: z.string(),
    state: z.string(),
  })
  .loose()
export const reasons = ['not_found'] as const

export function present(shown: ShownDestination): Record<string, unknown> {
  const { destination: each } = shown
  return {
    id: each.id,
    name: each.name,
    kind: each.kind,
    url: withoutSecrets(shown.url),
    filter: each.filter,
    schedule: each.schedule,
    options: each.options,
    state: each.state,
    last_error: each.lastError,
    failing_since: each.failingSince,
    next_attempt_at: each.state === 'failing' ? each.nextAttemptAt : undefined,
    next_run_at: each.nextRunAt,
    worker_deaths: each.deaths > 0 ? each.deaths : undefined,
    profiles: shown.profiles,
    rows: shown.rows,
    profiles_behind: shown.behind,
    profiles_failing: shown.profilesFailing,
    changes_behind: shown.changesBehind,
    behind_since: shown.behindSince,
    lag_ms: shown.lagMs,
    last_5_minutes: shown.recent,
    delivered_at: shown.deliveredAt,
    dead_letters: shown.deadLetters,
    created_at: each.createdAt,
  }
}
