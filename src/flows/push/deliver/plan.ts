import type { Destination } from '#model/apps/destination.ts'
import { wakeSomeCursors } from '#store/push/destination-cursors.ts'
import { moveTick, tickingDestinations } from '#store/push/destinations.ts'
import { type DueDestination, dueDestinations, hasErasures, isAnyDue } from '#store/push/due-destinations.ts'
import { workersWanted } from '#store/push/workers-wanted.ts'
import { type DeliverDeps, type PlanDeps, RUNS_PER_DESTINATION } from '../deps.ts'
import { nextDue, quietUntil, readQuiet } from '../schedule.ts'
import { ABANDONED_MS, continueSweeps } from '../sweep-cursors.ts'

/** Limit: destinations that one planning looks at; the next one continues. */
const MAX_PLANNED = 200

/**
 * Begins runs for the destinations that are due. Every process plans, and the runs find in the rows what nobody has leased yet.
 * `start` says whether it began any. Returns for how many it did.
 */
export async function planDeliveries(deps: PlanDeps, start: (request: DueRuns) => boolean): Promise<number> {
  const nowMs = deps.clock.now()
  const due = (await findDue(deps)).filter(({ destination }) => !isIsolated(destination, nowMs))
  return due.slice(0, MAX_PLANNED).filter((each) => start(runsOf(each))).length
}

const isIsolated = ({ aloneUntil }: Destination, nowMs: number): boolean => aloneUntil > nowMs

/** The destination with which a worker died that is due first, if any; the alone lane runs it. */
export async function findDueAlone(
  deps: Pick<DeliverDeps, 'database'>,
  nowMs: number,
  untilMs: number,
): Promise<Destination | undefined> {
  if (!(await workersWanted(deps.database, nowMs)).alone) return undefined
  for (const { destination } of await dueDestinations(deps.database, untilMs, 1))
    if (isIsolated(destination, nowMs) && (await mayRun(deps, destination, nowMs))) return destination
  return undefined
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
export async function isNoDeliveryDue({ database }: Pick<DeliverDeps, 'database'>, untilMs: number): Promise<boolean> {
  return !(await isAnyDue(database, untilMs, untilMs - ABANDONED_MS))
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

/** The runs that a destination needs now. */
export interface DueRuns {
  destinationId: string
  appId: string
  isFailing: boolean
  /** How many profiles are due, at most as many as runs may begin; none where only events wait. */
  runs: number
}

function runsOf({ destination, due }: DueDestination): DueRuns {
  const { id: destinationId, appId, state } = destination
  return { destinationId, appId, isFailing: state === 'failing', runs: due }
}
