import { monthOf } from '#model/apps/money.ts'
import { SESSION_IDLE_MS } from '#model/apps/operator.ts'
import { purgeAttempts } from '#store/apps/attempts.ts'
import { purgeCalls } from '#store/apps/calls.ts'
import { purgeAppDeletions } from '#store/apps/deletions.ts'
import { purgeIdempotencyKeys } from '#store/apps/idempotency-keys.ts'
import { purgeRegistrations } from '#store/apps/registrations.ts'
import { purgeAudit } from '#store/audit.ts'
import type { Batch, Position } from '#store/delete-in-batches.ts'
import { purgeRevokedTokens } from '#store/identity/access-tokens.ts'
import { purgeDeletionRequests } from '#store/identity/deletion-requests.ts'
import { purgeOrphanDecisions } from '#store/identity/people-decisions.ts'
import { fillPersonTerms } from '#store/identity/person-terms.ts'
import { purgeProxyTokens } from '#store/identity/proxy-tokens.ts'
import { purgeItemHours } from '#store/items/item-hours.ts'
import { forgetTombstones } from '#store/items/old-tombstones.ts'
import { purgeOperations } from '#store/log/operations.ts'
import { purgeLinks } from '#store/operators/links.ts'
import { purgeChallenges } from '#store/operators/passkeys.ts'
import { purgeSessions } from '#store/operators/sessions.ts'
import { limitDeadLetters } from '#store/push/dead-letter-limit.ts'
import { purgeDeliveries } from '#store/push/deliveries.ts'
import { openMissingCursors } from '#store/push/destination-cursors.ts'
import { purgeEvents } from '#store/push/events.ts'
import { purgeFeeds } from '#store/push/feed.ts'
import { removeOrphanCursors, removeOrphanDeadLetters, removeOrphanDeliveredItems } from '#store/push/orphans.ts'
import { purgeHookRecords } from '#store/sync/hook-records.ts'
import { purgeRateLimits } from '#store/sync/rate-limits.ts'
import { purgeSpending } from '#store/sync/spending.ts'
import { purgeUploads } from '#store/sync/uploads.ts'
import { recountProfiles } from './recount.ts'
import * as retention from './retention.ts'
import { type ReviewDeps, reviewQuotas } from './review-quotas.ts'
import type { MaintenanceTask, RunnerDeps } from './run-tasks.ts'

/** Limit: profiles of an older release that one step makes searchable; the next step continues. */
const MAX_TERMS_FILLED = 200
/** Limit: destinations that one run of maintenance looks for in a table; the next run continues. */
const MAX_DESTINATIONS = 20
const DAY_MS = 86_400_000

export type PurgeDeps = ReviewDeps & RunnerDeps

type Step = (deps: PurgeDeps, nowMs: number, position: Position | undefined) => Promise<Batch>

/** A small table: one statement does it all. */
const all = async (count: Promise<number>): Promise<Batch> => ({ done: await count, more: false })

const logBefore = ({ config }: PurgeDeps, nowMs: number) => nowMs - (config?.logDays ?? 14) * DAY_MS

/** By name. Each deletes what has outlived its time, removes what belongs to nobody, or corrects counts. */
const STEPS = {
  attempts: ({ database }, now) => purgeAttempts(database, now - retention.ATTEMPTS_TTL_MS),
  calls: (deps, now) => purgeCalls(deps.database, logBefore(deps, now)),
  operations: (deps, now) => purgeOperations(deps.database, logBefore(deps, now)),
  audit: ({ database, config }, now) => purgeAudit(database, now - (config?.auditDays ?? 400) * DAY_MS),
  access_tokens: ({ database }, now) => purgeRevokedTokens(database, now - retention.REVOKED_TOKENS_TTL_MS),
  tombstones: ({ database }, now, position) => forgetTombstones(database, now - retention.TOMBSTONES_TTL_MS, position),
  rate_limits: ({ database }, now, position) => purgeRateLimits(database, now - retention.RATE_LIMITS_TTL_MS, position),
  deliveries: (deps, now) => purgeDeliveries(deps.database, logBefore(deps, now)),
  events: ({ database }, now, position) => purgeEvents(database, now - retention.EVENTS_TTL_MS, position),
  feeds: ({ database }, now) =>
    all(
      purgeFeeds(database, {
        entriesBeforeMs: now - retention.FEED_ENTRIES_TTL_MS,
        readBeforeMs: now - retention.UNREAD_FEEDS_TTL_MS,
      }),
    ),
  app_deletions: ({ database }, now) => all(purgeAppDeletions(database, now - retention.DELETIONS_TTL_MS)),
  deletion_requests: ({ database }, now) => purgeDeletionRequests(database, now - retention.DELETIONS_TTL_MS),
  hook_records: ({ database }, now, position) => purgeHookRecords(database, now, position),
  uploads: ({ database }, now) => purgeUploads(database, now),
  registrations: ({ database }, now) =>
    all(purgeRegistrations(database, now, now - retention.UNUSED_REGISTRATIONS_TTL_MS)),
  idempotency_keys: ({ database }, now) => purgeIdempotencyKeys(database, now),
  proxy_tokens: ({ database }, now, position) => purgeProxyTokens(database, now, position),
  dead_letters: ({ database }, _now, position) => limitDeadLetters(database, position),
  orphan_cursors: ({ database }, _now, position) => removeOrphanCursors(database, position),
  orphan_dead_letters: ({ database }, _now, position) => removeOrphanDeadLetters(database, position),
  orphan_delivered_items: ({ database }, _now, position) => removeOrphanDeliveredItems(database, position),
  orphan_decisions: ({ database }, _now, position) => purgeOrphanDecisions(database, position),
  missing_cursors: ({ database }, now, position) => openMissingCursors(database, now, position),
  recount: (deps) => recountProfiles(deps),
  quotas: (deps, _now, position) => reviewQuotas(deps, position),
  spending: ({ database }, now) => all(purgeSpending(database, monthOf(now - retention.SPENDING_TTL_MS))),
  item_hours: ({ database }, now) => purgeItemHours(database, now - retention.ITEM_HOURS_TTL_MS),
  person_terms: async ({ database }) => {
    const done = await fillPersonTerms(database, MAX_TERMS_FILLED)
    return { done, more: done === MAX_TERMS_FILLED }
  },
  operator_sessions: ({ database }, now) =>
    all(purgeSessions(database, { nowMs: now, idleSince: now - SESSION_IDLE_MS })),
  operator_links: ({ database }, now) => all(purgeLinks(database, now)),
  passkey_challenges: ({ database }, now) => all(purgeChallenges(database, now)),
} as const satisfies Record<string, Step>

export type PurgeName = keyof typeof STEPS

/** Limit: steps of a run of a task of maintenance whose steps cost more than those of others. */
const MAX_STEPS: Partial<Record<string, number>> = {
  dead_letters: MAX_DESTINATIONS,
  orphan_cursors: MAX_DESTINATIONS,
  orphan_dead_letters: MAX_DESTINATIONS,
  orphan_delivered_items: MAX_DESTINATIONS,
  // 4,000 profiles in ten minutes: half a million a day.
  missing_cursors: 2,
  // The same: 4,000 profiles.
  tombstones: 20,
}

export const PURGES: readonly MaintenanceTask<PurgeDeps>[] = Object.entries<Step>(STEPS).map(([name, step]) => ({
  name,
  run: (deps, position) => step(deps, deps.clock.now(), position),
  ...(MAX_STEPS[name] === undefined ? {} : { maxSteps: MAX_STEPS[name] }),
}))
