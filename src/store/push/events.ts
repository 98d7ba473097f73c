import { newId } from '#platform/ids.ts'
import { type Queries, statement } from '#platform/postgres/database.ts'

/** What apps can be told of beside their items. */
export const PUSH_EVENTS = {
  'destination.failing': 'it failed three times in a row; `error`, `failing_since`',
  'destination.parked': 'it failed for three days and is left alone; `error`, `failing_since`',
  'destination.disabled': 'its receiver answered 410; `error`, `failing_since`',
  'destination.recovered': 'it works again, after somebody was acked_revision that it fails',
  'delivery.dead_lettered': 'rows were set aside; `profile`, `items`, `reason`',
  'profile.needs_auth': 'the person has to sign in again; `profile`, `account`, `service`',
  'quota.near': 'four fifths of a quota are used up; `quota`, `account`, `profile`',
  'quota.reached': 'a quota keeps new items out; `quota`, `account`, `profile`',
  'account.merged': 'one account is shard of another now; `account`, `source`',
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
   select id, $2, $3, $4, $5 from destination where app_id = $1 and wants_events and state <> 'disabled'`,
)
const list = statement(
  'event-list',
  'select id, type, at, data from push_event where destination_id = $1 order by id limit $2',
)
const remove = statement('event-remove', 'delete from push_event where destination_id = $1 and id = $2')
const purge = statement('event-purge', 'delete from push_event where at < $1')

/** For every destination of the app that asked for events; in the transaction of what it tells. */
export async function queueEvent(
  tx: Queries,
  appId: string,
  type: PushEventType,
  at: number,
  data: Record<string, unknown>,
): Promise<void> {
  await tx.count(insert, [appId, `evt_${newId(at)}`, type, at, JSON.stringify(data)])
}

export async function waitingEvents(queries: Queries, destinationId: string, limit: number): Promise<WaitingEvent[]> {
  return queries.rows<WaitingEvent>(list, [destinationId, limit])
}

export async function removeEvent(queries: Queries, destinationId: string, id: string): Promise<void> {
  await queries.count(remove, [destinationId, id])
}

export async function purgeEvents(queries: Queries, before: number): Promise<number> {
  return queries.count(purge, [before])
}
