import { createEmptyRuns } from '#flows/push/deliver/empty-runs.ts'
import { type DueRuns, isNoDeliveryDue, planDeliveries } from '#flows/push/deliver/plan.ts'
import { runDestination } from '#flows/push/deliver/run-destination.ts'
import { createRunLimiter } from '#flows/push/deliver/run-limiter.ts'
import type { DeliverDeps } from '#flows/push/deps.ts'
import type { JobSubject } from '#model/sync/deaths.ts'
import type { JobLedger } from '#platform/isolation/job-ledger.ts'
import { type Tracer, traced } from '#platform/telemetry/trace.ts'
import { abortableSleep } from '#platform/waiting/abortable-sleep.ts'
import { AWAITED } from './awaited.ts'
import { type LoopDeps, startPlanningLoop } from './planning-loop.ts'

/** How long a stop waits for running deliveries. */
const STOP_TIMEOUT_MS = 10_000
/** The shortest time between two looks for due destinations: changes within this time are delivered together. */
const PLAN_EVERY_MS = 200

export interface DeliverLane extends Pick<LoopDeps, 'idleMs' | 'onPlanned'> {
  deps: DeliverDeps & Pick<LoopDeps, 'writes'> & { tracer?: Tracer | undefined }
  ledger: JobLedger
}

/** Delivers to all destinations with which no worker died. Returns a function that stops the lane. */
export function startDeliverLane({ deps, ledger, ...options }: DeliverLane): () => Promise<void> {
  const limiter = createRunLimiter()
  const empty = createEmptyRuns(deps.clock)
  const start = ({ runs, ...request }: DueRuns): boolean => {
    const { destinationId } = request
    if (!limiter.takes(request) || empty.isWaiting(destinationId)) return false
    // A run sends events before it delivers, and of several only the first does.
    if (runs === 0 && limiter.open(destinationId) > 0) return false
    void limiter.acquire(request, runs, async (permit) => {
      let isEmpty = true
      await runDelivery({ deps, ledger }, { kind: 'destination', destinationId }, (step) =>
        runDestination(deps, destinationId, {
          ...permit,
          step: (name) => {
            isEmpty = false
            step(name)
          },
        }),
      )
      empty.ended(destinationId, isEmpty)
    })
    return true
  }
  const stopPlanning = startPlanningLoop(
    { ...deps, ...options },
    {
      name: 'deliveries',
      everyMs: PLAN_EVERY_MS,
      tables: AWAITED.deliveries,
      plan: () => planDeliveries(deps, start),
      open: () => limiter.open(),
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
  { deps, ledger }: DeliverLane,
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
