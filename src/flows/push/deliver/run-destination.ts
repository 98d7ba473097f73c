import { type Connection, DeliveryError } from '#destinations/contract.ts'
import { type Destination, FEED_KIND } from '#model/apps/destination.ts'
import { ApiError } from '#model/errors.ts'
import { newId } from '#platform/crypto/ids.ts'
import { isAppDeleting } from '#store/apps/deletions.ts'
import { claimAttempt, findDestination } from '#store/push/destinations.ts'
import type { Cursor } from '#store/push/leases.ts'
import { cursorTaker } from '#store/push/take-cursor.ts'
import { clearDestinationDeaths } from '#store/sync/deaths.ts'
import { type DeliverDeps, deliveryTimesOf } from '../deps.ts'
import { sendEvents } from '../events.ts'
import { filterOf } from '../filter.ts'
import { quietUntil, readQuiet } from '../schedule.ts'
import { openDeliverySecrets } from '../secrets.ts'
import { deliverProfile } from './deliver-profile.ts'
import { openFeed, recordInFeed } from './record-in-feed.ts'
import type { RunPermit } from './run-limiter.ts'
import { settleFailure, settleRecovery } from './settle-failure.ts'

/** The cursor that a run has leased, for the case that the run fails. */
interface LeasedCursor {
  current: Cursor | undefined
}

/**
 * One run into one destination: delivers profile after profile until none is due, or until another run waits for the permit.
 * Losing or repeating a run is harmless, because the cursors and the destination's checkpoints say what was delivered.
 */
export async function runDestination(deps: DeliverDeps, destinationId: string, permit: RunPermit): Promise<void> {
  const destination = await findDestination(deps.database, destinationId)
  if (destination === undefined || !['active', 'failing'].includes(destination.state)) return
  const nowMs = deps.clock.now()
  if (destination.aloneUntil > nowMs !== permit.alone) return
  // Only one run at a time tries a failing destination.
  if (destination.state === 'failing') {
    const untilMs = nowMs + deliveryTimesOf(deps).leaseMs
    if (!(await claimAttempt(deps.database, destinationId, nowMs, untilMs))) return
  }
  const leased: LeasedCursor = { current: undefined }
  try {
    if (destination.kind === FEED_KIND) {
      await deliverDueProfiles(deps, destination, openFeed(deps, destination.id), permit, leased)
      return
    }
    const secrets = await openDeliverySecrets(deps, destination)
    await deps.connections.use(destination, secrets, (connection) =>
      deliverDueProfiles(deps, destination, connection, permit, leased),
    )
  } catch (error) {
    await settleFailure(deps, destination, leased.current, asDeliveryError(error))
  }
}

/** A run with nothing else in its process. When it succeeds, the destination is no longer isolated. */
export async function runDestinationAlone(deps: DeliverDeps, destinationId: string, permit: RunPermit): Promise<void> {
  await runDestination(deps, destinationId, permit)
  await clearDestinationDeaths(deps.database, destinationId)
}

async function deliverDueProfiles(
  deps: DeliverDeps,
  destination: Destination,
  connection: Connection,
  permit: RunPermit,
  leased: LeasedCursor,
): Promise<void> {
  const { leaseMs, sliceMs } = deliveryTimesOf(deps)
  const startedAt = performance.now()
  const isSliceOver = () => performance.now() - startedAt >= sliceMs && permit.isWanted()
  const filter = filterOf(deps, destination)
  const isQuiet = quietUntil(readQuiet(destination.options), deps.clock.now()) !== undefined
  const onlyErasures = isQuiet || (await isAppDeleting(deps.database, destination.appId))
  if (permit.others === 0 && !isQuiet) {
    const sent = await sendEvents(deps, destination, connection)
    if (sent > 0) permit.step('events')
    if (sent > 0 && destination.state === 'failing') await settleRecovery(deps, destination)
  }
  const isFeed = destination.kind === FEED_KIND
  const takeCursors = cursorTaker(deps.database)
  while (!permit.signal.aborted && !isSliceOver()) {
    const nowMs = deps.clock.now()
    const taken = await takeCursors({
      destinationId: destination.id,
      updatedAt: destination.updatedAt,
      nowMs,
      leaseUntilMs: nowMs + leaseMs,
      token: newId(nowMs),
      onlyErasures,
      // The second run takes the newest changes first, so that they do not wait behind a backfill.
      newestFirst: permit.others === 1,
      some: isFeed,
    })
    const [cursor] = taken
    if (cursor === undefined) return
    leased.current = cursor
    permit.step(cursor.profileId)
    const wrote = isFeed
      ? await recordInFeed(deps, destination.id, taken)
      : await deliverProfile(deps, { destination, connection, filter, signal: permit.signal }, cursor)
    leased.current = undefined
    if (wrote && cursor.state === 'failing') await settleRecovery(deps, destination)
  }
}

/** An address that was valid when it was set may be refused now; the app gets that sentence as the destination's error. */
function asDeliveryError(error: unknown): unknown {
  return error instanceof ApiError ? new DeliveryError('retry', error.message, { cause: error }) : error
}
