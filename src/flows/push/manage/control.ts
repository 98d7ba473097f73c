import type { Destination } from '#model/apps/destination.ts'
import { ApiError, invalidInput } from '#model/errors.ts'
import type { Queries } from '#platform/postgres/database.ts'
import { auditDestination } from '#store/audit.ts'
import { addSweep } from '#store/push/cursor-sweeps.ts'
import {
  openDestinationCursors,
  type ReplayStart,
  redriveCursors,
  rewindCursors,
  wakeCursors,
} from '#store/push/destination-cursors.ts'
import { sealSecrets, setDestinationState } from '#store/push/destinations.ts'
import type { DeliverDeps } from '../deps.ts'
import { sweepCursors } from '../sweep-cursors.ts'
import { openLocked } from './destinations.ts'

/** Clocks of several machines differ a little, so a replay by time starts this much earlier. */
const CLOCK_SKEW_MS = 60_000

export async function pauseDestination(deps: DeliverDeps, destination: Destination, actor: string): Promise<void> {
  const sweep = await deps.database.transaction(async (tx) => {
    await setDestinationState(tx, destination.id, 'paused', deps.clock.now())
    const added = await addSweep(tx, destination.id, { stopRuns: true }, deps.clock.now())
    await auditDestination(tx, destination, { at: deps.clock.now(), actor, action: 'push.pause' })
    return added
  })
  await sweepCursors(deps, destination.id, sweep)
}

/** Continues where delivery stopped, also after the destination was parked or disabled. */
export async function resumeDestination(deps: DeliverDeps, destination: Destination, actor: string): Promise<void> {
  const sweep = await deps.database.transaction(async (tx) => {
    await setDestinationState(tx, destination.id, 'active', deps.clock.now())
    const added = await addSweep(tx, destination.id, { stopRuns: true, wake: true }, deps.clock.now())
    await auditDestination(tx, destination, { at: deps.clock.now(), actor, action: 'push.resume' })
    return added
  })
  await sweepCursors(deps, destination.id, sweep)
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
  const start: ReplayStart =
    from.since === undefined ? { seq: Math.max(0, (from.seq ?? 0) - 1) } : { sinceMs: from.since - CLOCK_SKEW_MS }
  await openDestinationCursors(deps.database, destination.id, deps.clock.now())
  const audit = (tx: Queries) =>
    auditDestination(tx, destination, { at: deps.clock.now(), actor, action: 'push.replay', detail: { ...from } })
  const { profile } = from
  if (profile !== undefined) {
    return deps.database.transaction(async (tx) => {
      const profiles = await rewindCursors(tx, destination.id, start, deps.clock.now(), profile)
      if (profiles === 0) throw new ApiError('not_found', 'There is no such profile here.')
      await audit(tx)
      return profiles
    })
  }
  const sweep = await deps.database.transaction(async (tx) => {
    const added = await addSweep(tx, destination.id, { rewinds: [start] }, deps.clock.now())
    await audit(tx)
    return added
  })
  return (await sweepCursors(deps, destination.id, sweep)).rewound
}

/** Tries the dead letters again, all or those of a profile. Returns how many profiles have any. */
export async function redrive(
  deps: DeliverDeps,
  destination: Destination,
  actor: string,
  profile?: string,
): Promise<number> {
  if (profile !== undefined)
    return deps.database.transaction(async (tx) => {
      const profiles = await redriveCursors(tx, destination.id, deps.clock.now(), profile)
      if (profiles === 0) throw new ApiError('not_found', 'There are no dead letters of such a profile here.')
      await auditDestination(tx, destination, {
        at: deps.clock.now(),
        actor,
        action: 'push.redrive',
        detail: { profile },
      })
      return profiles
    })
  const sweep = await deps.database.transaction(async (tx) => {
    const added = await addSweep(tx, destination.id, { redrive: true }, deps.clock.now())
    await auditDestination(tx, destination, { at: deps.clock.now(), actor, action: 'push.redrive' })
    return added
  })
  return (await sweepCursors(deps, destination.id, sweep)).redriven
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
