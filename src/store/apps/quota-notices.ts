import type { Quotas } from '#model/apps/quotas.ts'
import { type Queries, statement } from '#platform/postgres/database.ts'
import type { Position } from '../delete-in-batches.ts'

export type NoticeLevel = 'near' | 'reached'

/** A quota of a profile, account or app that is nearly used up or reached. */
export interface QuotaNotice {
  shard: number
  /** The id of the profile, account or app. */
  subject: string
  quota: keyof Quotas
  level: NoticeLevel
  appId: string
  accountId: string | undefined
  since: number
}

interface Row {
  shard: number
  subject: string
  quota: keyof Quotas
  level: NoticeLevel
  app_id: string
  account_id: string | null
  since: number
}

const columns = 'shard, subject, quota, level, app_id, account_id, since'
const upsert = statement(
  'quota-notice-put',
  `insert into quota_notice (${columns})
   values ($shard, $subject, $quota, $level, $appId, $accountId, $since)
   on conflict (shard, subject, quota) do update set level = excluded.level, since = excluded.since
   where quota_notice.level = 'near' and excluded.level = 'reached'`,
)
const lowerToNear = statement(
  'quota-notice-lower',
  `update quota_notice set level = 'near', since = $since
   where shard = $shard and subject = $subject and quota = $quota`,
)
const remove = statement(
  'quota-notice-remove',
  'delete from quota_notice where shard = $shard and subject = $subject and quota = $quota',
)
const list = statement(
  'quota-notice-list',
  `select ${columns} from quota_notice where app_id = $appId order by level desc, since, subject, quota limit $limit`,
)
const listAfter = statement(
  'quota-notice-all',
  `select ${columns} from quota_notice where (shard, subject, quota) > ($afterShard, $afterSubject, $afterQuota)
   order by shard, subject, quota limit $limit`,
)
const findLeftOut = statement(
  'quota-left-out',
  `select distinct e.left_out as quota, e.shard, e.profile_id, p.account_id, p.app_id
   from endpoint_sync e join profile p on p.shard = e.shard and p.id = e.profile_id
   where e.left_out is not null and ($appId::text is null or p.app_id = $appId) limit $limit`,
)
const countByQuota = statement(
  'quota-notice-counts',
  'select quota, level, count(*) as n from quota_notice group by quota, level',
)

/** True when the notice is new, or was `near` and is `reached` now. */
export async function putNotice(tx: Queries, notice: QuotaNotice): Promise<boolean> {
  const { shard, subject, quota, level, appId, accountId, since } = notice
  return (await tx.count(upsert.with({ shard, subject, quota, level, appId, accountId: accountId ?? null, since }))) > 0
}

export async function lowerNotice(queries: Queries, notice: QuotaNotice, nowMs: number): Promise<void> {
  const { shard, subject, quota } = notice
  await queries.count(lowerToNear.with({ shard, subject, quota, since: nowMs }))
}

export async function removeNotice(queries: Queries, { shard, subject, quota }: QuotaNotice): Promise<void> {
  await queries.count(remove.with({ shard, subject, quota }))
}

/** The notices of an app, reached ones first. */
export async function listNotices(queries: Queries, appId: string, limit: number): Promise<QuotaNotice[]> {
  return (await queries.rows<Row>(list.with({ appId, limit }))).map(toNotice)
}

/** All notices in the order of their keys, one page at a time. */
export async function nextNotices(
  queries: Queries,
  [afterShard = -1, afterSubject = '', afterQuota = '']: Position = [],
  limit: number,
): Promise<QuotaNotice[]> {
  return (await queries.rows<Row>(listAfter.with({ afterShard, afterSubject, afterQuota, limit }))).map(toNotice)
}

/** Quotas that kept items of an endpoint out, with the profile; of one app or of all. */
export async function listLeftOut(
  queries: Queries,
  appId: string | undefined,
  limit: number,
): Promise<{ quota: keyof Quotas; shard: number; profileId: string; accountId: string; appId: string }[]> {
  const rows = await queries.rows<{
    quota: keyof Quotas
    shard: number
    profile_id: string
    account_id: string
    app_id: string
  }>(findLeftOut.with({ appId: appId ?? null, limit }))
  return rows.map(({ quota, shard, profile_id, account_id, app_id }) => ({
    quota,
    shard,
    profileId: profile_id,
    accountId: account_id,
    appId: app_id,
  }))
}

export async function countNotices(queries: Queries): Promise<{ quota: string; level: NoticeLevel; n: number }[]> {
  return queries.rows<{ quota: string; level: NoticeLevel; n: number }>(countByQuota)
}

function toNotice({ app_id, account_id, ...row }: Row): QuotaNotice {
  return { ...row, appId: app_id, accountId: account_id ?? undefined }
}
