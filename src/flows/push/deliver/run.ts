import { type Connection, DeliveryError } from '#destinations/contract.ts'
import type { Destination, DestinationSecrets } from '#model/destination.ts'
import { ApiError } from '#model/errors.ts'
import { newId } from '#platform/ids.ts'
import { SealError } from '#platform/sealing.ts'
import { isAppDeleting } from '#store/apps/deletions.ts'
import { claimAttempt, findDestination, openSecrets } from '#store/push/destinations.ts'
import { type Cursor, takeCursor } from '#store/push/leases.ts'
import { type DeliverDeps, deliveryTimesOf } from '../deps.ts'
import { sendEvents } from '../events.ts'
import { filterOf } from '../filter.ts'
import { quietUntil, readQuiet } from '../schedule.ts'
import { deliverProfile } from './deliver-profile.ts'
import { settleFailure, settleRecovery } from './failure.ts'
import type { RunPermit } from './run-limiter.ts'

/**
 * One run into one destination: profile after profile, as long as one is due and nobody else needs the place. Losing or repeating a run
 * is harmless: the cursors and the destination agree on what is there.
 */
export async function runDestination(deps: DeliverDeps, destinationId: string, permit: RunPermit): Promise<void> {
  const destination = await findDestination(deps.database, destinationId)
  if (destination === undefined || !['active', 'failing'].includes(destination.state)) return
  const nowMs = deps.clock.now()
  if (destination.aloneUntil > nowMs !== permit.alone) return
  // One that fails is tried by one run alone.
  if (destination.state === 'failing') {
    const untilMs = nowMs + deliveryTimesOf(deps).leaseMs
    if (!(await claimAttempt(deps.database, destinationId, nowMs, untilMs))) return
  }
  const held: { cursor: Cursor | undefined } = { cursor: undefined }
  try {
    const secrets = await secretsOf(deps, destination)
    await deps.connections.use(destination, secrets, (connection) => work(deps, destination, connection, permit, held))
  } catch (error) {
    await settleFailure(deps, destination, held.cursor, ours(error))
  }
}

async function work(
  deps: DeliverDeps,
  destination: Destination,
  connection: Connection,
  permit: RunPermit,
  held: { cursor: Cursor | undefined },
): Promise<void> {
  const { leaseMs, sliceMs } = deliveryTimesOf(deps)
  const beganAt = performance.now()
  const isTurnOver = () => performance.now() - beganAt >= sliceMs && permit.isWanted()
  const filter = filterOf(deps, destination)
  const isQuiet = quietUntil(readQuiet(destination.options), deps.clock.now()) !== undefined
  const onlyErasures = isQuiet || (await isAppDeleting(deps.database, destination.appId))
  if (permit.others === 0 && !isQuiet) {
    const told = await sendEvents(deps, destination, connection)
    if (told > 0 && destination.state === 'failing') await settleRecovery(deps, destination)
  }
  while (!permit.signal.aborted && !isTurnOver()) {
    const nowMs = deps.clock.now()
    const cursor = await takeCursor(deps.database, {
      destinationId: destination.id,
      updatedAt: destination.updatedAt,
      nowMs,
      leaseUntilMs: nowMs + leaseMs,
      token: newId(nowMs),
      onlyErasures,
      // While a backfill goes on from its oldest end, one run looks after what changes now.
      newestFirst: permit.others === 1,
    })
    if (cursor === undefined) return
    held.cursor = cursor
    permit.step(cursor.profileId)
    const wrote = await deliverProfile(deps, { destination, connection, filter, signal: permit.signal }, cursor)
    held.cursor = undefined
    if (wrote && cursor.state === 'failing') await settleRecovery(deps, destination)
  }
}

/** Opens a destination's address. */
export async function secretsOf(deps: DeliverDeps, destination: Destination): Promise<DestinationSecrets> {
  try {
    const secrets = await openSecrets(deps.database, deps.keyring, destination.id)
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
