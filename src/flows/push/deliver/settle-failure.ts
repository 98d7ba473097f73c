import { DeliveryError } from '#destinations/contract.ts'
import type { Destination } from '#model/apps/destination.ts'
import { type Chance, systemChance } from '#platform/chance.ts'
import { egressErrorIn } from '#platform/egress/errors.ts'
import { isUnavailable } from '#platform/errors.ts'
import { failDestination, recoverDestination } from '#store/push/destinations.ts'
import { type Cursor, failCursor, yieldCursor } from '#store/push/leases.ts'
import { type DeliverDeps, deliveryTimesOf } from '../deps.ts'
import { raiseEvent } from '../events.ts'

/** Limit (push): wait between two attempts of a failed delivery, which doubles up to this. */
const MAX_WAIT_MS = 3_600_000
/** Limit: wait that a destination may ask for (Retry-After); a longer one is cut to this. */
const MAX_RETRY_AFTER_MS = 86_400_000
/** One or two failures in a row are common; at this many the app gets an event. */
const ALERT_AFTER_FAILS = 3

/** Doubles from a second up to an hour, with jitter, so that not all retry at once. */
export function retryDelayMs(
  deps: Pick<DeliverDeps, 'deliveryTimes'>,
  fails: number,
  chance: Chance = systemChance,
): number {
  const { firstWaitMs } = deliveryTimesOf(deps)
  const wait = Math.min(MAX_WAIT_MS, firstWaitMs * 2 ** Math.min(fails, 20))
  return Math.round(wait * (0.75 + chance() / 2))
}

/**
 * Schedules the next attempt. The whole destination waits, not only this profile, because most failures concern all
 * profiles. This profile waits longer than the destination, so that the next attempt uses another profile if one is due.
 */
export async function settleFailure(
  deps: DeliverDeps,
  destination: Destination,
  cursor: Cursor | undefined,
  error: unknown,
): Promise<void> {
  if (error instanceof DeliveryError) {
    deps.pushCounters.of(destination.kind).failures += 1
    const nextAttemptAt = await failWholeDestination(deps, destination, error)
    if (cursor !== undefined) {
      const ownRetryAt = deps.clock.now() + retryDelayMs(deps, cursor.fails)
      await failCursor(deps.database, cursor, Math.max(ownRetryAt, nextAttemptAt + 1), error.message)
    }
    return
  }
  // Our database or our code failed; this does not count against the destination.
  if (isUnavailable(error)) deps.log.warn('a delivery stopped, because our own database is unavailable', { error })
  else deps.log.error('a delivery failed because of an internal error', { destination: destination.id, error })
  if (cursor === undefined) return
  if (isUnavailable(error))
    await yieldCursor(deps.database, cursor, deps.clock.now()).catch((failure: unknown) => {
      // The lease expires on its own.
      deps.log.debug('a cursor could not be released', { destination: destination.id, error: failure })
    })
  else
    await failCursor(
      deps.database,
      cursor,
      deps.clock.now() + retryDelayMs(deps, cursor.fails + 3),
      'Internal error; see the log of the service.',
    )
}

/** Returns when the destination is tried again. */
async function failWholeDestination(
  deps: DeliverDeps,
  destination: Destination,
  error: DeliveryError,
): Promise<number> {
  const nowMs = deps.clock.now()
  const state = nextState(deps, destination, error, nowMs)
  const fails = destination.fails + 1
  const isAlerting = state === 'parked' || state === 'disabled' || (fails >= ALERT_AFTER_FAILS && !destination.alerted)
  const requested = error.retryAfterMs === undefined ? undefined : Math.min(error.retryAfterMs, MAX_RETRY_AFTER_MS)
  const nextAttemptAt = nowMs + (requested ?? retryDelayMs(deps, destination.fails))
  const wasCounted = await deps.database.transaction(async (tx) => {
    const isCounted = await failDestination(tx, destination.id, {
      state,
      nowMs,
      nextAttemptAt,
      error: error.message,
      fails: destination.fails,
      alerts: isAlerting,
    })
    if (isCounted && isAlerting)
      await raiseEvent(deps, tx, destination, `destination.${state}`, {
        error: error.message,
        failing_since: destination.failingSince ?? nowMs,
      })
    return isCounted
  })
  if (wasCounted && (isAlerting || destination.state !== state))
    deps.log.warn(`a destination is ${state}`, {
      destination: destination.id,
      fails,
      error: error.message,
      refusal: egressErrorIn(error)?.reason,
    })
  return nextAttemptAt
}

function nextState(
  deps: DeliverDeps,
  { failingSince }: Destination,
  error: DeliveryError,
  nowMs: number,
): 'disabled' | 'parked' | 'failing' {
  if (error.recovery === 'gone') return 'disabled'
  return nowMs - (failingSince ?? nowMs) >= deliveryTimesOf(deps).parkAfterMs ? 'parked' : 'failing'
}

/** After a successful write: clears the failures of the destination. */
export async function settleRecovery(deps: DeliverDeps, destination: Destination): Promise<void> {
  const recovered = await deps.database.transaction(async (tx) => {
    const failed = await recoverDestination(tx, destination.id)
    if (failed?.alerted === true) await raiseEvent(deps, tx, destination, 'destination.recovered', {})
    return failed
  })
  if (recovered !== undefined) deps.log.info('a destination works again', { destination: destination.id })
}
