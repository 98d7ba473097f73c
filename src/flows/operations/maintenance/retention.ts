const DAY_MS = 86_400_000

export const ATTEMPTS_TTL_MS = 3_600_000
export const RATE_LIMITS_TTL_MS = 7 * DAY_MS
export const DELETIONS_TTL_MS = 90 * DAY_MS
/** Of a key that a service registered and with which nobody has signed in. */
export const UNUSED_REGISTRATIONS_TTL_MS = DAY_MS
export const EVENTS_TTL_MS = 30 * DAY_MS
/** Of entries in the feeds of apps, and of a feed that nobody reads. */
export const FEED_ENTRIES_TTL_MS = 7 * DAY_MS
export const UNREAD_FEEDS_TTL_MS = 30 * DAY_MS
/** The overview shows a week. */
export const ITEM_HOURS_TTL_MS = 8 * DAY_MS
/** Until then an operator can see in a copy of the database that a token was revoked; nobody else can tell it from an unknown one. */
export const REVOKED_TOKENS_TTL_MS = 30 * DAY_MS
/** Of deletions, for who reads changes by a cursor and for destinations that have them. */
export const TOMBSTONES_TTL_MS = 90 * DAY_MS
export const SPENDING_TTL_MS = 400 * DAY_MS
/** A used code is kept for a day, so that its replay is detected; what else has ended, so that this can be explained. */
export const ENDED_TTL_MS = DAY_MS

/** How long what is kept for a fixed time is kept, for the settings. The log is kept for `LOG_DAYS`. */
export const RETENTION_MS = {
  app_deletions: DELETIONS_TTL_MS,
  events: EVENTS_TTL_MS,
  revoked_tokens: REVOKED_TOKENS_TTL_MS,
  feed_entries: FEED_ENTRIES_TTL_MS,
  spending: SPENDING_TTL_MS,
  deletions_of_items: TOMBSTONES_TTL_MS,
} as const
