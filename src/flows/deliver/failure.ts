import { type Chance, systemChance } from '#base/chance.ts'
import { isUnavailable } from '#base/errors.ts'
import type { Destination } from '#model/destination.ts'
import { type Cursor, failCursor, yieldCursor } from '#store/delivery-leases.ts'
import { failDestination, recoverDestination } from '#store/destinations.ts'
import { egressErrorIn } from '#upstream/egress/errors.ts'
import { DeliveryError } from './destination.ts'
import { raiseEvent } from './events.ts'
import { type DeliverNeed, deliveryTimesOf } from './need.ts'

/** Limit: wait between two tries of a delivery that failed. */
const MAX_WAIT_MS = 3_600_000
/** Limit: wait that a destination may ask for (Retry-After); a longer one is cut to this. */
const MAX_ASKED_WAIT_MS = 86_400_000
/** One or two failures are weather; then somebody is told. */
const TELL_AFTER = 3

/** Grows from a second to an hour; spread, so that not all come back at once. */
export function waitAfter(
  need: Pick<DeliverNeed, 'deliveryTimes'>,
  fails: number,
  chance: Chance = systemChance,
): number {
  const { firstWaitMs } = deliveryTimesOf(need)
  const wait = Math.min(MAX_WAIT_MS, firstWaitMs * 2 ** Math.min(fails, 20))
  return Math.round(wait * (0.75 + chance() / 2))
}

/**
 * What a failure means for the next try. The whole destination waits, not this profile alone, because what fails here mostly fails
 * for all; and the profile waits longer, so that the next try is made with another one if there is any.
 */
export async function settleFailure(
  need: DeliverNeed,
  destination: Destination,
  cursor: Cursor | undefined,
  error: unknown,
): Promise<void> {
  if (error instanceof DeliveryError) {
    need.tallies.of(destination.kind).failures += 1
    const nextAttemptAt = await failWhole(need, destination, error)
    if (cursor !== undefined) {
      const ownWait = need.clock.now() + waitAfter(need, cursor.fails)
      await failCursor(need.database, cursor, Math.max(ownWait, nextAttemptAt + 1), error.message)
    }
    return
  }
  // Our own store or a fault of ours: nothing that the destination has to answer for.
  if (isUnavailable(error)) need.log.warn('a delivery stopped, because our own database is away', { error })
  else need.log.error('a delivery failed for a reason of ours', { destination: destination.id, error })
  if (cursor === undefined) return
  if (isUnavailable(error))
    await yieldCursor(need.database, cursor, need.clock.now()).catch((failure: unknown) => {
      // Its lease ends by itself.
      need.log.debug('a cursor could not be given back', { destination: destination.id, error: failure })
    })
  else
    await failCursor(
      need.database,
      cursor,
      need.clock.now() + waitAfter(need, cursor.fails + 3),
      'A fault of ours; the log has it.',
    )
}

/** Gives when the destination is tried again. */
async function failWhole(need: DeliverNeed, destination: Destination, error: DeliveryError): Promise<number> {
  const nowMs = need.clock.now()
  const state = nextState(need, destination, error, nowMs)
  const fails = destination.fails + 1
  const isTold = state === 'parked' || state === 'disabled' || (fails >= TELL_AFTER && !destination.alerted)
  const asked = error.retryAfterMs === undefined ? undefined : Math.min(error.retryAfterMs, MAX_ASKED_WAIT_MS)
  const nextAttemptAt = nowMs + (asked ?? waitAfter(need, destination.fails))
  const counted = await need.database.transaction(async (tx) => {
    const first = await failDestination(tx, destination.id, {
      state,
      nowMs,
      nextAttemptAt,
      error: error.message,
      fails: destination.fails,
      alerts: isTold,
    })
    if (first && isTold)
      await raiseEvent(need, tx, destination, `destination.${state}`, {
        error: error.message,
        failing_since: destination.failingSince ?? nowMs,
      })
    return first
  })
  if (counted && (isTold || destination.state !== state))
    need.log.warn(`a destination is ${state}`, {
      destination: destination.id,
      fails,
      error: error.message,
      refusal: egressErrorIn(error)?.reason,
    })
  return nextAttemptAt
}

function nextState(
  need: DeliverNeed,
  { failingSince }: Destination,
  error: DeliveryError,
  nowMs: number,
): 'disabled' | 'parked' | 'failing' {
  if (error.recovery === 'gone') return 'disabled'
  return nowMs - (failingSince ?? nowMs) >= deliveryTimesOf(need).patienceMs ? 'parked' : 'failing'
}

/** Something got there: whatever failed before is over. */
export async function settleRecovery(need: DeliverNeed, destination: Destination): Promise<void> {
  const recovered = await need.database.transaction(async (tx) => {
    const was = await recoverDestination(tx, destination.id)
    if (was?.alerted === true) await raiseEvent(need, tx, destination, 'destination.recovered', {})
    return was
  })
  if (recovered !== undefined) need.log.info('a destination works again', { destination: destination.id })
}
