import type { Destination } from '#model/destination.ts'
import { ApiError, invalidInput } from '#model/errors.ts'
import { auditDestination } from '#store/audit.ts'
import {
  openDestinationCursors,
  redriveCursors,
  rewindCursors,
  rewindCursorsSince,
  stopRunsOf,
  wakeCursors,
} from '#store/push/cursors.ts'
import { sealSecrets, setDestinationState } from '#store/push/destinations.ts'
import type { DeliverDeps } from '../deps.ts'
import { openLocked } from './destinations.ts'

/** Clocks of several machines differ a little, so a replay by time starts this much earlier. */
const CLOCK_SKEW_MS = 60_000

export async function pauseDestination(deps: DeliverDeps, destination: Destination, actor: string): Promise<void> {
  await deps.database.transaction(async (tx) => {
    await setDestinationState(tx, destination.id, 'paused', deps.clock.now())
    await stopRunsOf(tx, destination.id)
    await auditDestination(tx, destination, { at: deps.clock.now(), actor, action: 'push.pause' })
  })
}

/** Continues where delivery stopped, also after the destination was parked or disabled. */
export async function resumeDestination(deps: DeliverDeps, destination: Destination, actor: string): Promise<void> {
  const now = deps.clock.now()
  await deps.database.transaction(async (tx) => {
    await setDestinationState(tx, destination.id, 'active', now)
    await stopRunsOf(tx, destination.id)
    await auditDestination(tx, destination, { at: deps.clock.now(), actor, action: 'push.resume' })
  })
  await wakeCursors(deps.database, destination.id, now)
}

/** Delivers all undelivered changes now, whatever the schedule. Returns how many profiles have any. */
export async function runNow(deps: DeliverDeps, destination: Destination, actor: string): Promise<number> {
  if (!['active', 'failing'].includes(destination.state))
    throw new ApiError('bad_request', `It is ${destination.state}; resume it first.`)
  const now = deps.clock.now()
  const profiles = await wakeCursors(deps.database, destination.id, now)
  await deps.database.transaction((tx) =>
    auditDestination(tx, destination, { at: deps.clock.now(), actor, action: 'push.run', detail: { profiles } }),
  )
  return profiles
}

export interface ReplayFrom {
  /** The `seq` of the first change. */
  seq?: number | undefined
  since?: number | undefined
  /** Only this profile. */
  profile?: string | undefined
}

/** Delivers again from a `seq`, from a time or from the beginning. Returns how many profiles are affected. */
export async function replay(
  deps: DeliverDeps,
  destination: Destination,
  from: ReplayFrom,
  actor: string,
): Promise<number> {
  if (from.seq !== undefined && from.since !== undefined)
    throw invalidInput('bad_body', 'seq', 'cannot be given together with since.')
  const now = deps.clock.now()
  return deps.database.transaction(async (tx) => {
    await openDestinationCursors(tx, destination.id, now)
    const profiles =
      from.since === undefined
        ? await rewindCursors(tx, destination.id, Math.max(0, (from.seq ?? 0) - 1), now, from.profile)
        : await rewindCursorsSince(tx, destination.id, from.since - CLOCK_SKEW_MS, now, from.profile)
    if (from.profile !== undefined && profiles === 0) throw new ApiError('not_found', 'There is no such profile here.')
    await auditDestination(tx, destination, { at: deps.clock.now(), actor, action: 'push.replay', detail: { ...from } })
    return profiles
  })
}

/** Tries the dead letters again. Returns how many profiles have any. */
export async function redrive(deps: DeliverDeps, destination: Destination, actor: string): Promise<number> {
  return deps.database.transaction(async (tx) => {
    const profiles = await redriveCursors(tx, destination.id, deps.clock.now())
    await auditDestination(tx, destination, {
      at: deps.clock.now(),
      actor,
      action: 'push.redrive',
      detail: { profiles },
    })
    return profiles
  })
}

export async function rotateSigning(deps: DeliverDeps, destination: Destination, actor: string): Promise<string> {
  const { newSigning } = deps.connections.kindOf(destination.kind)
  if (newSigning === undefined)
    throw new ApiError('bad_request', `A ${destination.kind} destination has no signing secret.`)
  const signing = newSigning()
  await deps.database.transaction(async (tx) => {
    const { secrets } = await openLocked(deps, tx, destination.id)
    // The previous secret signs too, until the next rotation.
    const both = { ...secrets, signing: [signing, ...(secrets.signing ?? [])].slice(0, 2) }
    await sealSecrets(tx, deps.keyring, destination.id, both, deps.clock.now())
    await auditDestination(tx, destination, { at: deps.clock.now(), actor, action: 'push.rotate_secret' })
  })
  return signing
}
