import type { Connection } from '#destinations/contract.ts'
import type { Destination } from '#model/apps/destination.ts'
import type { Queries } from '#platform/postgres/database.ts'
import { auditApp } from '#store/audit.ts'
import { endNamedLease, extendNamedLease, type NamedLease, takeNamedLease } from '#store/named-leases.ts'
import { type PushEventType, queueEvent, removeEvent, waitingEvents } from '#store/push/events.ts'
import { type DeliverDeps, deliveryTimesOf } from './deps.ts'

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

/**
 * Sends the queued events of a destination in order, while no other process does; a kind that takes no events drops them. Returns
 * how many it sent.
 */
export async function sendEvents(
  deps: Pick<DeliverDeps, 'database' | 'clock' | 'deliveryTimes'>,
  destination: Destination,
  connection: Connection,
): Promise<number> {
  const { clock, database } = deps
  if ((await waitingEvents(database, destination.id, 1)).length === 0) return 0
  const { leaseMs } = deliveryTimesOf(deps)
  const nowMs = clock.now()
  const lease = await takeNamedLease(database, `events of ${destination.id}`, nowMs, nowMs + leaseMs)
  if (lease === undefined) return 0
  try {
    return await sendLeased({ clock, database, leaseMs }, lease, destination, connection)
  } finally {
    await endNamedLease(database, lease)
  }
}

async function sendLeased(
  { clock, database, leaseMs }: Pick<DeliverDeps, 'database' | 'clock'> & { leaseMs: number },
  lease: NamedLease,
  destination: Destination,
  connection: Connection,
): Promise<number> {
  let sent = 0
  let extendedAt = clock.now()
  for (;;) {
    const events = await waitingEvents(database, destination.id, PAGE_SIZE)
    for (const event of events) {
      if (clock.now() - extendedAt > leaseMs / 3) {
        extendedAt = clock.now()
        if (!(await extendNamedLease(database, lease, extendedAt + leaseMs))) return sent
      }
      await connection.notify?.(event)
      sent += 1
      await removeEvent(database, destination.id, event.id)
    }
    if (events.length < PAGE_SIZE) return sent
  }
}
