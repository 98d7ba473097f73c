import { planDeliveries } from '#flows/push/deliver/plan.ts'
import { runDestination } from '#flows/push/deliver/run-destination.ts'
import { createRunLimiter } from '#flows/push/deliver/run-limiter.ts'
import type { DeliverDeps } from '#flows/push/deps.ts'
import type { JobSubject } from '#model/deaths.ts'
import type { JobLedger } from '#platform/isolation/job-ledger.ts'
import { pause } from '#platform/pause.ts'
import type { Engine } from '#platform/queue/engine.ts'
import { type Tracer, traced } from '#platform/telemetry/trace.ts'
import { type OnLooked, startLoop } from './work-loop.ts'

const LEAVE_WITHIN_MS = 10_000
/** Half of what lies between a change and its delivery. */
const DELIVER_EVERY_MS = 200

export interface DeliverWork {
  engine: Engine
  deps: DeliverDeps & { tracer?: Tracer | undefined }
  ledger: JobLedger
  onLooked?: OnLooked | undefined
}

/** Deliveries to all destinations with which no worker died. Gives a function that ends them. */
export async function startDeliveries({ engine, deps, ledger, onLooked }: DeliverWork): Promise<() => Promise<void>> {
  const limiter = createRunLimiter()
  await engine.work('deliver', ({ data: { runs, ...request } }) => {
    const { destinationId } = request
    const subject: JobSubject = { kind: 'destination', destinationId }
    return limiter.acquire(request, runs, (permit) =>
      deliver({ deps, ledger }, subject, (step) => runDestination(deps, destinationId, { ...permit, step })),
    )
  })
  const stopPlanning = startLoop({
    name: 'deliveries',
    everyMs: DELIVER_EVERY_MS,
    plan: () => planDeliveries({ ...deps, engine }),
    log: deps.log,
    onLooked,
  })
  return async () => {
    // A destination that hangs is not waited for: what it was given is given again.
    const patience = new AbortController()
    const tooLong = pause(LEAVE_WITHIN_MS, patience.signal)
    await Promise.all([stopPlanning(), Promise.race([limiter.close(), tooLong])])
    patience.abort()
  }
}

export function deliver(
  { deps, ledger }: Omit<DeliverWork, 'engine'>,
  subject: Extract<JobSubject, { kind: 'destination' }>,
  run: (step: (name: string) => void) => Promise<void>,
): Promise<void> {
  const { destinationId } = subject
  return ledger.hold(subject, (step) =>
    traced(deps.tracer, 'deliver', 'internal', { 'tributary.destination': destinationId }, () => run(step)).catch(
      (error: unknown) => {
        // The lease of what it held runs out, and another run goes on.
        deps.log.warn('a delivery run was lost', { destination: destinationId, error })
      },
    ),
  )
}
