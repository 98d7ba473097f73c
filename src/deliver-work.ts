import type { JobLedger } from '#base/isolation/job-ledger.ts'
import { pause } from '#base/pause.ts'
import { type Tracer, traced } from '#base/trace.ts'
import type { DeliverNeed } from '#flows/deliver/need.ts'
import { planDeliveries } from '#flows/deliver/plan.ts'
import { createRoom } from '#flows/deliver/room.ts'
import { runDestination } from '#flows/deliver/run.ts'
import type { JobSubject } from '#model/deaths.ts'
import type { Engine } from '#store/engine.ts'
import { type OnLooked, startLoop } from './work-loop.ts'

const LEAVE_WITHIN_MS = 10_000
/** Half of what lies between a change and its delivery. */
const DELIVER_EVERY_MS = 200

export interface DeliverWork {
  engine: Engine
  need: DeliverNeed & { tracer?: Tracer | undefined }
  ledger: JobLedger
  onLooked?: OnLooked | undefined
}

/** Deliveries to all destinations with which no worker died. Gives a function that ends them. */
export async function startDeliveries({ engine, need, ledger, onLooked }: DeliverWork): Promise<() => Promise<void>> {
  const room = createRoom()
  await engine.work('deliver', ({ data: { runs, ...guest } }) => {
    const { destinationId } = guest
    const subject: JobSubject = { kind: 'destination', destinationId }
    return room.enter(guest, runs, (stay) =>
      deliver({ need, ledger }, subject, (step) => runDestination(need, destinationId, { ...stay, step })),
    )
  })
  const stopPlanning = startLoop({
    name: 'deliveries',
    everyMs: DELIVER_EVERY_MS,
    plan: () => planDeliveries({ ...need, engine }),
    log: need.log,
    onLooked,
  })
  return async () => {
    // A destination that hangs is not waited for: what it was given is given again.
    const patience = new AbortController()
    const tooLong = pause(LEAVE_WITHIN_MS, patience.signal)
    await Promise.all([stopPlanning(), Promise.race([room.close(), tooLong])])
    patience.abort()
  }
}

export function deliver(
  { need, ledger }: Omit<DeliverWork, 'engine'>,
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
