import type { Connector } from '#kit/connector/connector.ts'
import type { Profile } from '#model/accounts/profile.ts'
import { MAX_DEATHS } from '#model/sync/deaths.ts'
import type { SyncReason } from '#model/sync/sync-reasons.ts'
import type { ProfileKey } from '#store/keys/profile-key.ts'
import { queueProfileEvent } from '#store/push/events.ts'
import { type EndpointState, listEndpoints, NEVER } from '#store/sync/endpoints.ts'
import { markFirstCompleted } from '#store/sync/schedule.ts'
import type { SyncDeps } from '../deps.ts'
import { endpointState, firstDoneAt } from '../endpoint-state.ts'

/** Reasons that another attempt soon does not change. */
const LASTING_REASONS: readonly SyncReason[] = [
  'not_found',
  'not_supported',
  'page_too_large',
  'priced',
  'quota_reached',
  'request_refused',
  'scope_missing',
  'service_refused',
  'spending_limit_reached',
  'unpaid',
]
/** An endpoint that failed this often in a row no longer delays the event. */
const FAILS_IN_VAIN = 8

/**
 * Reports that the first sync is complete, once in the life of a profile: in the transaction that stores it, under the lease.
 * An endpoint that failed for now is waited for; one that cannot be read is listed with its reason. Where everything is off, nothing
 * was synced yet: the app has to accept the price, or the person has to grant something.
 */
export async function completeFirstSync(
  { database, clock }: Pick<SyncDeps, 'database' | 'clock'>,
  key: ProfileKey,
  token: string,
  { profile, connector }: { profile: Profile; connector: Pick<Connector, 'endpoints'> },
): Promise<void> {
  const states = (await listEndpoints(database, key)).filter(
    ({ endpoint }) => connector.endpoints[endpoint] !== undefined,
  )
  if (!states.every((state) => state.firstDoneAt !== undefined || isUnreadable(state))) return
  const read = states.filter((state) => endpointState(state, false) !== 'off')
  if (states.length > 0 && read.length === 0) return
  const unread = states
    .filter(({ firstDoneAt }) => firstDoneAt === undefined)
    .map(({ endpoint, lastReason }) => ({ endpoint, reason: lastReason ?? 'off' }))
  const items = states.reduce((sum, state) => sum + state.items, 0)
  await database.transaction(async (tx) => {
    const nowMs = clock.now()
    // `GET /sync` says the same time in the moment before this one is stored.
    if (await markFirstCompleted(tx, key, token, firstDoneAt(read) ?? nowMs))
      await queueProfileEvent(tx, profile, 'sync.first_completed', nowMs, { items, unread })
  })
}

function isUnreadable({ nextRunAt, lastReason, deaths, fails }: EndpointState): boolean {
  const isOff = nextRunAt >= NEVER || deaths >= MAX_DEATHS
  return isOff || fails >= FAILS_IN_VAIN || (lastReason !== undefined && LASTING_REASONS.includes(lastReason))
}
