import { createBacklogWatch } from '#flows/push/deliver/backlog.ts'
import { isNoDeliveryDue, planDeliveries, runsOf } from '#flows/push/deliver/plan.ts'
import { runDestination } from '#flows/push/deliver/run-destination.ts'
import { createRunLimiter } from '#flows/push/deliver/run-limiter.ts'
import type { DeliverDeps } from '#flows/push/deps.ts'
import type { JobSubject } from '#model/sync/deaths.ts'
import type { JobLedger } from '#platform/isolation/job-ledger.ts'
import { type Tracer, traced } from '#platform/telemetry/trace.ts'
import { abortableSleep } from '#platform/waiting/abortable-sleep.ts'
import type { JobEngine, JobPayloads } from '#store/queues.ts'
import { AWAITED } from './awaited.ts'
import { type LoopDeps, startPlanningLoop } from './planning-loop.ts'

/** How long a stop waits for running deliveries. */
const STOP_TIMEOUT_MS = 10_000
/** The shortest time between two looks for due destinations: changes within this time are delivered together. */
const PLAN_EVERY_MS = 200

export interface DeliverLane extends Pick<LoopDeps, 'idleMs' | 'onPlanned'> {
  engine: JobEngine
  deps: DeliverDeps & Pick<LoopDeps, 'writes'> & { tracer?: Tracer | undefined }
  ledger: JobLedger
}

/** Delivers to all destinations with which no worker died. Returns a function that stops the lane. */
export async function startDeliverLane({
  engine,
  deps,
  ledger,
  ...options
}: DeliverLane): Promise<() => Promise<void>> {
  const limiter = createRunLimiter()
  const deliver = ({ runs, ...request }: JobPayloads['deliver']) => {
    const { destinationId } = request
    const subject: JobSubject = { kind: 'destination', destinationId }
    return limiter.acquire(request, runs, (permit) =>
      runDelivery({ deps, ledger }, subject, (step) => runDestination(deps, destinationId, { ...permit, step })),
    )
  }
  await engine.work('deliver', ({ data }) => deliver(data))
  const findBacklogs = createBacklogWatch(deps.clock)
  const stopPlanning = startPlanningLoop(
    { ...deps, ...options },
    {
      name: 'deliveries',
      everyMs: PLAN_EVERY_MS,
      tables: AWAITED.deliveries,
      plan: () =>
        planDeliveries({ ...deps, engine }, (due) => {
          for (const each of findBacklogs(due)) void deliver(runsOf(each))
        }),
      nothingDueUntil: (untilMs) => isNoDeliveryDue(deps, untilMs),
    },
  )
  return async () => {
    // A destination that hangs does not delay the stop: its batch is delivered again later.
    const stopped = new AbortController()
    const timeout = abortableSleep(STOP_TIMEOUT_MS, stopped.signal)
    await Promise.all([stopPlanning(), Promise.race([limiter.close(), timeout])])
    stopped.abort()
  }
}

export function runDelivery(
  { deps, ledger }: Omit<DeliverLane, 'engine'>,
  subject: Extract<JobSubject, { kind: 'destination' }>,
  run: (step: (name: string) => void) => Promise<void>,
): Promise<void> {
  const { destinationId } = subject
  return ledger.track(subject, (step) =>
    traced(deps.tracer, 'deliver', 'internal', { 'tributary.destination': destinationId }, () => run(step)).catch(
      (error: unknown) => {
        // Its lease expires, and another run continues.
        deps.log.warn('a delivery run failed', { destination: destinationId, error })
      },
    ),
  )
}
