import type { Account } from '#model/account.ts'
import { MAX_DEATHS } from '#model/deaths.ts'
import { ApiError } from '#model/errors.ts'
import type { Profile } from '#model/profile.ts'
import { requireAccountById } from '#store/accounts.ts'
import type { Database } from '#store/database.ts'
import { countParkedEndpoints, listParkedEndpoints, type ParkedEndpoint, retryParkedEndpoints } from '#store/deaths.ts'
import { findProfile, findProfileByName } from '#store/profiles.ts'
import { type EndpointState, listEndpoints, makeEndpointsDue, NEVER, resetEndpoints } from '#store/sync-endpoints.ts'
import { lockSchedule, makeProfileDue, overtakeProfile } from '#store/sync-schedule.ts'
import type { SyncNeed } from './need.ts'

export interface EndpointProgress {
  state: 'waiting' | 'running' | 'done' | 'failing' | 'parked' | 'off'
  /** 1 when the first walk is over; before that how far it is, as well as pages can tell. */
  progress: number
  items: number
  pages?: number
  last_run?: number
  next_run: number
  last_error?: string
  /** Items that vanished in a number that nobody believes; kept until confirmed. */
  suspect_deletes?: number
  quarantined?: number
  /** Worker processes that ended while they read this endpoint, since it last ended well. */
  worker_deaths?: number
}

export async function chooseProfile(
  { database, registry }: Pick<SyncNeed, 'database' | 'registry'>,
  account: Account,
  name: string,
): Promise<Profile> {
  const profile = await findProfileByName(database, registry, account, name)
  if (profile === undefined) throw new ApiError('no_profile')
  return profile
}

export async function isThere({ database }: { database: Database }, { part, id }: Profile): Promise<boolean> {
  return (await findProfile(database, part, id)) !== undefined
}

export async function syncProgress(
  { database, clock }: Pick<SyncNeed, 'database' | 'clock'>,
  profile: Profile,
): Promise<Record<string, EndpointProgress>> {
  const states = await listEndpoints(database, { part: profile.part, profileId: profile.id })
  const named = states.map((state): [string, EndpointProgress] => [state.endpoint, describe(state, clock.now())])
  return Object.fromEntries(named.sort(([a], [b]) => (a < b ? -1 : 1)))
}

/** True when every endpoint has been walked to its end once, or has failed trying. */
export function isSettled(progress: Record<string, EndpointProgress>): boolean {
  return Object.values(progress).every(({ state }) => state !== 'waiting' && state !== 'running')
}

/**
 * Asks for a run now. `confirmDeletes`: what its whole walks miss is really gone, however much that is. `retryParked`: endpoints
 * that ended three workers get one more try.
 */
export async function requestSync(
  { database, clock }: Pick<SyncNeed, 'database' | 'clock'>,
  profile: Profile,
  options: { confirmDeletes: boolean; retryParked?: boolean } = { confirmDeletes: false },
): Promise<void> {
  const key = { part: profile.part, profileId: profile.id }
  const now = clock.now()
  await database.transaction(async (tx) => {
    await lockSchedule(tx, key)
    if (options.retryParked === true) await retryParkedEndpoints(tx, key, now)
    await makeEndpointsDue(tx, key, now, options)
    await makeProfileDue(tx, key, now)
  })
}

/** Forgets all cursors: everything is read and written again. A run under way counts no more. */
export async function resetSync(
  { database, clock }: Pick<SyncNeed, 'database' | 'clock'>,
  profile: Profile,
): Promise<void> {
  const key = { part: profile.part, profileId: profile.id }
  const now = clock.now()
  await database.transaction(async (tx) => {
    await overtakeProfile(tx, key, now)
    await retryParkedEndpoints(tx, key, now)
    await resetEndpoints(tx, key, now)
  })
}

function describe(state: EndpointState, nowMs: number): EndpointProgress {
  const walk = state.walk as { pages?: number } | undefined
  const first = state.firstDoneAt !== undefined
  const running = walk !== undefined && state.lastError === undefined
  const pages = walk?.pages ?? 0
  const error = state.lastError ?? leftOut(state)
  return {
    state:
      state.nextRunAt >= NEVER
        ? state.deaths >= MAX_DEATHS
          ? 'parked'
          : 'off'
        : state.lastError !== undefined
          ? 'failing'
          : running
            ? 'running'
            : error !== undefined
              ? 'failing'
              : first
                ? 'done'
                : 'waiting',
    // Services rarely say how much there is; a curve that slows down is honest about not knowing.
    progress: first ? 1 : Math.round((1 - 1 / (1 + pages / 10)) * 100) / 100,
    items: state.items,
    ...(running ? { pages } : {}),
    ...(state.lastRunAt === undefined ? {} : { last_run: state.lastRunAt }),
    next_run: Math.max(state.nextRunAt, state.lastError === undefined ? 0 : nowMs),
    ...(error === undefined ? {} : { last_error: error }),
    ...(state.suspectDeletes > 0 ? { suspect_deletes: state.suspectDeletes } : {}),
    ...(state.quarantined > 0 ? { quarantined: state.quarantined } : {}),
    ...(state.deaths > 0 ? { worker_deaths: state.deaths } : {}),
  }
}

/** Shown until everything is read: stored items are still updated and deleted, new ones wait. */
function leftOut({ leftOut: quota }: EndpointState): string | undefined {
  if (quota === undefined) return undefined
  return `quota_reached: new items are left out, because the quota ${quota} is reached. It goes on when there is room.`
}

export function parkedCount({ database }: Pick<SyncNeed, 'database'>): Promise<number> {
  return countParkedEndpoints(database)
}

/** For operators: endpoints of an app's profiles that ended three workers. */
export function parkedEndpoints(
  { database }: Pick<SyncNeed, 'database'>,
  appId: string,
  after: { profileId: string; endpoint: string },
  limit: number,
): Promise<ParkedEndpoint[]> {
  return listParkedEndpoints(database, appId, after, limit)
}

/** For operators: a profile of any account, by the account's id. */
export async function profileIn(
  need: Pick<SyncNeed, 'database' | 'registry'>,
  accountId: string,
  name: string,
): Promise<Profile> {
  return chooseProfile(need, await requireAccountById(need.database, accountId), name)
}
