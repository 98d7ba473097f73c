import { newId } from '#base/ids.ts'
import { SealError } from '#base/sealing.ts'
import type { Destination, DestinationSecrets } from '#model/destination.ts'
import { ApiError } from '#model/errors.ts'
import { isAppDeleting } from '#store/app-deletions.ts'
import { type Cursor, takeCursor } from '#store/delivery-leases.ts'
import { claimAttempt, findDestination, openSecrets } from '#store/destinations.ts'
import { deliverProfile } from './deliver-profile.ts'
import { type Connection, DeliveryError } from './destination.ts'
import { tellEvents } from './events.ts'
import { settleFailure, settleRecovery } from './failure.ts'
import { filterOf } from './filter.ts'
import { type DeliverNeed, deliveryTimesOf } from './need.ts'
import type { Stay } from './room.ts'
import { quietUntil, readQuiet } from './schedule.ts'

/**
 * One run into one destination: profile after profile, as long as one is due and nobody else needs the place. Losing or repeating a run
 * is harmless: the cursors and the destination agree on what is there.
 */
export async function runDestination(need: DeliverNeed, destinationId: string, stay: Stay): Promise<void> {
  const destination = await findDestination(need.database, destinationId)
  if (destination === undefined || !['active', 'failing'].includes(destination.state)) return
  const nowMs = need.clock.now()
  if (destination.aloneUntil > nowMs !== stay.alone) return
  // One that fails is tried by one run alone.
  if (destination.state === 'failing') {
    const untilMs = nowMs + deliveryTimesOf(need).leaseMs
    if (!(await claimAttempt(need.database, destinationId, nowMs, untilMs))) return
  }
  const held: { cursor: Cursor | undefined } = { cursor: undefined }
  try {
    const secrets = await secretsOf(need, destination)
    await need.connections.use(destination, secrets, (connection) => work(need, destination, connection, stay, held))
  } catch (error) {
    await settleFailure(need, destination, held.cursor, ours(error))
  }
}

async function work(
  need: DeliverNeed,
  destination: Destination,
  connection: Connection,
  stay: Stay,
  held: { cursor: Cursor | undefined },
): Promise<void> {
  const { leaseMs, turnMs } = deliveryTimesOf(need)
  const beganAt = performance.now()
  const isTurnOver = () => performance.now() - beganAt >= turnMs && stay.isWanted()
  const filter = filterOf(need, destination)
  const isQuiet = quietUntil(readQuiet(destination.options), need.clock.now()) !== undefined
  const onlyErasures = isQuiet || (await isAppDeleting(need.database, destination.appId))
  if (stay.others === 0 && !isQuiet) {
    const told = await tellEvents(need, destination, connection)
    if (told > 0 && destination.state === 'failing') await settleRecovery(need, destination)
  }
  while (!stay.signal.aborted && !isTurnOver()) {
    const nowMs = need.clock.now()
    const cursor = await takeCursor(need.database, {
      destinationId: destination.id,
      updatedAt: destination.updatedAt,
      nowMs,
      leaseUntilMs: nowMs + leaseMs,
      token: newId(nowMs),
      onlyErasures,
      // While a backfill goes on from its oldest end, one run looks after what changes now.
      newestFirst: stay.others === 1,
    })
    if (cursor === undefined) return
    held.cursor = cursor
    stay.step(cursor.profileId)
    const wrote = await deliverProfile(need, { destination, connection, filter, signal: stay.signal }, cursor)
    held.cursor = undefined
    if (wrote && cursor.state === 'failing') await settleRecovery(need, destination)
  }
}

/** Opens a destination's address. */
export async function secretsOf(need: DeliverNeed, destination: Destination): Promise<DestinationSecrets> {
  try {
    const secrets = await openSecrets(need.database, need.keyring, destination.id)
    if (secrets !== undefined) return secrets
  } catch (error) {
    if (!(error instanceof SealError)) throw error
    throw new DeliveryError('retry', 'Its address cannot be opened with the keys at hand; set it anew.', {
      cause: error,
    })
  }
  throw new DeliveryError('retry', 'It was deleted meanwhile.')
}

/** An address that was fine when it was set and is refused now has a sentence for the app. */
function ours(error: unknown): unknown {
  return error instanceof ApiError ? new DeliveryError('retry', error.message, { cause: error }) : error
}
