import type { Profile } from '#model/accounts/profile.ts'
import { newId } from '#platform/crypto/ids.ts'
import { type Queries, statement } from '#platform/postgres/database.ts'
import type { Batch, Position } from '../delete-in-batches.ts'
import { WALK_BATCH, walkBatch } from '../walk.ts'

/** Events that a destination can receive besides items. */
export const PUSH_EVENTS = {
  'destination.failing': 'it failed three times in a row; `error`, `failing_since`',
  'destination.parked': 'it failed for three days, and delivery has stopped; `error`, `failing_since`',
  'destination.disabled': 'its receiver answered 410; `error`, `failing_since`',
  'destination.recovered': 'it works again after a `destination.failing` event',
  'delivery.dead_lettered': 'rows became dead letters; `profile`, `items`, `reason`',
  'profile.connected':
    'a person connected a profile, or signed in again after `profile.needs_auth` (`reconnected`); `account`, `profile`, `reconnected`',
  'profile.needs_auth': 'the person has to sign in again; `account`, `profile`, `reason`',
  'profile.disconnected':
    'a profile was disconnected and erased; `account`, `profile`, `by` (`app`, `service`, `operator`)',
  'sync.first_completed':
    'every endpoint of a profile was read to its end for the first time; `account`, `profile`, `items`, `unread` (endpoints that cannot be read, with the reason)',
  'quota.near': 'four fifths of a quota are used up; `quota`, `account`, `profile`',
  'quota.reached': 'a quota keeps new items out; `quota`, `account`, `profile`',
  'spending.reached':
    'what the app may spend at a service this month is spent; `service`, `spent`, `limit`, `currency`, `resets_at`',
  'spending.unpaid': 'a service wants to be paid first; `service`, `retry_at`',
  'account.merged':
    'one account was merged into another; `account`, `source`, `merged_profiles` (of a service user that both had: `profile`, `into`)',
  'account.erased': 'an account was deleted; `account`',
} as const
export type PushEventType = keyof typeof PUSH_EVENTS

export interface WaitingEvent {
  id: string
  type: string
  at: number
  data: Record<string, unknown>
}

const insert = statement(
  'event-insert',
  `insert into push_event (destination_id, id, type, at, data)
   select d.id, $id, $type, $at, $data from destination d
   where d.app_id = $appId and d.wants_events and d.state <> 'disabled'
     and (json_typeof(d.options -> 'events') is distinct from 'array'
       or d.options::jsonb -> 'events' @> to_jsonb($type::text))`,
)
const stamp = statement(
  'event-stamp',
  `update profile_sync set event_at = greatest($nowMs::bigint, event_at + 1)
   where shard = $shard and profile_id = $profileId returning event_at`,
)
const list = statement(
  'event-list',
  'select id, type, at, data from push_event where destination_id = $destinationId order by id limit $limit',
)
const remove = statement('event-remove', 'delete from push_event where destination_id = $destinationId and id = $id')
const walk = statement(
  'event-walk',
  `select destination_id, id from push_event where (destination_id, id) > ($afterDestination, $afterId)
   order by destination_id, id limit $limit`,
)
const purge = statement(
  'event-purge',
  `delete from push_event where (destination_id, id) > ($afterDestination, $afterId)
   and (destination_id, id) <= ($lastDestination, $lastId) and at < $beforeMs`,
)

/** Queues an event for every destination of the app that wants events, in the transaction of what it reports. */
export async function queueEvent(
  tx: Queries,
  appId: string,
  type: PushEventType,
  at: number,
  data: Record<string, unknown>,
): Promise<void> {
  await tx.count(insert.with({ appId, id: `evt_${newId(at)}`, type, at, data: JSON.stringify(data) }))
}

/**
 * Queues an event of a profile. Events of a profile get ascending times under the lock of its schedule, whichever processes
 * report them, and are delivered in that order. Call it while the schedule exists, after the profile's row is locked.
 */
export async function queueProfileEvent(
  tx: Queries,
  profile: Pick<Profile, 'shard' | 'id' | 'appId' | 'accountId' | 'service' | 'nativeId'>,
  type: PushEventType,
  nowMs: number,
  detail: Record<string, unknown> = {},
): Promise<void> {
  const { shard, id, appId, accountId, service, nativeId } = profile
  const [row] = await tx.rows<{ event_at: number }>(stamp.with({ shard, profileId: id, nowMs }))
  const data = { account: accountId, profile: { id, service, native_id: nativeId }, ...detail }
  await queueEvent(tx, appId, type, row?.event_at ?? nowMs, data)
}

export async function waitingEvents(queries: Queries, destinationId: string, limit: number): Promise<WaitingEvent[]> {
  return queries.rows<WaitingEvent>(list.with({ destinationId, limit }))
}

export async function removeEvent(queries: Queries, destinationId: string, id: string): Promise<void> {
  await queries.count(remove.with({ destinationId, id }))
}

export function purgeEvents(queries: Queries, beforeMs: number, position: Position = []): Promise<Batch> {
  const [afterDestination = '', afterId = ''] = position
  return walkBatch<{ destination_id: string; id: string }>(
    queries,
    walk.with({ afterDestination, afterId, limit: WALK_BATCH }),
    (last) =>
      queries.count(
        purge.with({ afterDestination, afterId, lastDestination: last.destination_id, lastId: last.id, beforeMs }),
      ),
    (last) => [last.destination_id, last.id],
  )
}
