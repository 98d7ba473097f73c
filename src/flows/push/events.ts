import type { Connection } from '#destinations/contract.ts'
import type { Destination } from '#model/apps/destination.ts'
import type { Queries } from '#platform/postgres/database.ts'
import { auditApp } from '#store/audit.ts'
import { type PushEventType, queueEvent, removeEvent, waitingEvents } from '#store/push/events.ts'
import type { DeliverDeps } from './deps.ts'

const PAGE_SIZE = 50

/** Audits an event and queues it for every destination of the app that subscribed to events. */
export async function raiseEvent(
  { clock }: Pick<DeliverDeps, 'clock'>,
  tx: Queries,
  { id, appId, name, kind }: Destination,
  type: PushEventType,
  detail: Record<string, unknown>,
): Promise<void> {
  const at = clock.now()
  const data = { destination: { id, name, kind }, ...detail }
  await auditApp(tx, appId, { at, actor: 'tributary', action: type, detail: data })
  await queueEvent(tx, appId, type, at, data)
}

/** Sends the queued events of a destination in order; a kind that takes no events drops them. Returns how many there were. */
export async function sendEvents(
  { database }: Pick<DeliverDeps, 'database'>,
  destination: Destination,
  connection: Connection,
): Promise<number> {
  let sent = 0
  for (;;) {
    const events = await waitingEvents(database, destination.id, PAGE_SIZE)
    for (const event of events) {
      await connection.notify?.(event)
      sent += 1
      await removeEvent(database, destination.id, event.id)
    }
    if (events.length < PAGE_SIZE) return sent
  }
}
