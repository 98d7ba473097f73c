import { NEVER } from '#store/sync/endpoints.ts'
import { countSubscriptions, listAppSubscriptions } from '#store/sync/hook-subscriptions.ts'
import type { SyncDeps } from '../deps.ts'

/** A subscription as the API and the CLI show it. */
export interface ShownSubscription {
  service: string
  name: string
  /** Absent for a subscription of the whole app. */
  profile?: string
  state: 'wanted' | 'active' | 'ending'
  expires_at?: number
  /** The next renewal or attempt. */
  next_call?: number
  attempts?: number
  last_reason?: string
  last_error?: string
}

/** For operators: the subscriptions to webhooks of an app, a page at a time. `next` continues. */
export async function appSubscriptions(
  { database }: Pick<SyncDeps, 'database'>,
  appId: string,
  after: string,
  limit: number,
): Promise<{ subscriptions: ShownSubscription[]; next?: string }> {
  const [shard = '-1', profileId = '', name = ''] = after.split('/', 3)
  const from = { shard: /^\d{1,4}$/.test(shard) ? Number(shard) : -1, profileId, name }
  const found = await listAppSubscriptions(database, appId, from, limit)
  const last = found.at(-1)
  return {
    subscriptions: found.map((each) => ({
      service: each.service,
      name: each.name,
      ...(each.profileId === '' ? {} : { profile: each.profileId }),
      state: each.state,
      ...(each.expiresAt === undefined ? {} : { expires_at: each.expiresAt }),
      ...(each.dueAt >= NEVER ? {} : { next_call: each.dueAt }),
      ...(each.attempts === 0 ? {} : { attempts: each.attempts }),
      ...(each.lastReason === undefined ? {} : { last_reason: each.lastReason, last_error: each.lastError ?? '' }),
    })),
    ...(last === undefined || found.length < limit ? {} : { next: `${last.shard}/${last.profileId}/${last.name}` }),
  }
}

/** For metrics: subscriptions by service and state; `failing` where the last call failed. */
export function subscriptionCounts({ database }: Pick<SyncDeps, 'database'>): ReturnType<typeof countSubscriptions> {
  return countSubscriptions(database)
}
