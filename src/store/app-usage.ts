import type { Account } from '#model/accounts/account.ts'
import type { Amount } from '#model/apps/quotas.ts'
import { firstOf } from '#platform/formats/list-ends.ts'
import { type Queries, statement } from '#platform/postgres/database.ts'
import { rowsOfShards } from './each-shard.ts'
import { findAccountById } from './identity/accounts.ts'
import type { ProfileKey } from './keys/profile-key.ts'

/** What is stored for one profile of an account, also for one that was merged into another. */
export interface ProfileUsage extends Amount {
  shard: number
  profileId: string
  service: string
  nativeId: string
}

const listOfAccount = statement(
  'usage-account',
  `select p.shard, p.id, p.service, p.native_id, s.items, s.bytes from profile p
   join profile_sync s on s.shard = p.shard and s.profile_id = p.id
   where p.shard = $shard and p.account_id = $accountId`,
)
const sumOfApp = statement(
  'usage-app',
  `select coalesce(sum(items), 0)::bigint as items, coalesce(sum(bytes), 0)::bigint as bytes,
     coalesce(sum(items) filter (where service = $ownService), 0)::bigint as own_items,
     coalesce(sum(bytes) filter (where service = $ownService), 0)::bigint as own_bytes
   from profile_sync where app_id = $appId`,
)
const listStale = statement(
  'usage-stale',
  `select shard, profile_id from profile_sync where coalesce(recounted_at, 0) < $beforeMs
   order by coalesce(recounted_at, 0) limit $limit`,
)
// One statement, so that `seq` and the items are read in the same snapshot.
const countItems = statement(
  'usage-count',
  `select s.seq, c.items, c.bytes from profile_sync s, lateral (
     select count(*) as items, coalesce(sum(octet_length(i.data::text)), 0)::bigint as bytes
     from item i where i.shard = $shard and i.profile_id = $profileId) c
   where s.shard = $shard and s.profile_id = $profileId`,
)
// Every change of items assigns a new `seq`. If it differs, the count is outdated and is not stored.
const storeCount = statement(
  'usage-correct',
  `update profile_sync s set items = $items, bytes = $bytes, recounted_at = $recountedAt
   from (select items, bytes from profile_sync where shard = $shard and profile_id = $profileId) before
   where s.shard = $shard and s.profile_id = $profileId and s.seq = $seq
   returning before.items <> $items or before.bytes <> $bytes as wrong`,
)

interface UsageRow {
  shard: number
  id: string
  service: string
  native_id: string
  items: number
  bytes: number
}

/** By service and id there. */
export async function accountUsage(
  queries: Queries,
  { id: accountId, shards }: Pick<Account, 'id' | 'shards'>,
): Promise<ProfileUsage[]> {
  const rows = await rowsOfShards<UsageRow>(queries, shards, (shard) => listOfAccount.with({ shard, accountId }))
  return rows
    .map(({ id, native_id, ...row }) => ({ ...row, profileId: id, nativeId: native_id }))
    .sort((a, b) => (sortKey(a) < sortKey(b) ? -1 : 1))
}

/** Nothing for an account that was deleted or merged. */
export async function accountUsageById(queries: Queries, accountId: string): Promise<ProfileUsage[]> {
  const account = await findAccountById(queries, accountId)
  return account === undefined ? [] : accountUsage(queries, account)
}

function sortKey({ service, nativeId, profileId }: ProfileUsage): string {
  return [service, nativeId, profileId].join('\0')
}

export function totalOf(amounts: Amount[]): Amount {
  return amounts.reduce<Amount>((sum, { items, bytes }) => ({ items: sum.items + items, bytes: sum.bytes + bytes }), {
    items: 0,
    bytes: 0,
  })
}

/** The usage of an app in total, and of the service `ownService` alone. */
export async function sumApp(
  queries: Queries,
  appId: string,
  ownService: string,
): Promise<{ total: Amount; own: Amount }> {
  const row = firstOf(
    await queries.rows<Amount & { own_items: number; own_bytes: number }>(sumOfApp.with({ appId, ownService })),
  )
  return {
    total: { items: row.items, bytes: row.bytes },
    own: { items: row.own_items, bytes: row.own_bytes },
  }
}

/** Profiles that were never recounted, then those whose recount is oldest. */
export async function staleProfiles(queries: Queries, beforeMs: number, limit: number): Promise<ProfileKey[]> {
  const rows = await queries.rows<{ shard: number; profile_id: string }>(listStale.with({ beforeMs, limit }))
  return rows.map(({ shard, profile_id }) => ({ shard, profileId: profile_id }))
}

export interface Recounted {
  /** The stored count was wrong and has been corrected. */
  wrong: boolean
  items: number
}

/** Undefined when the profile changed meanwhile or was deleted; a later pass recounts it. */
export async function recountProfile(
  queries: Queries,
  { shard, profileId }: ProfileKey,
  nowMs: number,
): Promise<Recounted | undefined> {
  const [counted] = await queries.rows<Amount & { seq: number }>(countItems.with({ shard, profileId }))
  if (counted === undefined) return undefined
  const { seq, items, bytes } = counted
  const values = { shard, profileId, seq, items, bytes, recountedAt: nowMs }
  const [stored] = await queries.rows<{ wrong: boolean }>(storeCount.with(values))
  return stored && { wrong: stored.wrong, items }
}
