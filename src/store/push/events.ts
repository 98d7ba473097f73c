import { newId } from '#platform/ids.ts'
import { type Queries, statement } from '#platform/postgres/database.ts'

/** Events that a destination can receive besides items. */
export const PUSH_EVENTS = {
  'destination.failing': 'it failed three times in a row; `error`, `failing_since`',
  'destination.parked': 'it failed for three days, and delivery has stopped; `error`, `failing_since`',
  'destination.disabled': 'its receiver answered 410; `error`, `failing_since`',
  'destination.recovered': 'it works again after a `destination.failing` event',
  'delivery.dead_lettered': 'rows became dead letters; `profile`, `items`, `reason`',
  'profile.needs_auth': 'the person has to sign in again; `profile`, `account`, `service`',
  'quota.near': 'four fifths of a quota are used up; `quota`, `account`, `profile`',
  'quota.reached': 'a quota keeps new items out; `quota`, `account`, `profile`',
  'spending.reached':
    'what the app may spend at a service this month is spent; `service`, `spent`, `limit`, `currency`, `resets_at`',
  'spending.unpaid': 'a service wants to be paid first; `service`, `retry_at`',
  'account.merged': 'one account was merged into another; `account`, `source`',
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
   where d.app_id = $appId and d.wants_events and d.state <> 'disabled'`,
)
const list = statement(
  'event-list',
  'select id, type, at, data from push_event where destination_id = $destinationId order by id limit $limit',
)
const remove = statement('event-remove', 'delete from push_event where destination_id = $destinationId and id = $id')
const purge = statement('event-purge', 'delete from push_event where at < $beforeMs')

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

export async function waitingEvents(queries: Queries, destinationId: string, limit: number): Promise<WaitingEvent[]> {
  return queries.rows<WaitingEvent>(list.with({ destinationId, limit }))
}

export async function removeEvent(queries: Queries, destinationId: string, id: string): Promise<void> {
  await queries.count(remove.with({ destinationId, id }))
}

export async function purgeEvents(queries: Queries, beforeMs: number): Promise<number> {
  return queries.count(purge.with({ beforeMs }))
}
