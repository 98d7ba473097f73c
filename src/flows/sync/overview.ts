import type { Account } from '#model/accounts/account.ts'
import type { Profile, ProfileState } from '#model/accounts/profile.ts'
import { profileName } from '#model/accounts/profile-name.ts'
import { findAccountById } from '#store/identity/accounts.ts'
import { findProfile, listProfiles } from '#store/identity/profiles.ts'
import { type EndpointState, listEndpointsWithFirst } from '#store/sync/endpoints.ts'
import type { SyncDeps } from './deps.ts'
import { endpointState, firstDoneAt } from './endpoint-state.ts'

/** Whether the first sync is done, and whether something is wrong, of one profile or of an account. `off`: nothing is read. */
export const SYNC_STATES = ['first_sync', 'complete', 'failing', 'paused', 'needs_auth', 'off'] as const
export type SyncState = (typeof SYNC_STATES)[number]

/** Why an endpoint is off: the app has to accept its price, the person did not grant it, or the app switched it off. */
export const OFF_REASONS = ['priced', 'scope_missing', 'switched_off'] as const
type OffReason = (typeof OFF_REASONS)[number]

export interface SyncSummary {
  state: SyncState
  /** When everything that can be read had been read to its end for the first time, as the event says it; absent before that. */
  first_completed_at?: number
  items: number
  /** Endpoints that were read to their end once, and all that are read. */
  endpoints: { done: number; of: number }
  /** Endpoints that are off and do not count, by the reason. */
  off?: Partial<Record<OffReason, number>>
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
  const { states, firstCompletedAt } = await listEndpointsWithFirst(database, { shard, profileId: id })
  return summarizeEndpoints(states, state, firstCompletedAt)
}

function summarizeEndpoints(
  all: readonly EndpointState[],
  profileState: ProfileState,
  firstCompletedAt: number | undefined,
): SyncSummary {
  const states = all.map((each) => ({ ...each, shown: endpointState(each, profileState === 'paused') }))
  const read = states.filter(({ shown }) => shown !== 'off')
  const off = countReasons(states.filter(({ shown }) => shown === 'off'))
  const done = read.filter(({ firstDoneAt }) => firstDoneAt !== undefined)
  // Profiles of older releases have no time of their own.
  const completedAt = firstCompletedAt || firstDoneAt(read)
  return {
    state: all.length > 0 && read.length === 0 ? stateOfNothing(profileState) : stateOf(read, profileState),
    ...(completedAt === undefined ? {} : { first_completed_at: completedAt }),
    items: states.reduce((sum, { items }) => sum + items, 0),
    endpoints: { done: done.length, of: read.length },
    ...(off === undefined ? {} : { off }),
  }
}

/** Nothing is read: the app did not accept the price, or the person granted nothing that there is an endpoint for. */
const stateOfNothing = (profileState: ProfileState): SyncState =>
  profileState === 'needs_auth' || profileState === 'paused' ? profileState : 'off'

function countReasons(off: readonly EndpointState[]): SyncSummary['off'] {
  if (off.length === 0) return undefined
  const reasons = Map.groupBy(
    off,
    ({ lastReason }) => OFF_REASONS.find((each) => each === lastReason) ?? 'switched_off',
  )
  return Object.fromEntries([...reasons].map(([reason, { length }]) => [reason, length]))
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
  // What is off does not count, nor what has nothing to read, such as the items of the person's own.
  const counted = profiles.filter(({ state, endpoints }) => state === 'off' || endpoints.of > 0)
  const read = counted.filter(({ state }) => state !== 'off')
  const times = read.map(({ first_completed_at: at }) => at)
  const isOff = counted.length > 0 && read.length === 0
  const state = PRECEDENCE.find((each) => profiles.some((profile) => profile.state === each))
  const sum = (count: (profile: SyncSummary) => number) =>
    profiles.reduce((total, profile) => total + count(profile), 0)
  const off = OFF_REASONS.map((reason) => [reason, sum((profile) => profile.off?.[reason] ?? 0)] as const).filter(
    ([, n]) => n > 0,
  )
  return {
    state: state ?? (isOff ? 'off' : 'complete'),
    ...(times.length === 0 || times.includes(undefined)
      ? {}
      : { first_completed_at: Math.max(...times.map((at) => at ?? 0)) }),
    items: sum(({ items }) => items),
    endpoints: { done: sum(({ endpoints }) => endpoints.done), of: sum(({ endpoints }) => endpoints.of) },
    ...(off.length === 0 ? {} : { off: Object.fromEntries(off) }),
  }
}
