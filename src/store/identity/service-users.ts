import { shardFor } from '#platform/crypto/ids.ts'
import { firstOf } from '#platform/formats/list-ends.ts'
import { type Queries, statement } from '#platform/postgres/database.ts'

/** A person at a service, as one app knows them. */
export interface ServiceUser {
  appId: string
  service: string
  nativeId: string
}

/** Limit: accounts stored for one service user of an app; beyond it, the one used longest ago is removed. */
const MAX_ACCOUNTS = 100

// Waits for a concurrent insert of the same row, but does not lock a row that exists.
const insertIfNew = statement(
  'service-user-insert',
  `insert into service_user (shard, app_id, service, native_id, account_ids, used_at)
   values ($shard, $appId, $service, $nativeId, array[$accountId], $usedAt)
   on conflict (shard, app_id, service, native_id) do nothing`,
)
// Locks the row until the transaction ends.
const insertOrLock = statement(
  'service-user-claim',
  `insert into service_user (shard, app_id, service, native_id, account_ids, used_at)
   values ($shard, $appId, $service, $nativeId, array[$accountId], $usedAt)
   on conflict (shard, app_id, service, native_id) do update set used_at = excluded.used_at returning account_ids`,
)
const savepoint = statement('service-user-savepoint', 'savepoint claim')
const undoClaim = statement('service-user-unclaim', 'rollback to savepoint claim')
const isUser = 'shard = $shard and app_id = $appId and service = $service and native_id = $nativeId'
const find = statement('service-user-find', `select account_ids from service_user where ${isUser}`)
// Citus 13.2 takes a slice at the top of an assignment for an assignment to elements, and crashes; hence the `coalesce`.
const moveToFront = statement(
  'service-user-point',
  `insert into service_user (shard, app_id, service, native_id, account_ids, used_at)
   values ($shard, $appId, $service, $nativeId, array[$accountId], $usedAt)
   on conflict (shard, app_id, service, native_id) do update set used_at = excluded.used_at,
     account_ids = coalesce(
       (excluded.account_ids || array_remove(service_user.account_ids, $accountId))[1:${MAX_ACCOUNTS}], '{}')`,
)
const replaceAccount = statement(
  'service-user-merge',
  `update service_user set account_ids = (
     select array_agg(id order by ordinal) from (
       select case when id = $fromAccountId then $toAccountId else id end as id, min(ordinal) as ordinal
       from unnest(account_ids) with ordinality as known (id, ordinal) group by 1) as merged)
   where ${isUser} and $fromAccountId = any(account_ids)`,
)
const removeAccount = statement(
  'service-user-forget',
  `update service_user set account_ids = array_remove(account_ids, $accountId) where ${isUser}`,
)
const deleteUnused = statement('service-user-drop', `delete from service_user where ${isUser} and account_ids = '{}'`)

const insertEmptyOrLock = statement(
  'service-user-lock',
  `insert into service_user (shard, app_id, service, native_id, account_ids, used_at)
   values ($shard, $appId, $service, $nativeId, '{}', $nowMs)
   on conflict (shard, app_id, service, native_id) do update set used_at = service_user.used_at`,
)

const keyOf = ({ appId, service, nativeId }: ServiceUser) => ({
  shard: shardFor(`${appId} ${service} ${nativeId}`),
  appId,
  service,
  nativeId,
})

/** Whether the service user was new. Two concurrent first sign-ins of one person create one account. */
export async function insertServiceUser(
  tx: Queries,
  user: ServiceUser,
  accountId: string,
  nowMs: number,
): Promise<boolean> {
  return (await tx.count(insertIfNew.with({ ...keyOf(user), accountId, usedAt: nowMs }))) > 0
}

/**
 * Locks the service user if none of its accounts satisfies `exists`; otherwise returns false without a lock: accounts are locked before
 * service users. A lock that is taken after a savepoint ends with the return to it.
 */
export async function claimServiceUser(
  tx: Queries,
  user: ServiceUser,
  { accountId, nowMs }: { accountId: string; nowMs: number },
  exists: (accountId: string) => Promise<boolean>,
): Promise<boolean> {
  await tx.count(savepoint)
  const claimed = await tx.rows<{ account_ids: string[] }>(
    insertOrLock.with({ ...keyOf(user), accountId, usedAt: nowMs }),
  )
  for (const id of firstOf(claimed).account_ids) {
    if (id === accountId || !(await exists(id))) continue
    await tx.count(undoClaim)
    return false
  }
  return true
}

/** Waits until every profile of this service user that is being connected is committed. */
export async function awaitConnects(tx: Queries, user: ServiceUser, nowMs: number): Promise<void> {
  await tx.count(insertEmptyOrLock.with({ ...keyOf(user), nowMs }))
  await tx.count(deleteUnused.with(keyOf(user)))
}

/** The accounts that have this service user, the last used first. */
export async function findServiceUser(queries: Queries, user: ServiceUser): Promise<string[]> {
  const [row] = await queries.rows<{ account_ids: string[] }>(find.with(keyOf(user)))
  return row?.account_ids ?? []
}

/** Records that this account used the service user last. */
export async function pointServiceUser(
  tx: Queries,
  user: ServiceUser,
  accountId: string,
  nowMs: number,
): Promise<void> {
  await tx.count(moveToFront.with({ ...keyOf(user), accountId, usedAt: nowMs }))
}

/** One account was merged into another, which takes its position in the order of use. */
export async function mergeServiceUser(tx: Queries, user: ServiceUser, from: string, to: string): Promise<void> {
  await tx.count(replaceAccount.with({ ...keyOf(user), fromAccountId: from, toAccountId: to }))
}

/** The account does not have the service user any more; other accounts may. */
export async function forgetServiceUser(tx: Queries, user: ServiceUser, accountId: string): Promise<void> {
  await tx.count(removeAccount.with({ ...keyOf(user), accountId }))
  await tx.count(deleteUnused.with(keyOf(user)))
}
