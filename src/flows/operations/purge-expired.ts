import { monthOf } from '#model/apps/money.ts'
import { SESSION_IDLE_MS } from '#model/apps/operator.ts'
import { purgeAttempts } from '#store/apps/attempts.ts'
import { purgeCalls } from '#store/apps/calls.ts'
import { purgeAppDeletions } from '#store/apps/deletions.ts'
import { purgeIdempotencyKeys } from '#store/apps/idempotency-keys.ts'
import { purgeRegistrations } from '#store/apps/registrations.ts'
import { purgeDeletionRequests } from '#store/identity/deletion-requests.ts'
import { purgeOrphanDecisions } from '#store/identity/people-decisions.ts'
import { fillPersonTerms } from '#store/identity/person-terms.ts'
import { purgeProxyTokens } from '#store/identity/proxy-tokens.ts'
import { purgeItemHours } from '#store/items/item-hours.ts'
import { purgeOperations } from '#store/log/operations.ts'
import { purgeLinks } from '#store/operators/links.ts'
import { purgeChallenges } from '#store/operators/passkeys.ts'
import { purgeSessions } from '#store/operators/sessions.ts'
import { removeOrphanCursors } from '#store/push/cursors.ts'
import { purgeOrphanRecordedItems } from '#store/push/delivered-items.ts'
import { purgeDeliveries, purgeOrphanDeadLetters } from '#store/push/deliveries.ts'
import { openMissingCursors } from '#store/push/destination-cursors.ts'
import { purgeEvents } from '#store/push/events.ts'
import { purgeFeeds } from '#store/push/feed.ts'
import { purgeHookRecords } from '#store/sync/hook-records.ts'
import { purgeRateLimits } from '#store/sync/rate-limits.ts'
import { purgeSpending } from '#store/sync/spending.ts'
import { purgeUploads } from '#store/sync/uploads.ts'
import { recountProfiles } from './recount.ts'
import { type ReviewDeps, reviewQuotas } from './review-quotas.ts'

const ATTEMPTS_TTL_MS = 3_600_000
const DAY_MS = 86_400_000
const RATE_LIMITS_TTL_MS = 7 * 86_400_000
const DELETIONS_TTL_MS = 90 * 86_400_000
/** Of a key that a service registered and with which nobody has signed in. */
const UNUSED_REGISTRATIONS_TTL_MS = 86_400_000
const EVENTS_TTL_MS = 30 * 86_400_000
/** Of entries in the feeds of apps, and of a feed that nobody reads. */
const FEED_ENTRIES_TTL_MS = 7 * 86_400_000
const UNREAD_FEEDS_TTL_MS = 30 * 86_400_000
/** The overview shows a week. */
const ITEM_HOURS_TTL_MS = 8 * 86_400_000
/** Limit: profiles of an older release that one run of maintenance makes searchable; the next run continues. */
const MAX_TERMS_FILLED = 2000
const SPENDING_TTL_MS = 400 * 86_400_000

/** How long what is kept for a fixed time is kept, for the settings. The log is kept for `LOG_DAYS`. */
export const RETENTION_MS = {
  app_deletions: DELETIONS_TTL_MS,
  events: EVENTS_TTL_MS,
  feed_entries: FEED_ENTRIES_TTL_MS,
  spending: SPENDING_TTL_MS,
} as const

interface Purged {
  attempts: number
  calls: number
  /** Sign-ins and syncs in the log. */
  operations: number
  rateLimits: number
  deliveries: number
  events: number
  /** Entries of feeds, and feeds. */
  feeds: number
  deletions: number
  hookRecords: number
  /** Uploaded files that no profile took. */
  uploads: number
  deletionRequests: number
  registrations: number
  /** Responses kept for an `Idempotency-Key`. */
  idempotencyKeys: number
  /** Tokens for services that have ended. */
  proxyTokens: number
  /** Cursors and dead letters of deleted destinations, and decisions about people of accounts that are gone. */
  orphans: number
  /** Missing cursors that were created. */
  cursors: number
  /** Profiles whose item counts were wrong. */
  miscounted: number
  /** Notices of quotas that are no longer near or reached. */
  quotas: number
  /** Months whose spending nobody asks for any more. */
  spending: number
  /** Hours of which the overview shows nothing any more. */
  itemHours: number
  /** Profiles of an older release that searches find now. */
  personTerms: number
  /** Sessions, links and answered challenges of operators. */
  operators: number
}

/** Deletes what has outlived its TTL and corrects counts. Runs every few minutes; a missed or repeated run is harmless. */
export async function purgeExpired(deps: ReviewDeps): Promise<Purged> {
  const { database, clock } = deps
  const logBefore = clock.now() - (deps.config?.logDays ?? 14) * DAY_MS
  return {
    attempts: await purgeAttempts(database, clock.now() - ATTEMPTS_TTL_MS),
    calls: await purgeCalls(database, logBefore),
    operations: await purgeOperations(database, logBefore),
    rateLimits: await purgeRateLimits(database, clock.now() - RATE_LIMITS_TTL_MS),
    deliveries: await purgeDeliveries(database, logBefore),
    events: await purgeEvents(database, clock.now() - EVENTS_TTL_MS),
    feeds: await purgeFeeds(database, {
      entriesBeforeMs: clock.now() - FEED_ENTRIES_TTL_MS,
      readBeforeMs: clock.now() - UNREAD_FEEDS_TTL_MS,
    }),
    deletions: await purgeAppDeletions(database, clock.now() - DELETIONS_TTL_MS),
    deletionRequests: await purgeDeletionRequests(database, clock.now() - DELETIONS_TTL_MS),
    hookRecords: await purgeHookRecords(database, clock.now()),
    uploads: await purgeUploads(database, clock.now()),
    registrations: await purgeRegistrations(database, clock.now(), clock.now() - UNUSED_REGISTRATIONS_TTL_MS),
    idempotencyKeys: await purgeIdempotencyKeys(database, clock.now()),
    proxyTokens: await purgeProxyTokens(database, clock.now()),
    orphans:
      (await removeOrphanCursors(database)) +
      (await purgeOrphanDeadLetters(database)) +
      (await purgeOrphanRecordedItems(database)) +
      (await purgeOrphanDecisions(database)),
    cursors: await openMissingCursors(database, clock.now()),
    miscounted: await recountProfiles(deps),
    quotas: await reviewQuotas(deps),
    spending: await purgeSpending(database, monthOf(clock.now() - SPENDING_TTL_MS)),
    itemHours: await purgeItemHours(database, clock.now() - ITEM_HOURS_TTL_MS),
    personTerms: await fillPersonTerms(database, MAX_TERMS_FILLED),
    operators:
      (await purgeSessions(database, { nowMs: clock.now(), idleSince: clock.now() - SESSION_IDLE_MS })) +
      (await purgeLinks(database, clock.now())) +
      (await purgeChallenges(database, clock.now())),
  }
}
