import { type Attention, findAttention } from '#model/accounts/attention.ts'
import { ApiError } from '#model/errors.ts'
import { isFailure, type SyncReason } from '#model/sync/sync-reasons.ts'
import type { LaneView } from '#platform/isolation/lane.ts'
import { findApp } from '#store/apps/apps.ts'
import { HOUR_MS } from '#store/items/item-hours.ts'
import { checkReadiness, type HealthDeps, type Readiness } from './health.ts'
import { readLastBackup } from './last-backup.ts'
import { type OverviewFigures, overviewFigures, WEEK_HOURS } from './overview-figures.ts'
import { quotaFigures, type UsageDeps, usageOf } from './usage.ts'

export interface SpendingFigure {
  app: string
  service: string
  currency: string
  spent: number
  limit: number | undefined
}

type WorkerState = 'running' | 'starting' | 'idle' | 'down'

/** Whether the installation runs as it should; only for its operators. */
export interface HealthView {
  ready: boolean
  checks: Readiness['checks']
  version: string
  workers: {
    lane: string
    state: WorkerState
    jobs: number
    memory_bytes: number
    deaths: number
  }[]
}

export interface OverviewView {
  /** When the figures were read; they are a few seconds old at most, in large installations a minute. */
  at: number
  app?: string
  attention: Attention[]
  profiles: { service: string; state: string; n: number }[]
  /** The last seven days, the current hour last. */
  items_per_hour: { at: number; added: number; updated: number }[]
  sync: { due: number; lag_ms: number; endpoints: { service: string; reason: string; failing: boolean; n: number }[] }
  /** Sign-ins and syncs of the last 24 hours that did not work. */
  failures_24h: { kind: string; service?: string; outcome: string; reason?: string; n: number }[]
  push: {
    id: string
    app: string
    name: string
    kind: string
    state: string
    behind: number
    lag_ms: number
    dead_letters: number
    failed_24h: number
    error?: string
  }[]
  quotas: { app: string; quota: string; share: number }[]
  spending: { app: string; service: string; currency: string; spent: number; limit?: number }[]
  apps: { app: string; profiles: number; added_24h: number; updated_24h: number }[]
  health?: HealthView
}

/** Limit: destinations, quotas, apps and reasons of failures in an overview, the most conspicuous first; others are left out. */
const MAX_LISTED = 20
const DAY_HOURS = 24

/** The overview of all apps, or of one. `spending` comes from the caller, `health` is left out for one app. */
export async function overviewOf(
  deps: UsageDeps,
  appId: string | undefined,
  { spending, health }: { spending: SpendingFigure[]; health?: HealthView | undefined },
): Promise<OverviewView> {
  if (appId !== undefined && (await findApp(deps.database, appId)) === undefined)
    throw new ApiError('not_found', `There is no app ${appId}.`)
  const figures = only(await overviewFigures(deps), appId)
  const spent = spending.filter(({ app }) => appId === undefined || app === appId)
  const backup = appId === undefined ? await readLastBackup(deps.database, figures.at) : undefined
  const workers = health?.workers.map(({ lane, state }) => ({ lane, running: state !== 'down' })) ?? []
  return {
    at: figures.at,
    ...(appId === undefined ? {} : { app: appId }),
    attention: findAttention(
      {
        ...figures,
        spending: spent,
        ...(health === undefined ? {} : { health: { checks: health.checks, workers } }),
        oldBackupAt: backup?.old === true ? backup.created_at : undefined,
      },
      { nowMs: figures.at, isFailure: (reason) => isFailure(reason as SyncReason) },
    ),
    profiles: sumProfiles(figures),
    items_per_hour: hoursOf(figures),
    sync: {
      due: figures.due.reduce((sum, { n }) => sum + n, 0),
      lag_ms: Math.max(0, ...figures.due.map(({ since }) => figures.at - since)),
      endpoints: sumReasons(figures),
    },
    failures_24h: sumFailures(figures),
    push: destinationsOf(figures),
    quotas: (await sharesOf(deps, appId))
      .filter(({ share }) => share > 0)
      .sort((a, b) => b.share - a.share)
      .slice(0, MAX_LISTED),
    spending: spent.map(({ limit, ...each }) => ({ ...each, ...(limit === undefined ? {} : { limit }) })),
    apps: appsOf(figures),
    ...(health === undefined ? {} : { health }),
  }
}

export async function healthOf(deps: HealthDeps, version: string, lanes: LaneView[]): Promise<HealthView> {
  const { ready, checks } = await checkReadiness(deps)
  return {
    ready,
    checks,
    version,
    workers: lanes.map(({ lane, pid, ready: isReady, held, memoryBytes, deaths }) => {
      const died = deaths.reduce((sum, { count }) => sum + count, 0)
      return {
        lane,
        state: stateOfLane({ pid, ready: isReady }, died),
        jobs: held,
        memory_bytes: pid === undefined ? 0 : memoryBytes,
        deaths: died,
      }
    }),
  }
}

/** Some lanes start when there is work for them. */
export function stateOfLane({ pid, ready }: Pick<LaneView, 'pid' | 'ready'>, died: number): WorkerState {
  return ready ? 'running' : pid !== undefined ? 'starting' : died > 0 ? 'down' : 'idle'
}

function only(figures: OverviewFigures, appId: string | undefined): OverviewFigures {
  if (appId === undefined) return figures
  const ofApp = <Row extends { appId: string }>(rows: Row[]) => rows.filter((row) => row.appId === appId)
  const { at, profiles, reasons, troubles, due, quotas, destinations, items, failures } = figures
  return {
    at,
    profiles: ofApp(profiles),
    reasons: ofApp(reasons),
    troubles: ofApp(troubles),
    due: ofApp(due),
    quotas: ofApp(quotas),
    destinations: ofApp(destinations),
    items: ofApp(items),
    failures: ofApp(failures),
  }
}

function sumProfiles({ profiles }: OverviewFigures): OverviewView['profiles'] {
  const groups = Map.groupBy(profiles, ({ service, state }) => `${service}\0${state}`)
  return [...groups.values()]
    .map((group) => ({ service: group[0]!.service, state: group[0]!.state, n: total(group, ({ n }) => n) }))
    .sort((a, b) => b.n - a.n)
}

function sumReasons({ reasons }: OverviewFigures): OverviewView['sync']['endpoints'] {
  const groups = Map.groupBy(reasons, ({ service, reason }) => `${service}\0${reason}`)
  return [...groups.values()]
    .map((group) => {
      const { service, reason } = group[0]!
      return { service, reason, failing: isFailure(reason as SyncReason), n: total(group, ({ n }) => n) }
    })
    .sort((a, b) => b.n - a.n)
}

function sumFailures({ failures }: OverviewFigures): OverviewView['failures_24h'] {
  const groups = Map.groupBy(failures, ({ kind, service, outcome, reason }) =>
    [kind, service, outcome, reason].join('\0'),
  )
  return [...groups.values()]
    .map((group) => {
      const { kind, service, outcome, reason } = group[0]!
      const n = total(group, (row) => row.n)
      return {
        kind,
        ...(service === undefined ? {} : { service }),
        outcome,
        ...(reason === undefined ? {} : { reason }),
        n,
      }
    })
    .sort((a, b) => b.n - a.n)
    .slice(0, MAX_LISTED)
}

function hoursOf({ at, items }: OverviewFigures): OverviewView['items_per_hour'] {
  const last = at - (at % HOUR_MS)
  const byHour = Map.groupBy(items, ({ hour }) => hour)
  return Array.from({ length: WEEK_HOURS }, (_, i) => {
    const hour = last - (WEEK_HOURS - 1 - i) * HOUR_MS
    const rows = byHour.get(hour) ?? []
    return { at: hour, added: total(rows, ({ added }) => added), updated: total(rows, ({ updated }) => updated) }
  })
}

function destinationsOf({ at, destinations }: OverviewFigures): OverviewView['push'] {
  const urgency = (each: OverviewFigures['destinations'][number]) =>
    (each.state === 'active' ? 0 : 1e15) + (each.deadLetters > 0 ? 1e14 : 0) + each.failed * 1000 + each.behind
  return destinations
    .toSorted((a, b) => urgency(b) - urgency(a))
    .slice(0, MAX_LISTED)
    .map(({ id, appId, name, kind, state, behind, behindSince, deadLetters, failed, error }) => ({
      id,
      app: appId,
      name,
      kind,
      state,
      behind,
      lag_ms: behindSince === undefined ? 0 : Math.max(0, at - behindSince),
      dead_letters: deadLetters,
      failed_24h: failed,
      ...(error === undefined || state === 'active' ? {} : { error }),
    }))
}

function appsOf({ at, profiles, items }: OverviewFigures): OverviewView['apps'] {
  const since = at - (at % HOUR_MS) - (DAY_HOURS - 1) * HOUR_MS
  const recent = Map.groupBy(
    items.filter(({ hour }) => hour >= since),
    ({ appId }) => appId,
  )
  const counted = Map.groupBy(profiles, ({ appId }) => appId)
  return [...new Set([...counted.keys(), ...recent.keys()])]
    .map((app) => ({
      app,
      profiles: total(counted.get(app) ?? [], ({ n }) => n),
      added_24h: total(recent.get(app) ?? [], ({ added }) => added),
      updated_24h: total(recent.get(app) ?? [], ({ updated }) => updated),
    }))
    .sort((a, b) => b.added_24h - a.added_24h || b.profiles - a.profiles)
    .slice(0, MAX_LISTED)
}

async function sharesOf(deps: UsageDeps, appId: string | undefined): Promise<OverviewView['quotas']> {
  if (appId === undefined) return (await quotaFigures(deps)).used
  const { quotas } = await usageOf(deps, appId)
  return Object.entries(quotas).map(([quota, { used, limit }]) => ({
    app: appId,
    quota,
    share: limit === null ? 0 : limit === 0 ? 1 : used / limit,
  }))
}

function total<Row>(rows: readonly Row[], count: (row: Row) => number): number {
  return rows.reduce((sum, row) => sum + count(row), 0)
}
