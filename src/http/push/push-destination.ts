import { z } from 'zod'
import type { TestResult } from '#flows/push/manage/dry-run.ts'
import type { ShownDestination } from '#flows/push/manage/status.ts'
import { withoutSecrets } from '#model/apps/destination-address.ts'
import type { HttpReply } from '../exchange/reply.ts'
import { text } from '../request/parameters.ts'

// Shared by the routes of push.
export const path = z.object({ id: text("The destination's id.") })
export const reasons = ['not_found'] as const

export function present(status: ShownDestination): Record<string, unknown> {
  const { destination: each } = status
  return {
    id: each.id,
    name: each.name,
    kind: each.kind,
    url: withoutSecrets(status.url),
    filter: each.filter,
    schedule: each.schedule,
    options: each.options,
    state: each.state,
    last_error: each.lastError,
    failing_since: each.failingSince,
    next_attempt_at: each.state === 'failing' ? each.nextAttemptAt : undefined,
    next_run_at: each.nextRunAt,
    worker_deaths: each.deaths > 0 ? each.deaths : undefined,
    profiles: status.profiles,
    rows: status.rows,
    profiles_behind: status.behind,
    profiles_failing: status.profilesFailing,
    changes_behind: status.changesBehind,
    behind_since: status.behindSince,
    lag_ms: status.lagMs,
    last_5_minutes: status.recent,
    delivered_at: status.deliveredAt,
    dead_letters: status.deadLetters,
    dead_letters_dropped: status.deadLettersDropped > 0 ? status.deadLettersDropped : undefined,
    created_at: each.createdAt,
  }
}

export function presentTest({ checks, matches }: TestResult): Record<string, unknown> {
  return { ok: checks.every(({ ok }) => ok), checks, matches }
}

/** Aborts when the caller is gone. */
export function disconnection(reply: HttpReply): AbortSignal {
  const disconnected = new AbortController()
  reply.raw.once('close', () => disconnected.abort())
  return disconnected.signal
}
