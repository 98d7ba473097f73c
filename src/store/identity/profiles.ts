import type { Account } from '#model/accounts/account.ts'
import {
  byLastConnected,
  mayBecome,
  type Person,
  type Profile,
  type ProfileState,
  statesBefore,
} from '#model/accounts/profile.ts'
import { isNamed, parseProfileName, type ServiceNames } from '#model/accounts/profile-name.ts'
import { shardOf } from '#platform/crypto/ids.ts'
import { type Queries, statement } from '#platform/postgres/database.ts'
import { countInShards, rowsOfShards } from '../each-shard.ts'
import { personTerms } from './person-terms.ts'

export interface ProfileRow {
  shard: number
  id: string
  account_id: string
  app_id: string
  service: string
  native_id: string
  state: ProfileState
  paused_at: number | null
  state_until: number | null
  error: string | null
  scope: string | null
  self: Person
  data: string
  connected_at: number
  updated_at: number
  synced_at: number | null
}

/** Of a profile `p` and its schedule `s`. */
export const PROFILE_COLUMNS = `p.shard, p.id, p.account_id, p.app_id, p.service, p.native_id, p.state, p.paused_at, p.state_until,
  p.error, p.scope, p.self, p.data::text as data, p.connected_at,
  coalesce(p.updated_at, p.connected_at) as updated_at, greatest(p.synced_at, s.synced_at) as synced_at`
/** A process of the release before still writes `synced_at` of the profile. */
export const PROFILE_WITH_SCHEDULE = 'profile p left join profile_sync s on s.shard = p.shard and s.profile_id = p.id'
const list = statement(
  'profile-list',
  `select ${PROFILE_COLUMNS} from ${PROFILE_WITH_SCHEDULE}
   where p.shard = $shard and p.account_id = $accountId and p.merged_into is null`,
)
const listAll = statement(
  'profile-list-all',
  `select ${PROFILE_COLUMNS} from ${PROFILE_WITH_SCHEDULE} where p.shard = $shard and p.account_id = $accountId`,
)
const listOfApp = statement(
  'profile-of-app',
  `select ${PROFILE_COLUMNS} from profile_sync s join profile p on p.shard = s.shard and p.id = s.profile_id
   where s.app_id = $appId and s.profile_id > $after order by s.profile_id limit $limit`,
)
const find = statement(
  'profile-find',
  `select ${PROFILE_COLUMNS} from ${PROFILE_WITH_SCHEDULE} where p.shard = $shard and p.id = $id`,
)
const findMergedInto = statement(
  'profile-duplicate',
  'select merged_into from profile where shard = $shard and id = $id and merged_into <> id',
)
const insert = statement(
  'profile-insert',
  `insert into profile (shard, id, account_id, app_id, service, native_id, state, scope, self, data, person_terms,
     connected_at, updated_at)
   values ($shard, $id, $accountId, $appId, $service, $nativeId, $state, $scope, $self, $data, $terms::text::tsvector,
     $connectedAt, $updatedAt)`,
)
const reconnect = statement(
  'profile-reconnect',
  `update profile set state = case when paused_at is null then $state else 'paused' end, state_until = null,
     error = null, scope = $scope, self = $self, data = $data, person_terms = $terms::text::tsvector,
     connected_at = $connectedAt, updated_at = $updatedAt
   where shard = $shard and id = $id returning state`,
)
const setPerson = statement(
  'profile-person',
  `update profile set self = $self, data = $data, person_terms = $terms::text::tsvector, updated_at = $updatedAt
   where shard = $shard and id = $id`,
)
const setState = statement(
  'profile-state',
  `update profile set state = $state, state_until = $stateUntil, error = $error
   where shard = $shard and id = $id and state = any($statesBefore)`,
)
// A profile that needs a new sign-in keeps that state, so that people still see it; only the pause is stored.
const pause = statement(
  'profile-pause',
  `update profile set paused_at = $pausedAt, state_until = null,
     state = case when state = any($replacedStates) then 'paused' else state end
   where shard = $shard and id = $id and paused_at is null returning state`,
)
const resume = statement(
  'profile-resume',
  `update profile set paused_at = null, state = case when state = 'paused' then $state else state end
   where shard = $shard and id = $id and paused_at is not null returning state`,
)
const moveAll = statement(
  'profile-move',
  'update profile set account_id = $toAccountId where shard = $shard and account_id = $fromAccountId',
)
const setMergedInto = statement(
  'profile-merge-into',
  `update profile set merged_into = $mergedInto
   where shard = $shard and account_id = $accountId and (id = $id or merged_into = $id)`,
)
const remove = statement(
  'profile-delete',
  `delete from profile where shard = $shard and (id = $id or (account_id = $accountId and merged_into = $id))
   returning id`,
)

/** The profiles that people see, without those that were merged into another and only keep their items. */
export async function listProfiles(queries: Queries, account: Account): Promise<Profile[]> {
  const rows = await rowsOfShards<ProfileRow>(queries, account.shards, (shard) =>
    list.with({ shard, accountId: account.id }),
  )
  return rows.sort(inOrder).map(toProfile)
}

/** The profiles that `service` or `id@service` names exactly. */
export async function listProfilesByName(
  queries: Queries,
  services: ServiceNames,
  account: Account,
  name: string,
): Promise<Profile[]> {
  const parsed = parseProfileName(services, name)
  return parsed === undefined
    ? []
    : (await listProfiles(queries, account)).filter((profile) => isNamed(parsed, profile))
}

/** The profile that `service` or `id@service` names exactly; of several at a service, the one connected last. */
export async function findProfileByName(
  queries: Queries,
  services: ServiceNames,
  account: Account,
  name: string,
): Promise<Profile | undefined> {
  return (await listProfilesByName(queries, services, account, name)).sort(byLastConnected)[0]
}

/** With those that were merged into another: their items belong to the account, too. */
export async function listAllProfiles(queries: Queries, account: Account): Promise<Profile[]> {
  const { id: accountId, shards } = account
  const rows = await rowsOfShards<ProfileRow>(queries, shards, (shard) => listAll.with({ shard, accountId }))
  return rows.sort(inOrder).map(toProfile)
}

/** Every profile of an app, a page at a time; `after` is the id of the last one seen. */
export async function listAppProfiles(
  queries: Queries,
  appId: string,
  after: string | undefined,
  limit: number,
): Promise<Profile[]> {
  return (await queries.rows<ProfileRow>(listOfApp.with({ appId, after: after ?? '', limit }))).map(toProfile)
}

export async function findProfile(queries: Queries, shard: number, id: string): Promise<Profile | undefined> {
  const [row] = await queries.rows<ProfileRow>(find.with({ shard, id }))
  return row && toProfile(row)
}

/** The profile that this one was merged into, if any: both have items of the same service user. */
export async function findDuplicate(
  queries: Queries,
  profile: Pick<Profile, 'shard' | 'id'>,
): Promise<{ shard: number; profileId: string } | undefined> {
  const values = { shard: profile.shard, id: profile.id }
  const [row] = await queries.rows<{ merged_into: string }>(findMergedInto.with(values))
  if (row === undefined) return undefined
  const shard = shardOf(row.merged_into)
  return shard === undefined ? undefined : { shard, profileId: row.merged_into }
}

export async function insertProfile(tx: Queries, profile: Profile): Promise<void> {
  const { shard, id, accountId, appId, service, nativeId, state, scope = null, data } = profile
  const { connectedAt, updatedAt } = profile
  const self = JSON.stringify(profile.person)
  const who = { shard, id, accountId, appId, service, nativeId }
  const terms = personTerms(profile, profile.person)
  await tx.count(insert.with({ ...who, state, scope, self, data, terms, connectedAt, updatedAt }))
}

/** The same service user signed in again: updates the profile. Returns its state, because a pause continues. */
export async function reconnectProfile(tx: Queries, profile: Profile): Promise<ProfileState> {
  const { shard, id, state, scope = null, data, connectedAt, updatedAt } = profile
  const person = { self: JSON.stringify(profile.person), data, terms: personTerms(profile, profile.person) }
  const values = { shard, id, state, scope, ...person, connectedAt, updatedAt }
  const [row] = await tx.rows<{ state: ProfileState }>(reconnect.with(values))
  return row?.state ?? state
}

/** The service's record of the person has changed. */
export async function updatePerson(
  tx: Queries,
  profile: Pick<Profile, 'shard' | 'id' | 'appId' | 'nativeId'>,
  person: Person,
  data: string,
  nowMs: number,
): Promise<void> {
  const self = JSON.stringify(person)
  const terms = personTerms(profile, person)
  await tx.count(setPerson.with({ shard: profile.shard, id: profile.id, self, data, terms, updatedAt: nowMs }))
}

/**
 * False when the profile's state may not change to the new one. `from` is the state that the caller has read: a change
 * since then is newer and wins. Without `from`, every state that may change to the new one is replaced.
 */
export async function setProfileState(
  queries: Queries,
  profile: Pick<Profile, 'shard' | 'id'>,
  change: { state: ProfileState; from?: ProfileState; until?: number; error?: string },
): Promise<boolean> {
  const { state, from, until, error } = change
  if (from !== undefined && !mayBecome(from, state)) return false
  const values = {
    shard: profile.shard,
    id: profile.id,
    state,
    stateUntil: until ?? null,
    error: error ?? null,
    statesBefore: from === undefined ? statesBefore(state) : [from],
  }
  return (await queries.count(setState.with(values))) > 0
}

/** Undefined when the profile is paused already or deleted. */
export async function pauseProfile(
  tx: Queries,
  profile: Pick<Profile, 'shard' | 'id'>,
  nowMs: number,
): Promise<ProfileState | undefined> {
  const replacedStates = statesBefore('paused').filter((state) => state !== 'needs_auth')
  const values = { shard: profile.shard, id: profile.id, pausedAt: nowMs, replacedStates }
  const [row] = await tx.rows<{ state: ProfileState }>(pause.with(values))
  return row?.state
}

/** Undefined when the profile was not paused or is deleted. */
export async function resumeProfile(
  tx: Queries,
  profile: Pick<Profile, 'shard' | 'id'>,
  state: 'active' | 'connecting',
): Promise<ProfileState | undefined> {
  const values = { shard: profile.shard, id: profile.id, state }
  const [row] = await tx.rows<{ state: ProfileState }>(resume.with(values))
  return row?.state
}

/** Moves every profile of an account, also merged ones. The cost depends on the number of profiles, not of items. */
export async function moveProfiles(tx: Queries, from: Account, to: Account): Promise<number> {
  return countInShards(tx, from.shards, (shard) => moveAll.with({ shard, fromAccountId: from.id, toAccountId: to.id }))
}

/** With those that were merged into it before, so that all of them refer to the one that people see. */
export async function mergeProfileInto(tx: Queries, shards: number[], profile: Profile, into: Profile): Promise<void> {
  const { id, accountId } = profile
  await countInShards(tx, shards, (shard) => setMergedInto.with({ shard, accountId, id, mergedInto: into.id }))
}

/** With those that were merged into it. Returns all deleted profiles. */
export async function deleteProfile(
  tx: Queries,
  profile: Profile,
  shards: number[],
): Promise<{ shard: number; profileId: string }[]> {
  const deleted: { shard: number; profileId: string }[] = []
  for (const shard of shards) {
    const values = { shard, id: profile.id, accountId: profile.accountId }
    const rows = await tx.rows<{ id: string }>(remove.with(values))
    deleted.push(...rows.map(({ id }) => ({ shard, profileId: id })))
  }
  return deleted
}

/** By service, the one connected first before the others. */
function inOrder(a: ProfileRow, b: ProfileRow): number {
  if (a.service !== b.service) return a.service < b.service ? -1 : 1
  return a.connected_at - b.connected_at || (a.id < b.id ? -1 : 1)
}

export function toProfile(row: ProfileRow): Profile {
  return {
    shard: row.shard,
    id: row.id,
    accountId: row.account_id,
    appId: row.app_id,
    service: row.service,
    nativeId: row.native_id,
    state: row.state,
    pausedAt: row.paused_at ?? undefined,
    stateUntil: row.state_until ?? undefined,
    error: row.error ?? undefined,
    scope: row.scope ?? undefined,
    person: row.self,
    data: row.data,
    connectedAt: row.connected_at,
    updatedAt: row.updated_at,
    syncedAt: row.synced_at ?? undefined,
  }
}
