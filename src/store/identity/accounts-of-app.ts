import type { Person, ProfileState } from '#model/accounts/profile.ts'
import { shardIn } from '#platform/crypto/ids.ts'
import { firstOf, lastOf } from '#platform/formats/list-ends.ts'
import { type Queries, statement } from '#platform/postgres/database.ts'

/** An account of an app, without those that were merged into another. */
export interface ListedAccount {
  shard: number
  id: string
  shards: number[]
  createdAt: number
}

/** Only accounts with such a profile; all of it must hold for one and the same profile. */
export interface AccountFilter {
  service: string | undefined
  state: ProfileState | undefined
  /** Words of the person or the native id, by `personQuery`. */
  person: string | undefined
  /** An endpoint of the profile was last not read to its end, for one of these reasons. */
  reasons: readonly string[] | undefined
}

/** A profile as lists of accounts show it, without the record of the service. */
export interface ListedProfile {
  accountId: string
  service: string
  nativeId: string
  person: Person
  scope: string | undefined
  state: ProfileState
  error: string | undefined
  connectedAt: number
  syncedAt: number | undefined
}

// By the index on (app_id, shard, id).
const listAll = statement(
  'account-page',
  `select shard, id, shards, created_at from account
   where app_id = $appId and (shard, id) > ($afterShard::smallint, $afterId::text) and merged_into is null
   order by shard, id limit $limit`,
)
const countAll = statement(
  'account-count',
  'select count(*) as n from account where app_id = $appId and merged_into is null',
)

// Filters ask the profiles of the app, whichever shard they are in: ids begin with their shard, so that accounts in the order of their
// ids are in the order of (shard, id). Each filter that has an index of its own has its own statements.
const isWanted = `p.app_id = $appId and p.merged_into is null and p.account_id > $afterId
  and ($service::text is null or p.service = $service) and ($state::text is null or p.state = $state)`
const page = 'group by p.account_id order by p.account_id limit $limit'
const isPerson = 'p.person_terms @@ $person::text::tsquery'
const withReason = `profile p join endpoint_sync e on e.shard = p.shard and e.profile_id = p.id
  where e.last_reason = any($reasons::text[])`
const count = 'select count(distinct p.account_id) as n from'

const listMatches = statement('account-matches', `select p.account_id from profile p where ${isWanted} ${page}`)
// The matches first: in the order of accounts, the planner would rather compare every profile of the app.
const found = 'select account_id from found order by account_id limit $limit'
const listPeople = statement(
  'account-people',
  `with found as materialized (select distinct p.account_id from profile p where ${isPerson} and ${isWanted}) ${found}`,
)
const listReasons = statement(
  'account-reasons',
  `with found as materialized (select distinct p.account_id from ${withReason} and ${isWanted}) ${found}`,
)
const listPeopleWithReasons = statement(
  'account-people-reasons',
  `with found as materialized (select distinct p.account_id from ${withReason} and ${isPerson} and ${isWanted}) ${found}`,
)
const countMatches = statement('account-count-matching', `${count} profile p where ${isWanted}`)
const countPeople = statement('account-count-people', `${count} profile p where ${isPerson} and ${isWanted}`)
const countReasons = statement('account-count-reasons', `${count} ${withReason} and ${isWanted}`)
const countPeopleWithReasons = statement(
  'account-count-people-reasons',
  `${count} ${withReason} and ${isPerson} and ${isWanted}`,
)
const findSome = statement(
  'account-some',
  `select a.shard, a.id, a.shards, a.created_at from unnest($shards::smallint[], $ids::text[]) as wanted (shard, id)
   join account a on a.shard = wanted.shard and a.id = wanted.id
   where a.app_id = $appId and a.merged_into is null order by a.id`,
)
const listProfilesOf = statement(
  'account-page-profiles',
  `select p.account_id, p.service, p.native_id, p.self, p.scope, p.state, p.error, p.connected_at,
     greatest(p.synced_at, s.synced_at) as synced_at
   from unnest($shards::smallint[], $accountIds::text[]) as wanted (shard, account_id)
   join profile p on p.shard = wanted.shard and p.account_id = wanted.account_id
   left join profile_sync s on s.shard = p.shard and s.profile_id = p.id
   where p.merged_into is null order by p.account_id, p.service, p.connected_at, p.id`,
)

interface AccountRow {
  shard: number
  id: string
  shards: number[]
  created_at: number
}

const isFiltered = ({ service, state, person, reasons }: AccountFilter) =>
  [service, state, person, reasons].some((each) => each !== undefined)

/** One page in the order of shard and id, and the id after which the next one continues; undefined at the end. */
export async function listAccountsOfApp(
  queries: Queries,
  appId: string,
  filter: AccountFilter,
  after: { shard: number; id: string },
  limit: number,
): Promise<{ accounts: ListedAccount[]; next: string | undefined }> {
  if (isFiltered(filter)) {
    const ids = await findMatches(queries, appId, filter, after.id, limit + 1)
    const accounts = await findAccountsOfApp(queries, appId, ids.slice(0, limit))
    return { accounts: accounts.map(toListed), next: ids.length > limit ? ids[limit - 1] : undefined }
  }
  const position = { afterShard: after.shard, afterId: after.id, limit: limit + 1 }
  const rows = await queries.rows<AccountRow>(listAll.with({ appId, ...position }))
  const accounts = rows.slice(0, limit).map(toListed)
  return { accounts, next: rows.length > limit ? lastOf(accounts).id : undefined }
}

/** The ids of accounts that match, one more than requested shows whether there is a next page. */
async function findMatches(
  queries: Queries,
  appId: string,
  filter: AccountFilter,
  afterId: string,
  limit: number,
): Promise<string[]> {
  const { service = null, state = null, person, reasons } = filter
  const base = { appId, service, state, afterId, limit }
  const list =
    person === undefined
      ? reasons === undefined
        ? listMatches.with(base)
        : listReasons.with({ ...base, reasons: [...reasons] })
      : reasons === undefined
        ? listPeople.with({ ...base, person })
        : listPeopleWithReasons.with({ ...base, person, reasons: [...reasons] })
  return (await queries.rows<{ account_id: string }>(list)).map(({ account_id: id }) => id)
}

function findAccountsOfApp(queries: Queries, appId: string, ids: string[]): Promise<AccountRow[]> {
  return ids.length === 0
    ? Promise.resolve([])
    : queries.rows<AccountRow>(findSome.with({ appId, shards: ids.map(shardIn), ids }))
}

const toListed = ({ shard, id, shards, created_at: createdAt }: AccountRow): ListedAccount => ({
  shard,
  id,
  shards,
  createdAt,
})

export async function countAccountsOfApp(queries: Queries, appId: string, filter: AccountFilter): Promise<number> {
  const { service = null, state = null, person, reasons } = filter
  const base = { appId, service, state, afterId: '' }
  const counting = !isFiltered(filter)
    ? countAll.with({ appId })
    : person === undefined
      ? reasons === undefined
        ? countMatches.with(base)
        : countReasons.with({ ...base, reasons: [...reasons] })
      : reasons === undefined
        ? countPeople.with({ ...base, person })
        : countPeopleWithReasons.with({ ...base, person, reasons: [...reasons] })
  return firstOf(await queries.rows<{ n: number }>(counting)).n
}

interface ProfileRow {
  account_id: string
  service: string
  native_id: string
  self: Person
  scope: string | null
  state: ProfileState
  error: string | null
  connected_at: number
  synced_at: number | null
}

/** The profiles that people see of these accounts. */
export async function listProfilesOfAccounts(
  queries: Queries,
  accounts: readonly Pick<ListedAccount, 'id' | 'shards'>[],
): Promise<ListedProfile[]> {
  const pairs = accounts.flatMap(({ id, shards }) => shards.map((shard) => ({ id, shard })))
  const values = { shards: pairs.map(({ shard }) => shard), accountIds: pairs.map(({ id }) => id) }
  const rows = await queries.rows<ProfileRow>(listProfilesOf.with(values))
  return rows.map((row) => ({
    accountId: row.account_id,
    service: row.service,
    nativeId: row.native_id,
    person: row.self,
    scope: row.scope ?? undefined,
    state: row.state,
    error: row.error ?? undefined,
    connectedAt: row.connected_at,
    syncedAt: row.synced_at ?? undefined,
  }))
}
