import type { Person, ProfileState } from '#model/profile.ts'
import { firstOf } from '#platform/list-ends.ts'
import { type Queries, statement } from '#platform/postgres/database.ts'

/** An account of an app, without those that were merged into another. */
export interface ListedAccount {
  shard: number
  id: string
  shards: number[]
  createdAt: number
}

/** Only accounts with such a profile; both must hold for one and the same profile. */
export interface AccountFilter {
  service: string | undefined
  state: ProfileState | undefined
}

/** A profile as lists of accounts show it, without the record of the service. */
export interface ListedProfile {
  accountId: string
  service: string
  nativeId: string
  name: string | undefined
  state: ProfileState
  error: string | undefined
  connectedAt: number
  syncedAt: number | undefined
}

/** Limit: accounts that one request examines for a filter; the next page continues after them. */
const MAX_EXAMINED = 2000

const matches = `a.merged_into is null and (($service::text is null and $state::text is null) or exists (
  select from profile p where p.shard = any(a.shards) and p.account_id = a.id and p.merged_into is null
    and ($service::text is null or p.service = $service) and ($state::text is null or p.state = $state)))`

// By the index on (app_id, shard, id). `last` is a row of its own, also for a page without accounts.
const listPage = statement(
  'account-page',
  `with examined as materialized (
     select shard, id, shards, created_at, merged_into from account a
     where a.app_id = $appId and (a.shard, a.id) > ($afterShard::smallint, $afterId::text)
     order by a.shard, a.id limit ${MAX_EXAMINED}),
   found as (select shard, id, shards, created_at from examined a where ${matches} order by shard, id limit $limit)
   select l.examined, l.last_id, f.shard, f.id, f.shards, f.created_at
   from (select count(*) as examined, (array_agg(id order by shard desc, id desc))[1] as last_id from examined) l
   left join found f on true order by f.shard, f.id`,
)
const countMatches = statement(
  'account-count',
  `select count(*) as n from account a where a.app_id = $appId and ${matches}`,
)
const listProfilesOf = statement(
  'account-page-profiles',
  `select p.account_id, p.service, p.native_id, p.self, p.state, p.error, p.connected_at, p.synced_at
   from unnest($shards::smallint[], $accountIds::text[]) as wanted (shard, account_id)
   join profile p on p.shard = wanted.shard and p.account_id = wanted.account_id
   where p.merged_into is null order by p.account_id, p.service, p.connected_at, p.id`,
)

interface PageRow {
  examined: number
  last_id: string | null
  shard: number | null
  id: string
  shards: number[]
  created_at: number
}

/** One page in the order of shard and id, and the id after which the next one continues; undefined at the end. */
export async function listAccountsOfApp(
  queries: Queries,
  appId: string,
  { service = null, state = null }: { [Name in keyof AccountFilter]: AccountFilter[Name] | null },
  after: { shard: number; id: string },
  limit: number,
): Promise<{ accounts: ListedAccount[]; next: string | undefined }> {
  // One more than requested shows whether there is a next page.
  const values = { appId, service, state, afterShard: after.shard, afterId: after.id, limit: limit + 1 }
  const rows = await queries.rows<PageRow>(listPage.with(values))
  const accounts = rows.flatMap(({ shard, id, shards, created_at: createdAt }) =>
    shard === null ? [] : [{ shard, id, shards, createdAt }],
  )
  if (accounts.length > limit) return { accounts: accounts.slice(0, limit), next: accounts[limit - 1]?.id }
  const { examined, last_id: lastId } = firstOf(rows)
  return { accounts, next: examined === MAX_EXAMINED ? (lastId ?? undefined) : undefined }
}

export async function countAccountsOfApp(
  queries: Queries,
  appId: string,
  { service = null, state = null }: { [Name in keyof AccountFilter]: AccountFilter[Name] | null },
): Promise<number> {
  return firstOf(await queries.rows<{ n: number }>(countMatches.with({ appId, service, state }))).n
}

interface ProfileRow {
  account_id: string
  service: string
  native_id: string
  self: Person
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
    name: row.self.name,
    state: row.state,
    error: row.error ?? undefined,
    connectedAt: row.connected_at,
    syncedAt: row.synced_at ?? undefined,
  }))
}
