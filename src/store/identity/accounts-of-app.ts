import type { Person, ProfileState } from '#model/profile.ts'
import { firstOf, lastOf } from '#platform/list-ends.ts'
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

const isWanted = `p.merged_into is null and ($service::text is null or p.service = $service)
  and ($state::text is null or p.state = $state)`

// By the index on (app_id, shard, id). Profiles in other shards than their account's, after a merge, are examined after it.
const listPage = statement(
  'account-page',
  `select a.shard, a.id, a.shards, a.created_at, a.merged_into is not null as is_merged,
     ($service::text is null and $state::text is null)
       or exists (select from profile p where p.shard = a.shard and p.account_id = a.id and ${isWanted}) as matches
   from account a where a.app_id = $appId and (a.shard, a.id) > ($afterShard::smallint, $afterId::text)
   order by a.shard, a.id limit $limit`,
)
const findMatch = statement(
  'account-matches',
  `select from profile p where p.shard = $shard and p.account_id = $accountId and ${isWanted} limit 1`,
)
const countAll = statement(
  'account-count',
  'select count(*) as n from account where app_id = $appId and merged_into is null',
)
const countMatches = statement(
  'account-count-matching',
  `select count(distinct p.account_id) as n from profile p where p.app_id = $appId and ${isWanted}`,
)
const listProfilesOf = statement(
  'account-page-profiles',
  `select p.account_id, p.service, p.native_id, p.self, p.state, p.error, p.connected_at, p.synced_at
   from unnest($shards::smallint[], $accountIds::text[]) as wanted (shard, account_id)
   join profile p on p.shard = wanted.shard and p.account_id = wanted.account_id
   where p.merged_into is null order by p.account_id, p.service, p.connected_at, p.id`,
)

interface PageRow {
  shard: number
  id: string
  shards: number[]
  created_at: number
  is_merged: boolean
  matches: boolean
}

type Filter = { [Name in keyof AccountFilter]: AccountFilter[Name] | null }

/** One page in the order of shard and id, and the id after which the next one continues; undefined at the end. */
export async function listAccountsOfApp(
  queries: Queries,
  appId: string,
  { service = null, state = null }: Filter,
  after: { shard: number; id: string },
  limit: number,
): Promise<{ accounts: ListedAccount[]; next: string | undefined }> {
  const filter = { service, state }
  const accounts: ListedAccount[] = []
  let last = after
  // One more than requested shows whether there is a next page. Where some do not match, the rest is examined at once.
  for (let examined = 0, batch = limit + 1; examined < MAX_EXAMINED; batch = MAX_EXAMINED - examined) {
    const position = { afterShard: last.shard, afterId: last.id, limit: batch }
    const rows = await queries.rows<PageRow>(listPage.with({ appId, ...filter, ...position }))
    for (const row of rows) {
      if (row.is_merged || !(row.matches || (await matchesElsewhere(queries, row, filter)))) continue
      if (accounts.length === limit) return { accounts, next: accounts.at(-1)?.id }
      accounts.push({ shard: row.shard, id: row.id, shards: row.shards, createdAt: row.created_at })
    }
    if (rows.length < batch) return { accounts, next: undefined }
    examined += batch
    last = lastOf(rows)
  }
  return { accounts, next: last.id }
}

/** Only a merged account has profiles in other shards. */
async function matchesElsewhere(queries: Queries, account: PageRow, filter: Filter): Promise<boolean> {
  const { service, state } = { service: filter.service ?? null, state: filter.state ?? null }
  for (const shard of account.shards) {
    if (shard === account.shard) continue
    const found = await queries.rows(findMatch.with({ shard, accountId: account.id, service, state }))
    if (found.length > 0) return true
  }
  return false
}

export async function countAccountsOfApp(
  queries: Queries,
  appId: string,
  { service = null, state = null }: Filter,
): Promise<number> {
  const isFiltered = service !== null || state !== null
  const count = isFiltered ? countMatches.with({ appId, service, state }) : countAll.with({ appId })
  return firstOf(await queries.rows<{ n: number }>(count)).n
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
