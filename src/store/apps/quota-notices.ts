import type { Quotas } from '#model/quotas.ts'
import { type Queries, statement } from '#platform/postgres/database.ts'

export type NoticeLevel = 'near' | 'reached'

/** A quota of a profile, account or app that is nearly used up, or was in the way of something. */
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
const put = statement(
  'quota-notice-put',
  `insert into quota_notice (${columns}) values ($1, $2, $3, $4, $5, $6, $7)
   on conflict (shard, subject, quota) do update set level = excluded.level, since = excluded.since
   where quota_notice.level = 'near' and excluded.level = 'reached'`,
)
const lower = statement(
  'quota-notice-lower',
  `update quota_notice set level = 'near', since = $4 where shard = $1 and subject = $2 and quota = $3`,
)
const remove = statement(
  'quota-notice-remove',
  'delete from quota_notice where shard = $1 and subject = $2 and quota = $3',
)
const list = statement(
  'quota-notice-list',
  `select ${columns} from quota_notice where app_id = $1 order by level desc, since, subject, quota limit $2`,
)
const listAll = statement(
  'quota-notice-all',
  `select ${columns} from quota_notice where (shard, subject, quota) > ($1, $2, $3) order by shard, subject, quota limit $4`,
)
const leftOut = statement(
  'quota-left-out',
  `select distinct e.left_out as quota, e.shard, e.profile_id, p.account_id, p.app_id from endpoint_sync e
   join profile p on p.shard = e.shard and p.id = e.profile_id where e.left_out is not null and ($1::text is null or p.app_id = $1) limit $2`,
)
const counts = statement(
  'quota-notice-counts',
  'select quota, level, count(*) as n from quota_notice group by quota, level',
)

/** True when it is news: not known yet, or known as less. */
export async function putNotice(tx: Queries, notice: QuotaNotice): Promise<boolean> {
  const { shard, subject, quota, level, appId, accountId, since } = notice
  return (await tx.count(put, [shard, subject, quota, level, appId, accountId ?? null, since])) > 0
}

export async function lowerNotice(queries: Queries, notice: QuotaNotice, nowMs: number): Promise<void> {
  await queries.count(lower, [notice.shard, notice.subject, notice.quota, nowMs])
}

export async function removeNotice(queries: Queries, notice: QuotaNotice): Promise<void> {
  await queries.count(remove, [notice.shard, notice.subject, notice.quota])
}

/** Those of an app, reached ones first. */
export async function listNotices(queries: Queries, appId: string, limit: number): Promise<QuotaNotice[]> {
  return (await queries.rows<Row>(list, [appId, limit])).map(toNotice)
}

/** All of them in the order of their keys, a page at a time. */
export async function nextNotices(
  queries: Queries,
  after: QuotaNotice | undefined,
  limit: number,
): Promise<QuotaNotice[]> {
  const position = [after?.shard ?? -1, after?.subject ?? '', after?.quota ?? '']
  return (await queries.rows<Row>(listAll, [...position, limit])).map(toNotice)
}

/** Quotas that stopped an endpoint, and for whom; of one app, or of all. */
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
  }>(leftOut, [appId ?? null, limit])
  return rows.map(({ quota, shard, profile_id, account_id, app_id }) => ({
    quota,
    shard,
    profileId: profile_id,
    accountId: account_id,
    appId: app_id,
  }))
}

export async function countNotices(queries: Queries): Promise<{ quota: string; level: NoticeLevel; n: number }[]> {
  return queries.rows<{ quota: string; level: NoticeLevel; n: number }>(counts)
}

function toNotice({ app_id, account_id, ...row }: Row): QuotaNotice {
  return { ...row, appId: app_id, accountId: account_id ?? undefined }
}
