import type { Account } from '#model/account.ts'
import { mayBecome, type Person, type Profile, type ProfileState, statesBefore } from '#model/profile.ts'
import { isNamed, parseProfileName, type ServiceNames } from '#model/profile-name.ts'
import { shardOf } from '#platform/ids.ts'
import { type Queries, statement } from '#platform/postgres/database.ts'

interface Row {
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
  synced_at: number | null
}

const columns =
  'shard, id, account_id, app_id, service, native_id, state, paused_at, state_until, error, scope, self, data::text as data, connected_at, synced_at'
const list = statement(
  'profile-list',
  `select ${columns} from profile where shard = any($1) and account_id = $2 and merged_into is null order by service, connected_at, id`,
)
const listAll = statement(
  'profile-list-all',
  `select ${columns} from profile where shard = any($1) and account_id = $2 order by service, connected_at, id`,
)
const ofApp = statement(
  'profile-of-app',
  `select ${columns
    .split(', ')
    .map((column) => `p.${column}`)
    .join(', ')} from profile_sync s join profile p on p.shard = s.shard and p.id = s.profile_id
   where s.app_id = $1 and s.profile_id > $2 order by s.profile_id limit $3`,
)
const find = statement('profile-find', `select ${columns} from profile where shard = $1 and id = $2`)
const duplicate = statement(
  'profile-twin',
  'select merged_into from profile where shard = $1 and id = $2 and merged_into <> id',
)
const insert = statement(
  'profile-insert',
  `insert into profile (shard, id, account_id, app_id, service, native_id, state, scope, self, data, connected_at)
   values ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11)`,
)
const reconnect = statement(
  'profile-reconnect',
  `update profile set state = case when paused_at is null then $3 else 'paused' end, state_until = null, error = null,
     scope = $4, self = $5, data = $6, connected_at = $7 where shard = $1 and id = $2 returning state`,
)
const setState = statement(
  'profile-state',
  'update profile set state = $3, state_until = $4, error = $5 where shard = $1 and id = $2 and state = any($6)',
)
// Who has to sign in again must still be seen to: then only the wish is kept.
const pause = statement(
  'profile-pause',
  `update profile set paused_at = $3, state = case when state = any($4) then 'paused' else state end, state_until = null
   where shard = $1 and id = $2 and paused_at is null returning state`,
)
const resume = statement(
  'profile-resume',
  `update profile set paused_at = null, state = case when state = 'paused' then $3 else state end
   where shard = $1 and id = $2 and paused_at is not null returning state`,
)
const synced = statement('profile-synced', 'update profile set synced_at = $3 where shard = $1 and id = $2')
const moveAll = statement(
  'profile-move',
  'update profile set account_id = $3 where shard = any($1) and account_id = $2',
)
const mergeInto = statement(
  'profile-fold',
  'update profile set merged_into = $4 where shard = any($1) and account_id = $2 and (id = $3 or merged_into = $3)',
)
const remove = statement(
  'profile-delete',
  'delete from profile where shard = $1 and (id = $2 or (account_id = $3 and merged_into = $2)) returning id',
)

/** The profiles that people see; those that a merge folded into another only keep their items. */
export async function listProfiles(queries: Queries, account: Account): Promise<Profile[]> {
  return (await queries.rows<Row>(list, [account.shards, account.id])).map(toProfile)
}

/** Those that `service` or `id@service` names exactly. */
export async function listProfilesByName(
  queries: Queries,
  services: ServiceNames,
  account: Account,
  name: string,
): Promise<Profile[]> {
  const wanted = parseProfileName(services, name)
  return wanted === undefined
    ? []
    : (await listProfiles(queries, account)).filter((profile) => isNamed(wanted, profile))
}

/** The one that `service` or `id@service` names exactly; of several at a service, the one connected last. */
export async function findProfileByName(
  queries: Queries,
  services: ServiceNames,
  account: Account,
  name: string,
): Promise<Profile | undefined> {
  const found = await listProfilesByName(queries, services, account, name)
  return found.reduce<Profile | undefined>(
    (latest, each) => (latest === undefined || each.connectedAt > latest.connectedAt ? each : latest),
    undefined,
  )
}

/** All rows, folded ones too: their items are the account's. */
export async function listAllProfiles(queries: Queries, account: Account): Promise<Profile[]> {
  return (await queries.rows<Row>(listAll, [account.shards, account.id])).map(toProfile)
}

/** Every profile of an app, a page at a time; `after` is the id of the last one seen. */
export async function listAppProfiles(
  queries: Queries,
  appId: string,
  after: string | undefined,
  limit: number,
): Promise<Profile[]> {
  return (await queries.rows<Row>(ofApp, [appId, after ?? '', limit])).map(toProfile)
}

export async function findProfile(queries: Queries, shard: number, id: string): Promise<Profile | undefined> {
  const [row] = await queries.rows<Row>(find, [shard, id])
  return row && toProfile(row)
}

/** The profile that this one was folded into, if any: both hold items of one service user. */
export async function findDuplicate(
  queries: Queries,
  profile: Pick<Profile, 'shard' | 'id'>,
): Promise<{ shard: number; profileId: string } | undefined> {
  const [row] = await queries.rows<{ merged_into: string }>(duplicate, [profile.shard, profile.id])
  if (row === undefined) return undefined
  const shard = shardOf(row.merged_into)
  return shard === undefined ? undefined : { shard, profileId: row.merged_into }
}

export async function insertProfile(tx: Queries, profile: Profile): Promise<void> {
  await tx.count(insert, [
    profile.shard,
    profile.id,
    profile.accountId,
    profile.appId,
    profile.service,
    profile.nativeId,
    profile.state,
    profile.scope ?? null,
    JSON.stringify(profile.person),
    profile.data,
    profile.connectedAt,
  ])
}

/** The same service user signed in again: same profile, fresh record. Gives its state: a pause goes on. */
export async function reconnectProfile(tx: Queries, profile: Profile): Promise<ProfileState> {
  const [row] = await tx.rows<{ state: ProfileState }>(reconnect, [
    profile.shard,
    profile.id,
    profile.state,
    profile.scope ?? null,
    JSON.stringify(profile.person),
    profile.data,
    profile.connectedAt,
  ])
  return row?.state ?? profile.state
}

/**
 * False when the profile is not in a state that may become the new one. `from` is the state in which the caller found it: whoever
 * changed it since knows more. Without it, any other state that may lead there will do.
 */
export async function setProfileState(
  queries: Queries,
  profile: Pick<Profile, 'shard' | 'id'>,
  change: { state: ProfileState; from?: ProfileState; until?: number; error?: string },
): Promise<boolean> {
  const { state, from, until, error } = change
  if (from !== undefined && !mayBecome(from, state)) return false
  const before = from === undefined ? statesBefore(state) : [from]
  return (await queries.count(setState, [profile.shard, profile.id, state, until ?? null, error ?? null, before])) > 0
}

/** Undefined when it is paused already, or gone. */
export async function pauseProfile(
  tx: Queries,
  profile: Pick<Profile, 'shard' | 'id'>,
  nowMs: number,
): Promise<ProfileState | undefined> {
  const shown = statesBefore('paused').filter((state) => state !== 'needs_auth')
  const [row] = await tx.rows<{ state: ProfileState }>(pause, [profile.shard, profile.id, nowMs, shown])
  return row?.state
}

/** Undefined when it was not paused, or is gone. */
export async function resumeProfile(
  tx: Queries,
  profile: Pick<Profile, 'shard' | 'id'>,
  to: 'active' | 'connecting',
): Promise<ProfileState | undefined> {
  const [row] = await tx.rows<{ state: ProfileState }>(resume, [profile.shard, profile.id, to])
  return row?.state
}

/** Something of it was read to its end. */
export async function markSynced(
  queries: Queries,
  profile: Pick<Profile, 'shard' | 'id'>,
  nowMs: number,
): Promise<void> {
  await queries.count(synced, [profile.shard, profile.id, nowMs])
}

/** Every profile of one account to another, folded ones too: its cost is the number of profiles, never of items. */
export async function moveProfiles(tx: Queries, from: Account, to: Account): Promise<number> {
  return tx.count(moveAll, [from.shards, from.id, to.id])
}

/** With those that were folded into it before, so that all of them hang under the one that people see. */
export async function mergeProfileInto(tx: Queries, shards: number[], profile: Profile, into: Profile): Promise<void> {
  await tx.count(mergeInto, [shards, profile.accountId, profile.id, into.id])
}

/** With those that were folded into it; gives all that went. */
export async function deleteProfile(
  tx: Queries,
  profile: Profile,
  shards: number[],
): Promise<{ shard: number; profileId: string }[]> {
  const gone: { shard: number; profileId: string }[] = []
  for (const shard of shards) {
    const rows = await tx.rows<{ id: string }>(remove, [shard, profile.id, profile.accountId])
    gone.push(...rows.map(({ id }) => ({ shard, profileId: id })))
  }
  return gone
}

function toProfile(row: Row): Profile {
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
    syncedAt: row.synced_at ?? undefined,
  }
}
