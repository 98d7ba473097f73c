import { AUTHORIZE_ERRORS } from '#identity/errors.ts'
import { REASONS } from '#model/errors.ts'
import { SIGN_IN_LOG_REASONS } from '#model/operation.ts'
import { UPSTREAM_REASONS } from '#model/sync/upstream-reasons.ts'

const OWN = {
  destination_failed: REASONS.destination_failed[2],
  internal: REASONS.internal[2],
  quota_reached: 'A quota of the app, the account or the profile is full, so new items were not stored.',
  redirect_unregistered: REASONS.redirect_unregistered[2],
  session_expired: REASONS.session_expired[2],
  too_many_sign_ins: REASONS.too_many_sign_ins[2],
  worker_died: 'A worker process ended while it read this endpoint.',
}

/** Every reason that an operation in the log can have, but for the statuses of proxied calls. */
export const LOG_REASONS: Record<string, string> = Object.fromEntries(
  Object.entries({ ...UPSTREAM_REASONS, ...AUTHORIZE_ERRORS, ...SIGN_IN_LOG_REASONS, ...OWN }).sort(([a], [b]) =>
    a < b ? -1 : 1,
  ),
)
