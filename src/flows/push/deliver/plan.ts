import type { Destination } from '#model/destination.ts'
import { wakeSomeCursors } from '#store/push/cursors.ts'
import {
  type DueDestination,
  dueDestinations,
  hasErasures,
  moveTick,
  tickingDestinations,
} from '#store/push/destinations.ts'
import type { JobWakeUp, QueueName } from '#store/queues.ts'
import { type DeliverDeps, type PlanDeps, RUNS_PER_DESTINATION } from '../deps.ts'
import { nextDue, quietUntil, readQuiet } from '../schedule.ts'

const ENOUGH_WAITING = 200

/** Turns what is due into wake-ups, one per destination. Losing or repeating one is harmless: the cursors are the truth. */
export async function planDeliveries(deps: PlanDeps): Promise<number> {
  const capacity = ENOUGH_WAITING - (await deps.engine.waiting('deliver', ENOUGH_WAITING))
  if (capacity <= 0) return 0
  const due = (await findDue(deps)).slice(0, capacity)
  const second = Math.floor(deps.clock.now() / 1000)
  const nowMs = deps.clock.now()
  const isAlone = ({ destination }: DueDestination) => destination.aloneUntil > nowMs
  const alone = due.filter(isAlone).map(({ destination: { id } }) => aloneWakeUp(id))
  const others = due.filter((each) => !isAlone(each)).map((each) => wakeUp(each, second))
  const busy = [...(await wake(deps, 'alone', alone)), ...(await wake(deps, 'deliver', others))]
  return due.length - busy.length
}

/** Destinations with something to do now, one of each app in turn, so that many of one app stand before nobody. */
export async function findDue(deps: Pick<DeliverDeps, 'database' | 'clock'>): Promise<DueDestination[]> {
  const nowMs = deps.clock.now()
  for (const destination of await tickingDestinations(deps.database, nowMs)) await tick(deps, destination, nowMs)
  const found: DueDestination[] = []
  for (const each of await dueDestinations(deps.database, nowMs, RUNS_PER_DESTINATION))
    if (await isAwake(deps, each.destination, nowMs)) found.push(each)
  return inTurns(found)
}

/** A schedule is the destination's, not the profile's: one tick, however late, makes due what has news. */
async function tick(
  { database }: Pick<DeliverDeps, 'database'>,
  destination: Destination,
  nowMs: number,
): Promise<void> {
  // One with a million profiles is woken in many looks, so that others need not wait for it.
  if (await wakeSomeCursors(database, destination.id, nowMs)) return
  // First the profiles, then the time: a crash in between only ticks once more.
  await moveTick(database, destination, nextDue(destination.schedule, nowMs))
}

/** Nobody waits for quiet hours to end who wants to be forgotten. */
async function isAwake(
  { database }: Pick<DeliverDeps, 'database'>,
  { id, options }: Destination,
  nowMs: number,
): Promise<boolean> {
  return quietUntil(readQuiet(options), nowMs) === undefined || hasErasures(database, id, nowMs)
}

function inTurns(due: DueDestination[]): DueDestination[] {
  const byApp = Map.groupBy(due, ({ destination }) => destination.appId)
  const rounds = Math.max(0, ...[...byApp.values()].map(({ length }) => length))
  return Array.from({ length: rounds }, (_, round) =>
    [...byApp.values()].flatMap((own) => own.slice(round, round + 1)),
  ).flat()
}

const wake = <Queue extends QueueName>(
  { engine }: PlanDeps,
  queue: Queue,
  wakeUps: JobWakeUp<Queue>[],
): Promise<string[]> => (wakeUps.length === 0 ? Promise.resolve([]) : engine.wake(queue, wakeUps))

function aloneWakeUp(destinationId: string): JobWakeUp<'alone'> {
  return { key: `deliver:${destinationId}`, data: { destinationId } }
}

/** One each second at most; the wake-up of a worker that died with it stands in the way of no later one. */
function wakeUp({ destination, due }: DueDestination, second: number): JobWakeUp<'deliver'> {
  const { id: destinationId, appId, state } = destination
  const isFailing = state === 'failing'
  return { key: `${destinationId}:${second}`, data: { destinationId, appId, isFailing, runs: due } }
}
