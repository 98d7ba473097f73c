import type { Account } from '#model/accounts/account.ts'
import type { Profile, ProfileState } from '#model/accounts/profile.ts'
import { profileName } from '#model/accounts/profile-name.ts'
import { findAccountById } from '#store/identity/accounts.ts'
import { findProfile, listProfiles } from '#store/identity/profiles.ts'
import { type EndpointState, listEndpoints } from '#store/sync/endpoints.ts'
import type { SyncDeps } from './deps.ts'
import { endpointState } from './progress.ts'

/** Whether the first sync is done, and whether something is wrong, of one profile or of an account. */
export const SYNC_STATES = ['first_sync', 'complete', 'failing', 'paused', 'needs_auth'] as const
export type SyncState = (typeof SYNC_STATES)[number]

export interface SyncSummary {
  state: SyncState
  /** When every endpoint had been read to its end for the first time; absent before that. */
  first_completed_at?: number
  items: number
  /** Endpoints that were read to their end once, and all that are read. Those that are switched off do not count. */
  endpoints: { done: number; of: number }
}

export interface SyncOverview extends SyncSummary {
  profiles: ({ profile: string; service: string } & SyncSummary)[]
}

type OverviewDeps = Pick<SyncDeps, 'database'>

/** The sync state of an account: that of its profiles, summed up. */
export async function syncOverview({ database }: OverviewDeps, account: Account): Promise<SyncOverview> {
  // Read again: a client that follows an account loaded it when it began.
  const current = (await findAccountById(database, account.id)) ?? account
  const profiles: SyncOverview['profiles'] = []
  for (const profile of await listProfiles(database, current))
    profiles.push({
      profile: profileName(profile),
      service: profile.service,
      ...(await summaryOf({ database }, profile)),
    })
  return { ...summarize(profiles), profiles }
}

/** The sync state of a profile. */
export async function profileSyncSummary({ database }: OverviewDeps, profile: Profile): Promise<SyncSummary> {
  const current = await findProfile(database, profile.shard, profile.id)
  return summaryOf({ database }, current ?? profile)
}

async function summaryOf({ database }: OverviewDeps, { shard, id, state }: Profile): Promise<SyncSummary> {
  return summarizeEndpoints(await listEndpoints(database, { shard, profileId: id }), state)
}

export function summarizeEndpoints(all: readonly EndpointState[], profileState: ProfileState): SyncSummary {
  const states = all.map((each) => ({ ...each, shown: endpointState(each, profileState === 'paused') }))
  const read = states.filter(({ shown }) => shown !== 'off')
  const done = read.filter(({ firstDoneAt }) => firstDoneAt !== undefined)
  const isDone = done.length === read.length
  const completedAt = Math.max(0, ...done.map(({ firstDoneAt }) => firstDoneAt ?? 0))
  return {
    state: stateOf(read, profileState),
    ...(isDone && completedAt > 0 ? { first_completed_at: completedAt } : {}),
    items: states.reduce((sum, { items }) => sum + items, 0),
    endpoints: { done: done.length, of: read.length },
  }
}

function stateOf(
  read: readonly { shown: ReturnType<typeof endpointState>; firstDoneAt: number | undefined }[],
  profileState: ProfileState,
): SyncState {
  if (profileState === 'needs_auth' || profileState === 'paused') return profileState
  const undone = read.filter(({ firstDoneAt }) => firstDoneAt === undefined)
  if (undone.some(({ shown }) => shown === 'waiting' || shown === 'running')) return 'first_sync'
  if (read.some(({ shown }) => shown === 'failing' || shown === 'parked')) return 'failing'
  return undone.length > 0 ? 'paused' : 'complete'
}

/** What matters most first: an app waits for first syncs, and acts on the others. */
const PRECEDENCE: readonly SyncState[] = ['first_sync', 'needs_auth', 'failing', 'paused']

function summarize(profiles: readonly SyncSummary[]): SyncSummary {
  const times = profiles.map(({ first_completed_at: at }) => at)
  const state = PRECEDENCE.find((each) => profiles.some((profile) => profile.state === each)) ?? 'complete'
  const sum = (count: (profile: SyncSummary) => number) =>
    profiles.reduce((total, profile) => total + count(profile), 0)
  return {
    state,
    ...(times.length === 0 || times.includes(undefined)
      ? {}
      : { first_completed_at: Math.max(...times.map((at) => at ?? 0)) }),
    items: sum(({ items }) => items),
    endpoints: { done: sum(({ endpoints }) => endpoints.done), of: sum(({ endpoints }) => endpoints.of) },
  }
}
