import { setTimeout as sleep } from 'node:timers/promises'
import { type Tracer, traced } from '#base/trace.ts'
import { continueDeletions } from '#flows/authorize/delete-app.ts'
import { lapseSignIns } from '#flows/authorize/lapse.ts'
import type { AuthorizeNeed } from '#flows/authorize/need.ts'
import type { DeliverNeed } from '#flows/deliver/need.ts'
import { planDeliveries } from '#flows/deliver/plan.ts'
import { createRoom } from '#flows/deliver/room.ts'
import { runDestination } from '#flows/deliver/run.ts'
import { tidy } from '#flows/operate/maintenance.ts'
import type { SyncNeed } from '#flows/sync/need.ts'
import { planSyncs } from '#flows/sync/plan.ts'
import { runProfile } from '#flows/sync/run-profile.ts'
import type { Engine } from '#store/engine.ts'

const PLAN_EVERY_MS = 500
const BUSY_EVERY_MS = 100
const LEAVE_WITHIN_MS = 10_000
/** Half of what lies between a change and its delivery. */
const DELIVER_EVERY_MS = 200

export type WorkNeed = AuthorizeNeed & SyncNeed & DeliverNeed & { tracer?: Tracer | undefined }

/** Which work wakes up on which queue, and the loops that find what is due. Gives a function that ends the loops. */
export async function startWorkers({ engine, need }: { engine: Engine; need: WorkNeed }): Promise<() => Promise<void>> {
  await engine.work('maintenance', async () => {
    const removed = { ...(await tidy(need)), ...(await lapseSignIns(need)) }
    need.log.debug('maintenance done', removed)
  })
  await engine.every('maintenance', '*/10 * * * *')
  await engine.work('sync', ({ key, data }, signal) =>
    traced(need.tracer, 'sync', 'internal', { 'tributary.profile': key }, () =>
      runProfile(need, { part: Number(data['part']), profileId: key }, signal),
    ),
  )
  const room = createRoom()
  await engine.work('deliver', ({ data }) => {
    const [destinationId, appId] = [String(data['destinationId']), String(data['appId'])]
    const guest = { destinationId, appId, isFailing: data['isFailing'] === true }
    return room.enter(guest, Number(data['runs']), (stay) =>
      traced(need.tracer, 'deliver', 'internal', { 'tributary.destination': destinationId }, () =>
        runDestination(need, destinationId, stay),
      ).catch((error: unknown) => {
        // The lease of what it held runs out, and another run goes on.
        need.log.warn('a delivery run was lost', { destination: destinationId, error })
      }),
    )
  })
  const stopping = new AbortController()
  const loops = [
    loop('syncs', PLAN_EVERY_MS, () => planSyncs({ ...need, engine }), need, stopping.signal),
    loop('deletions', PLAN_EVERY_MS, () => continueDeletions(need), need, stopping.signal),
    loop('deliveries', DELIVER_EVERY_MS, () => planDeliveries({ ...need, engine }), need, stopping.signal),
  ]
  return async () => {
    stopping.abort()
    // A destination that hangs is not waited for: what it was given is given again.
    const patience = new AbortController()
    const tooLong = sleep(LEAVE_WITHIN_MS, undefined, { signal: patience.signal }).catch(() => {})
    await Promise.all([...loops, Promise.race([room.close(), tooLong])])
    patience.abort()
  }
}

/** A database that is away for a while only delays: the loop goes on when it is back. */
async function loop(
  what: string,
  everyMs: number,
  plan: () => Promise<number>,
  { log }: WorkNeed,
  signal: AbortSignal,
): Promise<void> {
  while (!signal.aborted) {
    const planned = await plan().catch((error: unknown) => {
      log.warn(`planning ${what} failed and goes on`, { error })
      return 0
    })
    await sleep(planned > 0 ? BUSY_EVERY_MS : everyMs, undefined, { signal }).catch(() => {})
  }
}
