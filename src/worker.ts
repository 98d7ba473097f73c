import { setTimeout as sleep } from 'node:timers/promises'
import { type JobLedger, NO_LEDGER } from '#base/isolation/job-ledger.ts'
import { type Tracer, traced } from '#base/trace.ts'
import { lapseSignIns } from '#flows/authorize/lapse.ts'
import type { AuthorizeNeed } from '#flows/authorize/need.ts'
import type { DeliverNeed } from '#flows/deliver/need.ts'
import { planDeliveries } from '#flows/deliver/plan.ts'
import { createRoom, type Stay } from '#flows/deliver/room.ts'
import { runDestination } from '#flows/deliver/run.ts'
import { runDestinationAlone } from '#flows/deliver/settle-death.ts'
import { tidy } from '#flows/operate/maintenance.ts'
import type { SyncNeed } from '#flows/sync/need.ts'
import { planSyncs } from '#flows/sync/plan.ts'
import { runProfile } from '#flows/sync/run-profile.ts'
import type { JobSubject } from '#model/deaths.ts'
import type { Engine } from '#store/engine.ts'

const PLAN_EVERY_MS = 500
const BUSY_EVERY_MS = 100
const LEAVE_WITHIN_MS = 10_000
/** Half of what lies between a change and its delivery. */
const DELIVER_EVERY_MS = 200

export type WorkNeed = AuthorizeNeed & SyncNeed & DeliverNeed & { tracer?: Tracer | undefined }

/** Which sort of work a process does. */
export const WORK_LANES = ['sync', 'deliver', 'alone'] as const
export type WorkLane = (typeof WORK_LANES)[number]

interface Working {
  engine: Engine
  need: WorkNeed
  ledger: JobLedger
}

/** Starts the work of these lanes in this process. Gives a function that ends the loops. */
export async function startWorkers(
  { engine, need, ledger = NO_LEDGER }: { engine: Engine; need: WorkNeed; ledger?: JobLedger },
  lanes: readonly WorkLane[] = WORK_LANES,
): Promise<() => Promise<void>> {
  const working = { engine, need, ledger }
  const starts = { sync: startSyncs, deliver: startDeliveries, alone: startAlone }
  const stops = await Promise.all(lanes.map((lane) => starts[lane](working)))
  return async () => {
    await Promise.all(stops.map((stop) => stop()))
  }
}

async function startSyncs({ engine, need, ledger }: Working): Promise<() => Promise<void>> {
  await engine.work('maintenance', async () => {
    const removed = { ...(await tidy(need)), ...(await lapseSignIns(need)) }
    need.log.debug('maintenance done', removed)
  })
  await engine.every('maintenance', '*/10 * * * *')
  await engine.work('sync', ({ data, jobId }, signal) =>
    runSync({ need, ledger }, data, { jobId, queue: 'sync' }, signal),
  )
  return loop('syncs', PLAN_EVERY_MS, () => planSyncs({ ...need, engine }), need)
}

async function startDeliveries({ engine, need, ledger }: Working): Promise<() => Promise<void>> {
  const room = createRoom()
  await engine.work('deliver', ({ data }) => {
    const [destinationId, appId] = [String(data['destinationId']), String(data['appId'])]
    const guest = { destinationId, appId, isFailing: data['isFailing'] === true }
    const subject: JobSubject = { kind: 'destination', destinationId }
    return room.enter(guest, Number(data['runs']), (stay) =>
      deliver({ need, ledger }, subject, (step) => runDestination(need, destinationId, { ...stay, step })),
    )
  })
  const stopPlanning = loop('deliveries', DELIVER_EVERY_MS, () => planDeliveries({ ...need, engine }), need)
  return async () => {
    // A destination that hangs is not waited for: what it was given is given again.
    const patience = new AbortController()
    const tooLong = sleep(LEAVE_WITHIN_MS, undefined, { signal: patience.signal }).catch(() => {})
    await Promise.all([stopPlanning(), Promise.race([room.close(), tooLong])])
    patience.abort()
  }
}

/** What a worker died of: one job at a time in this process. */
async function startAlone({ engine, need, ledger }: Working): Promise<() => Promise<void>> {
  await engine.work('alone', ({ data, jobId }, signal) => {
    if (typeof data['destinationId'] !== 'string')
      return runSync({ need, ledger }, data, { jobId, queue: 'alone' }, signal)
    const destinationId = data['destinationId']
    // Somebody always waits here: it makes room after one turn.
    const stay: Omit<Stay, 'step'> = { others: 0, isWanted: () => true, signal, alone: true }
    const subject: JobSubject = { kind: 'destination', destinationId, queue: 'alone', jobId }
    return deliver({ need, ledger }, subject, (step) => runDestinationAlone(need, destinationId, { ...stay, step }))
  })
  return async () => {}
}

function runSync(
  { need, ledger }: Omit<Working, 'engine'>,
  data: Record<string, unknown>,
  { jobId, queue }: { jobId: string; queue: 'sync' | 'alone' },
  signal: AbortSignal,
): Promise<void> {
  const key = { part: Number(data['part']), profileId: String(data['profileId']) }
  const subject: JobSubject = { kind: 'profile', ...key, queue, jobId }
  return ledger.hold(subject, (step) =>
    traced(need.tracer, 'sync', 'internal', { 'tributary.profile': key.profileId }, () =>
      runProfile(need, key, { signal, alone: queue === 'alone', step }),
    ),
  )
}

function deliver(
  { need, ledger }: Omit<Working, 'engine'>,
  subject: Extract<JobSubject, { kind: 'destination' }>,
  run: (step: (name: string) => void) => Promise<void>,
): Promise<void> {
  const { destinationId } = subject
  return ledger.hold(subject, (step) =>
    traced(need.tracer, 'deliver', 'internal', { 'tributary.destination': destinationId }, () => run(step)).catch(
      (error: unknown) => {
        // The lease of what it held runs out, and another run goes on.
        need.log.warn('a delivery run was lost', { destination: destinationId, error })
      },
    ),
  )
}

/** A database that is away for a while only delays: the loop goes on when it is back. Gives a function that ends it. */
function loop(what: string, everyMs: number, plan: () => Promise<number>, { log }: WorkNeed): () => Promise<void> {
  const stopping = new AbortController()
  const { signal } = stopping
  const run = async (): Promise<void> => {
    while (!signal.aborted) {
      const planned = await plan().catch((error: unknown) => {
        log.warn(`planning ${what} failed and goes on`, { error })
        return 0
      })
      await sleep(planned > 0 ? BUSY_EVERY_MS : everyMs, undefined, { signal }).catch(() => {})
    }
  }
  const running = run()
  return async () => {
    stopping.abort()
    await running
  }
}
