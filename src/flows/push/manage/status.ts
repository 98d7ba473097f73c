import type { Destination } from '#model/apps/destination.ts'
import { lagByKind, summarizeCursors } from '#store/push/cursors.ts'
import {
  countDeadLetters,
  type DeadLetter,
  type DeadLetterReason,
  type Delivery,
  type DeliveryPeriod,
  deadLetterReasons,
  deadLettersByKind,
  deliveriesSince,
  deliveryHistory,
  listDeadLetters,
  listDeliveries,
  type RecentDeliveries,
} from '#store/push/deliveries.ts'
import { countDestinations, listDestinations, openSecrets } from '#store/push/destinations.ts'
import type { DeliverDeps } from '../deps.ts'

/** A destination with its progress, without its secrets. */
export interface ShownDestination {
  destination: Destination
  url: string
  profiles: number
  rows: number
  behind: number
  changesBehind: number
  /** When the oldest undelivered change was made; undefined when everything is delivered. */
  behindSince: number | undefined
  /** Time since then. */
  lagMs: number
  /** Deliveries of the last five minutes. */
  recent: RecentDeliveries
  profilesFailing: number
  deliveredAt: number | undefined
  deadLetters: number
  /** The oldest ones that were dropped because there were too many. */
  deadLettersDropped: number
}

/** Limit: reasons that are listed, those with most dead letters. */
const MAX_DEAD_REASONS = 50
/** The time over which throughput is measured. */
const RECENT_MS = 5 * 60_000

export async function showDestinations(deps: DeliverDeps, appId: string): Promise<ShownDestination[]> {
  return Promise.all((await listDestinations(deps.database, appId)).map((destination) => show(deps, destination)))
}

export async function show(deps: DeliverDeps, destination: Destination): Promise<ShownDestination> {
  const nowMs = deps.clock.now()
  const [secrets, summary, deadLetters, recent] = await Promise.all([
    openSecrets(deps.database, deps.keyring, destination.id),
    summarizeCursors(deps.database, destination.id),
    countDeadLetters(deps.database, destination.id),
    deliveriesSince(deps.database, destination.id, nowMs - RECENT_MS),
  ])
  return {
    destination,
    url: secrets?.url ?? '',
    profiles: summary.profiles,
    rows: summary.rows,
    behind: summary.behind,
    changesBehind: summary.changes_behind,
    behindSince: summary.behind_since ?? undefined,
    lagMs: Math.max(0, nowMs - (summary.behind_since ?? nowMs)),
    recent,
    profilesFailing: summary.failing,
    deliveredAt: summary.delivered_at ?? undefined,
    deadLetters: deadLetters.n,
    deadLettersDropped: deadLetters.dropped,
  }
}

export async function deliveriesOf(
  { database }: Pick<DeliverDeps, 'database'>,
  destination: Destination,
  before: string | undefined,
  limit: number,
): Promise<Delivery[]> {
  return listDeliveries(database, destination.id, before, limit)
}

export async function deadLettersOf(
  { database }: Pick<DeliverDeps, 'database'>,
  destination: Destination,
  limit: number,
): Promise<DeadLetter[]> {
  return listDeadLetters(database, destination.id, limit)
}

export async function deadLetterReasonsOf(
  { database }: Pick<DeliverDeps, 'database'>,
  destination: Destination,
): Promise<DeadLetterReason[]> {
  return deadLetterReasons(database, destination.id, MAX_DEAD_REASONS)
}

/** Limit: periods of the history of a destination; more are refused. */
export const MAX_PERIODS = 500

export async function historyOf(
  { database }: Pick<DeliverDeps, 'database'>,
  destination: Destination,
  sinceMs: number,
  stepMs: number,
): Promise<DeliveryPeriod[]> {
  return deliveryHistory(database, destination.id, sinceMs, stepMs)
}

export interface PushHealth {
  destinations: { kind: string; state: string; n: number }[]
  lag: { kind: string; changes: number; seconds: number }[]
  deadLetters: { kind: string; n: number }[]
}

/** Figures over all destinations by kind, for metrics: their number does not grow with the number of apps. */
export async function pushHealth({ database, clock }: Pick<DeliverDeps, 'database' | 'clock'>): Promise<PushHealth> {
  const [destinations, lag, deadLetters] = await Promise.all([
    countDestinations(database),
    lagByKind(database),
    deadLettersByKind(database),
  ])
  const age = (since: number | null) => (since === null ? 0 : Math.max(0, clock.now() - since) / 1000)
  return {
    destinations,
    lag: lag.map(({ kind, changes, since }) => ({ kind, changes, seconds: age(since) })),
    deadLetters,
  }
}
