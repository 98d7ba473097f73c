import type { Account } from '#model/accounts/account.ts'
import type { Profile } from '#model/accounts/profile.ts'
import { ApiError } from '#model/errors.ts'
import type { SyncReason } from '#model/sync/sync-reasons.ts'
import type { Database } from '#platform/postgres/database.ts'
import { requireAccountById } from '#store/identity/accounts.ts'
import { findProfile, findProfileByName } from '#store/identity/profiles.ts'
import {
  countParkedEndpoints,
  listParkedEndpoints,
  type ParkedEndpoint,
  retryParkedEndpoints,
} from '#store/sync/deaths.ts'
import { makeEndpointsDue, resetEndpoints } from '#store/sync/endpoint-requests.ts'
import { type EndpointState, listEndpoints, ON_REQUEST } from '#store/sync/endpoints.ts'
import { countFaultsAndQuarantined } from '#store/sync/fault-counts.ts'
import { lockSchedule, makeProfileDue, markRequested, revokeProfileLease } from '#store/sync/schedule.ts'
import { newestFaults, type ShownFault } from './commit/faults.ts'
import { newestRecords, type ShownRecord } from './commit/quarantine.ts'
import type { SyncDeps } from './deps.ts'
import { type EndpointStateName, endpointState } from './endpoint-state.ts'
import { refuseIfPaused } from './pause.ts'

export interface EndpointProgress {
  state: EndpointStateName
  /** 1 when the first walk has ended; before that an estimate from the number of pages. */
  progress: number
  items: number
  pages?: number
  /** While a child endpoint runs: how many parents are done, and how many there were when the round began. */
  parents?: { done: number; of: number }
  last_run?: number
  /** 8e15 or later: it is not scheduled. */
  next_run: number
  /** Why it was not read to its end: one word for code, one sentence for people. */
  last_reason?: SyncReason
  last_error?: string
  /** More missing items than is plausible; kept until confirmed. */
  suspect_deletes?: number
  /** Fields that the connector failed to read: how many, and the newest. */
  faults?: { count: number; latest: ShownFault[] }
  /** Records that could not be stored: how many, and the newest. */
  quarantined?: number
  quarantine?: ShownRecord[]
  /** Worker processes that died while they read this endpoint, since its last success. */
  worker_deaths?: number
  /** While the person has to sign in again: where a link for it is requested. */
  reconnect?: string
}

export async function chooseProfile(
  { database, registry }: Pick<SyncDeps, 'database' | 'registry'>,
  account: Account,
  name: string,
): Promise<Profile> {
  const profile = await findProfileByName(database, registry, account, name)
  if (profile === undefined) throw new ApiError('no_profile')
  return profile
}

export async function isPresent({ database }: { database: Database }, { shard, id }: Profile): Promise<boolean> {
  return (await findProfile(database, shard, id)) !== undefined
}

export async function syncProgress(
  { database, clock }: Pick<SyncDeps, 'database' | 'clock'>,
  profile: Profile,
  options: { reconnect?: string } = {},
): Promise<Record<string, EndpointProgress>> {
  const key = { shard: profile.shard, profileId: profile.id }
  const states = await listEndpoints(database, key)
  // Read again: a client that follows a sync loaded the profile when it began.
  const profileState = (await findProfile(database, profile.shard, profile.id))?.state
  const isPaused = profileState === 'paused'
  const { reconnect } = profileState === 'needs_auth' ? options : {}
  const faults = states.some((state) => state.faults > 0) ? await newestFaults({ database }, key) : undefined
  const records = states.some(({ quarantined }) => quarantined > 0) ? await newestRecords({ database }, key) : undefined
  const named = states.map((state): [string, EndpointProgress] => [
    state.endpoint,
    {
      ...describe(state, { isPaused, nowMs: clock.now() }),
      ...(state.faults > 0 ? { faults: { count: state.faults, latest: faults?.get(state.endpoint) ?? [] } } : {}),
      ...(state.quarantined > 0
        ? { quarantined: state.quarantined, quarantine: records?.get(state.endpoint) ?? [] }
        : {}),
      ...(reconnect === undefined ? {} : { reconnect }),
    },
  ])
  return Object.fromEntries(named.sort(([a], [b]) => (a < b ? -1 : 1)))
}

/** False for an endpoint that is read only when something asks for it. */
export const isScheduled = (nextRun: number): boolean => nextRun < ON_REQUEST

/** True when no endpoint waits for its first walk or runs. */
export function isSettled(progress: Record<string, EndpointProgress>): boolean {
  return Object.values(progress).every(({ state }) => state !== 'waiting' && state !== 'running')
}

/**
 * Makes the profile due now. `confirmDeletes`: items that complete walks do not show are deleted, however many.
 * `retryParked`: parked endpoints are tried once more. `except`: endpoints that stay as they are.
 */
export async function requestSync(
  { database, clock }: Pick<SyncDeps, 'database' | 'clock'>,
  profile: Profile,
  options: {
    confirmDeletes: boolean
    retryParked?: boolean
    retryQuarantined?: boolean
    /** Only these; default: all. */
    endpoints?: readonly string[] | undefined
    except?: readonly string[]
    /** A webhook asks, not a caller: the log shows the run only if it finds something. */
    isHook?: boolean
  } = { confirmDeletes: false },
): Promise<void> {
  refuseIfPaused(profile)
  const key = { shard: profile.shard, profileId: profile.id }
  const now = clock.now()
  await database.transaction(async (tx) => {
    await lockSchedule(tx, key)
    if (options.retryParked === true) await retryParkedEndpoints(tx, key, now)
    await makeEndpointsDue(tx, key, now, {
      confirmDeletes: options.confirmDeletes,
      retryQuarantined: options.retryQuarantined === true,
      endpoints: options.endpoints,
      except: options.except ?? [],
    })
    if (options.isHook !== true) await markRequested(tx, key, now)
    await makeProfileDue(tx, key, now)
  })
}

/** Drops all watermarks and walks: everything is read and written again. Revokes the lease of a run in progress. */
export async function resetSync(
  { database, clock }: Pick<SyncDeps, 'database' | 'clock'>,
  profile: Profile,
): Promise<void> {
  refuseIfPaused(profile)
  const key = { shard: profile.shard, profileId: profile.id }
  const now = clock.now()
  await database.transaction(async (tx) => {
    await revokeProfileLease(tx, key, now)
    await retryParkedEndpoints(tx, key, now)
    await resetEndpoints(tx, key, now)
    await markRequested(tx, key, now)
  })
}

function describe(state: EndpointState, at: { isPaused: boolean; nowMs: number }): EndpointProgress {
  const walk = state.walk as { pages?: number; parents?: number; of?: number } | undefined
  const pages = walk?.pages ?? 0
  const parents = walk?.parents === undefined ? undefined : { done: walk.parents, of: walk.of ?? 0 }
  const progressState = endpointState(state, at.isPaused)
  const why = reasonOf(state)
  return {
    state: progressState,
    progress: state.firstDoneAt === undefined ? shareOf(pages, parents) : 1,
    items: state.items,
    ...(progressState === 'running' ? { pages, ...(parents && { parents }) } : {}),
    ...(state.lastRunAt === undefined ? {} : { last_run: state.lastRunAt }),
    next_run: Math.max(state.nextRunAt, progressState === 'failing' ? at.nowMs : 0),
    ...(why === undefined ? {} : { last_reason: why.reason, last_error: why.error }),
    ...(state.suspectDeletes > 0 ? { suspect_deletes: state.suspectDeletes } : {}),
    ...(state.deaths > 0 ? { worker_deaths: state.deaths } : {}),
  }
}

/** Services rarely say how many pages there are, so this approaches 1 without reaching it; parents are counted. */
function shareOf(pages: number, parents: { done: number; of: number } | undefined): number {
  const share = parents === undefined || parents.of === 0 ? 1 - 1 / (1 + pages / 10) : parents.done / parents.of
  return Math.round(Math.min(share, 0.99) * 100) / 100
}

function reasonOf({
  lastReason,
  lastError,
  leftOut,
}: EndpointState): { reason: SyncReason; error: string } | undefined {
  if (lastReason !== undefined) return { reason: lastReason, error: lastError ?? '' }
  if (leftOut === undefined) return undefined
  // Shown until everything is read: stored items are still updated and deleted.
  const error = `New items are left out: the quota ${leftOut} is reached. The sync continues when the quota allows it.`
  return { reason: 'quota_reached', error }
}

export function parkedCount({ database }: Pick<SyncDeps, 'database'>): Promise<number> {
  return countParkedEndpoints(database)
}

/** For metrics: faults and quarantined records, by service and endpoint. */
export function faultCounts({ database }: Pick<SyncDeps, 'database'>): ReturnType<typeof countFaultsAndQuarantined> {
  return countFaultsAndQuarantined(database)
}

/** For operators: parked endpoints of an app's profiles. */
export function parkedEndpoints(
  { database }: Pick<SyncDeps, 'database'>,
  appId: string,
  after: { profileId: string; endpoint: string },
  limit: number,
): Promise<ParkedEndpoint[]> {
  return listParkedEndpoints(database, appId, after, limit)
}

/** For operators: a profile of any account, by the account's id. */
export async function profileIn(
  deps: Pick<SyncDeps, 'database' | 'registry'>,
  accountId: string,
  name: string,
): Promise<Profile> {
  return chooseProfile(deps, await requireAccountById(deps.database, accountId), name)
}
