import { DeliveryError } from '#destinations/contract.ts'
import type { Destination } from '#model/destination.ts'
import { type Chance, systemChance } from '#platform/chance.ts'
import { egressErrorIn } from '#platform/egress/errors.ts'
import { isUnavailable } from '#platform/errors.ts'
import { failDestination, recoverDestination } from '#store/push/destinations.ts'
import { type Cursor, failCursor, yieldCursor } from '#store/push/leases.ts'
import { type DeliverDeps, deliveryTimesOf } from '../deps.ts'
import { raiseEvent } from '../events.ts'

/** Limit: wait between two tries of a delivery that failed. */
const MAX_WAIT_MS = 3_600_000
/** Limit: wait that a destination may ask for (Retry-After); a longer one is cut to this. */
const MAX_ASKED_WAIT_MS = 86_400_000
/** One or two failures are weather; then somebody is told. */
const NOTIFY_AFTER = 3

/** Grows from a second to an hour; spread, so that not all come back at once. */
export function waitAfter(
  deps: Pick<DeliverDeps, 'deliveryTimes'>,
  fails: number,
  chance: Chance = systemChance,
): number {
  const { firstWaitMs } = deliveryTimesOf(deps)
  const wait = Math.min(MAX_WAIT_MS, firstWaitMs * 2 ** Math.min(fails, 20))
  return Math.round(wait * (0.75 + chance() / 2))
}

/**
 * What a failure means for the next try. The whole destination waits, not this profile alone, because what fails here mostly fails
 * for all; and the profile waits longer, so that the next try is made with another one if there is any.
 */
export async function settleFailure(
  deps: DeliverDeps,
  destination: Destination,
  cursor: Cursor | undefined,
  error: unknown,
): Promise<void> {
  if (error instanceof DeliveryError) {
    deps.pushCounters.of(destination.kind).failures += 1
    const nextAttemptAt = await failWhole(deps, destination, error)
    if (cursor !== undefined) {
      const ownWait = deps.clock.now() + waitAfter(deps, cursor.fails)
      await failCursor(deps.database, cursor, Math.max(ownWait, nextAttemptAt + 1), error.message)
    }
    return
  }
  // Our own store or a fault of ours: nothing that the destination has to answer for.
  if (isUnavailable(error)) deps.log.warn('a delivery stopped, because our own database is away', { error })
  else deps.log.error('a delivery failed for a reason of ours', { destination: destination.id, error })
  if (cursor === undefined) return
  if (isUnavailable(error))
    await yieldCursor(deps.database, cursor, deps.clock.now()).catch((failure: unknown) => {
      // Its lease ends by itself.
      deps.log.debug('a cursor could not be given back', { destination: destination.id, error: failure })
    })
  else
    await failCursor(
      deps.database,
      cursor,
      deps.clock.now() + waitAfter(deps, cursor.fails + 3),
      'A fault of ours; the log has it.',
    )
}

/** Gives when the destination is tried again. */
async function failWhole(deps: DeliverDeps, destination: Destination, error: DeliveryError): Promise<number> {
  const nowMs = deps.clock.now()
  const state = nextState(deps, destination, error, nowMs)
  const fails = destination.fails + 1
  const isTold = state === 'parked' || state === 'disabled' || (fails >= NOTIFY_AFTER && !destination.alerted)
  const asked = error.retryAfterMs === undefined ? undefined : Math.min(error.retryAfterMs, MAX_ASKED_WAIT_MS)
  const nextAttemptAt = nowMs + (asked ?? waitAfter(deps, destination.fails))
  const counted = await deps.database.transaction(async (tx) => {
    const first = await failDestination(tx, destination.id, {
      state,
      nowMs,
      nextAttemptAt,
      error: error.message,
      fails: destination.fails,
      alerts: isTold,
    })
    if (first && isTold)
      await raiseEvent(deps, tx, destination, `destination.${state}`, {
        error: error.message,
        failing_since: destination.failingSince ?? nowMs,
      })
    return first
  })
  if (counted && (isTold || destination.state !== state))
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
  return nowMs - (failingSince ?? nowMs) >= deliveryTimesOf(deps).patienceMs ? 'parked' : 'failing'
}

/** Something got there: whatever failed before is over. */
export async function settleRecovery(deps: DeliverDeps, destination: Destination): Promise<void> {
  const recovered = await deps.database.transaction(async (tx) => {
    const was = await recoverDestination(tx, destination.id)
    if (was?.alerted === true) await raiseEvent(deps, tx, destination, 'destination.recovered', {})
    return was
  })
  if (recovered !== undefined) deps.log.info('a destination works again', { destination: destination.id })
}
