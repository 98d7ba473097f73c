import { shardFor } from '#platform/ids.ts'
import { firstOf } from '#platform/list-ends.ts'
import { type Queries, statement } from '#platform/postgres/database.ts'

/** A person at a service, as one app knows them. */
export interface ServiceUser {
  appId: string
  service: string
  nativeId: string
}

/** Limit: accounts remembered for one service user of an app; then the oldest is forgotten. */
const MAX_ACCOUNTS = 100

// The row is held until the transaction ends, so that two first sign-ins of one person end in one account.
const claim = statement(
  'service-user-claim',
  `insert into service_user (shard, app_id, service, native_id, account_ids, used_at) values ($1, $2, $3, $4, array[$5], $6)
   on conflict (shard, app_id, service, native_id) do update set used_at = excluded.used_at returning account_ids`,
)
const find = statement(
  'service-user-find',
  'select account_ids from service_user where shard = $1 and app_id = $2 and service = $3 and native_id = $4',
)
const point = statement(
  'service-user-point',
  `insert into service_user (shard, app_id, service, native_id, account_ids, used_at) values ($1, $2, $3, $4, array[$5], $6)
   on conflict (shard, app_id, service, native_id) do update set used_at = excluded.used_at,
     account_ids = (excluded.account_ids || array_remove(service_user.account_ids, $5))[1:${MAX_ACCOUNTS}]`,
)
const merge = statement(
  'service-user-merge',
  `update service_user set account_ids = (
     select array_agg(id order by place) from (
       select case when id = $5 then $6 else id end as id, min(place) as place
       from unnest(account_ids) with ordinality as known (id, place) group by 1) as merged)
   where shard = $1 and app_id = $2 and service = $3 and native_id = $4 and $5 = any(account_ids)`,
)
const forget = statement(
  'service-user-forget',
  `update service_user set account_ids = array_remove(account_ids, $5)
   where shard = $1 and app_id = $2 and service = $3 and native_id = $4`,
)
const drop = statement(
  'service-user-drop',
  `delete from service_user where shard = $1 and app_id = $2 and service = $3 and native_id = $4 and account_ids = '{}'`,
)

const key = ({ appId, service, nativeId }: ServiceUser) =>
  [shardFor(`${appId} ${service} ${nativeId}`), appId, service, nativeId] as const

/** The accounts that have this service user, the last used first; the given one alone if there is none yet. */
export async function claimServiceUser(
  tx: Queries,
  user: ServiceUser,
  accountId: string,
  nowMs: number,
): Promise<string[]> {
  return firstOf(await tx.rows<{ account_ids: string[] }>(claim, [...key(user), accountId, nowMs])).account_ids
}

/** The accounts that have this service user, the last used first. */
export async function findServiceUser(queries: Queries, user: ServiceUser): Promise<string[]> {
  const [row] = await queries.rows<{ account_ids: string[] }>(find, [...key(user)])
  return row?.account_ids ?? []
}

/** This account used it last. */
export async function pointServiceUser(
  tx: Queries,
  user: ServiceUser,
  accountId: string,
  nowMs: number,
): Promise<void> {
  await tx.count(point, [...key(user), accountId, nowMs])
}

/** One account took over from another: whoever used the service user last before, did so after. */
export async function mergeServiceUser(tx: Queries, user: ServiceUser, from: string, to: string): Promise<void> {
  await tx.count(merge, [...key(user), from, to])
}

/** The account has it no longer; others that do are found again. */
export async function forgetServiceUser(tx: Queries, user: ServiceUser, accountId: string): Promise<void> {
  await tx.count(forget, [...key(user), accountId])
  await tx.count(drop, [...key(user)])
}
