import { shardFor } from '#platform/crypto/ids.ts'
import { type Queries, statement } from '#platform/postgres/database.ts'
import { type Batch, deleteBatch, deleteSome } from '../delete-in-batches.ts'
import type { ServiceUser } from './service-users.ts'

const isUser = 'shard = $shard and app_id = $appId and service = $service and native_id = $nativeId'
const insert = statement(
  'grant-revocation-begin',
  `insert into grant_revocation (shard, app_id, service, native_id, id, until)
   values ($shard, $appId, $service, $nativeId, $id, $until)`,
)
const end = statement(
  'grant-revocation-end',
  `update grant_revocation set ended_at = $endedAt where ${isUser} and id = $id`,
)
const findSince = statement(
  'grant-revocation-since',
  `select ended_at is null and until > $nowMs as running from grant_revocation
   where ${isUser} and coalesce(ended_at, until) >= $sinceMs order by running desc limit 1`,
)
const purge = statement(
  'grant-revocation-purge',
  deleteSome('grant_revocation', 'shard, app_id, service, native_id, id', 'until < $before'),
)

const keyOf = ({ appId, service, nativeId }: ServiceUser) => ({
  shard: shardFor(`${appId} ${service} ${nativeId}`),
  appId,
  service,
  nativeId,
})

/** Announces that every token of a service user is about to be ended; `until` bounds it if this process dies. */
export async function beginGrantRevocation(
  queries: Queries,
  user: ServiceUser,
  id: string,
  until: number,
): Promise<void> {
  await queries.count(insert.with({ ...keyOf(user), id, until }))
}

export async function endGrantRevocation(
  queries: Queries,
  user: ServiceUser,
  id: string,
  endedAt: number,
): Promise<void> {
  await queries.count(end.with({ ...keyOf(user), id, endedAt }))
}

/** Whether every token of a service user is being ended, or was since the given time. */
export async function grantRevocationSince(
  queries: Queries,
  user: ServiceUser,
  sinceMs: number,
  nowMs: number,
): Promise<'running' | 'ended' | undefined> {
  const [row] = await queries.rows<{ running: boolean }>(findSince.with({ ...keyOf(user), sinceMs, nowMs }))
  return row && (row.running ? 'running' : 'ended')
}

export function purgeGrantRevocations(queries: Queries, before: number): Promise<Batch> {
  return deleteBatch(queries, purge.with({ before }))
}
