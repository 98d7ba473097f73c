import type { Connection } from '#destinations/contract.ts'
import type { Destination } from '#model/destination.ts'
import type { Queries } from '#platform/postgres/database.ts'
import { auditApp } from '#store/audit.ts'
import { type PushEventType, queueEvent, removeEvent, waitingEvents } from '#store/push/events.ts'
import type { DeliverDeps } from './deps.ts'

const AT_ONCE = 50

/** Written down, and told to every destination of the app that wants to hear of such things. */
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

/** Tells a destination what waits for it, in order; one that cannot be told anything forgets it. Gives how many were told. */
export async function sendEvents(
  { database }: Pick<DeliverDeps, 'database'>,
  destination: Destination,
  connection: Connection,
): Promise<number> {
  let told = 0
  for (;;) {
    const events = await waitingEvents(database, destination.id, AT_ONCE)
    for (const event of events) {
      await connection.notify?.(event)
      told += 1
      await removeEvent(database, destination.id, event.id)
    }
    if (events.length < AT_ONCE) return told
  }
}
