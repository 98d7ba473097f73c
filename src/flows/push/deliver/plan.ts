import type { Destination } from '#model/apps/destination.ts'
import { wakeSomeCursors } from '#store/push/destination-cursors.ts'
import { moveTick, tickingDestinations } from '#store/push/destinations.ts'
import { type DueDestination, dueDestinations, hasErasures } from '#store/push/due-destinations.ts'
import type { JobWakeUp, QueueName } from '#store/queues.ts'
import { type DeliverDeps, type PlanDeps, RUNS_PER_DESTINATION } from '../deps.ts'
import { nextDue, quietUntil, readQuiet } from '../schedule.ts'
import { continueSweeps, findAbandoned } from '../sweep-cursors.ts'

/** Limit: deliveries that wait in the queue; planning pauses until there are fewer. */
const MAX_QUEUED = 200

/**
 * Queues a wake-up for each destination that is due. Losing or repeating one is harmless: the cursors say what is due. `onDue` gets
 * those that any worker may run.
 */
export async function planDeliveries(
  deps: PlanDeps,
  onDue: (due: readonly DueDestination[]) => void = () => {},
): Promise<number> {
  const capacity = MAX_QUEUED - (await deps.engine.waiting('deliver', MAX_QUEUED))
  if (capacity <= 0) return 0
  const due = (await findDue(deps)).slice(0, capacity)
  const second = Math.floor(deps.clock.now() / 1000)
  const nowMs = deps.clock.now()
  const isIsolated = ({ destination }: DueDestination) => destination.aloneUntil > nowMs
  const isolated = due.filter(isIsolated).map(({ destination: { id } }) => isolatedWakeUp(id))
  const others = due.filter((each) => !isIsolated(each))
  const wakeUps = others.map((each) => wakeUp(each, second))
  const alreadyQueued = [...(await wake(deps, 'alone', isolated)), ...(await wake(deps, 'deliver', wakeUps))]
  onDue(others)
  return due.length - alreadyQueued.length
}

/** Destinations with due cursors, one of each app in turn, so that an app with many does not delay the others. */
export async function findDue(deps: Pick<DeliverDeps, 'database' | 'clock'>): Promise<DueDestination[]> {
  const nowMs = deps.clock.now()
  await continueSweeps(deps)
  for (const destination of await tickingDestinations(deps.database, nowMs)) await tick(deps, destination, nowMs)
  const found: DueDestination[] = []
  for (const each of await dueDestinations(deps.database, nowMs, RUNS_PER_DESTINATION))
    if (await mayRun(deps, each.destination, nowMs)) found.push(each)
  return interleaveApps(found)
}

/** Whether nothing is to be delivered until then, as far as is written now. */
export async function isNoDeliveryDue(deps: Pick<DeliverDeps, 'database'>, untilMs: number): Promise<boolean> {
  if ((await findAbandoned(deps, untilMs)).length > 0) return false
  if ((await tickingDestinations(deps.database, untilMs)).length > 0) return false
  return (await dueDestinations(deps.database, untilMs, 1)).length === 0
}

/** One tick of a destination's schedule, however late, makes all of its profiles with undelivered changes due. */
async function tick(
  { database }: Pick<DeliverDeps, 'database'>,
  destination: Destination,
  nowMs: number,
): Promise<void> {
  // A million profiles become due over many passes, so that other destinations do not wait for them.
  if ((await wakeSomeCursors(database, destination.id, nowMs)).more) return
  // The next time is set last: after a crash in between, the tick is only repeated.
  await moveTick(database, destination, nextDue(destination.schedule, nowMs))
}

/** Erasures do not wait for the end of quiet hours. */
async function mayRun(
  { database }: Pick<DeliverDeps, 'database'>,
  { id, options }: Destination,
  nowMs: number,
): Promise<boolean> {
  return quietUntil(readQuiet(options), nowMs) === undefined || hasErasures(database, id, nowMs)
}

function interleaveApps(due: DueDestination[]): DueDestination[] {
  const byApp = Map.groupBy(due, ({ destination }) => destination.appId)
  const rounds = Math.max(0, ...[...byApp.values()].map(({ length }) => length))
  return Array.from({ length: rounds }, (_, round) =>
    [...byApp.values()].flatMap((ofApp) => ofApp.slice(round, round + 1)),
  ).flat()
}

const wake = <Queue extends QueueName>(
  { engine }: PlanDeps,
  queue: Queue,
  wakeUps: JobWakeUp<Queue>[],
): Promise<string[]> => (wakeUps.length === 0 ? Promise.resolve([]) : engine.wake(queue, wakeUps))

function isolatedWakeUp(destinationId: string): JobWakeUp<'alone'> {
  return { key: `deliver:${destinationId}`, data: { destinationId } }
}

/** The second in the key allows one wake-up per second, and a new one although a worker died while it had the last one. */
function wakeUp(due: DueDestination, second: number): JobWakeUp<'deliver'> {
  return { key: `${due.destination.id}:${second}`, data: runsOf(due) }
}

/** The runs that a destination needs now. */
export function runsOf({ destination, due }: DueDestination): JobWakeUp<'deliver'>['data'] {
  const { id: destinationId, appId, state } = destination
  return { destinationId, appId, isFailing: state === 'failing', runs: due }
}
