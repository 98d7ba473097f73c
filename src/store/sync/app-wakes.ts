import { type Queries, statement } from '#platform/postgres/database.ts'

const request = statement('app-wake-request', 'update app set wake_requested_at = $nowMs where id = $appId')
const findOld = statement(
  'app-wake-find',
  'select id, wake_requested_at from app where wake_requested_at < $beforeMs and deleting_at is null order by id',
)
const finish = statement(
  'app-wake-finish',
  'update app set wake_requested_at = null where id = $appId and wake_requested_at = $requestedAt',
)

/** Stores, in the transaction that changes an app's rules, that its endpoints have to be made due. */
export async function requestAppWake(tx: Queries, appId: string, nowMs: number): Promise<void> {
  await tx.count(request.with({ appId, nowMs }))
}

/** Apps whose endpoints should have been made due before a time. */
export async function findOldAppWakes(
  queries: Queries,
  beforeMs: number,
): Promise<{ appId: string; requestedAt: number }[]> {
  const rows = await queries.rows<{ id: string; wake_requested_at: number }>(findOld.with({ beforeMs }))
  return rows.map(({ id, wake_requested_at: requestedAt }) => ({ appId: id, requestedAt }))
}

/** A later request stays. */
export async function finishAppWake(queries: Queries, appId: string, requestedAt: number): Promise<void> {
  await queries.count(finish.with({ appId, requestedAt }))
}
