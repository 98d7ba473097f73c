import type { QuotaName } from '#model/apps/quotas.ts'
import { shardFor, shardIn } from '#platform/crypto/ids.ts'
import { type NoticeLevel, putNotice } from '#store/apps/quota-notices.ts'
import { writeAudit } from '#store/audit.ts'
import { queueEvent } from '#store/push/events.ts'
import type { SyncDeps } from '../deps.ts'

/** The profile whose items use the quota. */
export interface QuotaOwner {
  appId: string
  accountId: string
  profileId: string
}

/**
 * Stores that a quota is near or reached, and sends the app one event. After the items, in a transaction of its own,
 * because an account and an app are in other shards. If the process dies in between, the next run reports it.
 */
export async function reportQuota(
  { database, clock }: Pick<SyncDeps, 'database' | 'clock'>,
  owner: QuotaOwner,
  quota: QuotaName,
  level: NoticeLevel,
): Promise<void> {
  const { appId } = owner
  const { subject, shard, data } = subjectOf(owner, quota)
  const at = clock.now()
  await database.transaction(async (tx) => {
    const isNew = await putNotice(tx, { shard, subject, quota, level, appId, accountId: data.account, since: at })
    if (!isNew) return
    const type = `quota.${level}` as const
    const detail = { quota, ...data }
    await writeAudit(tx, { shard, at, actor: 'tributary', action: type, appId, accountId: data.account, detail })
    await queueEvent(tx, appId, type, at, detail)
  })
}

function subjectOf({ appId, accountId, profileId }: QuotaOwner, quota: QuotaName) {
  const data: { account?: string; profile?: string } = {}
  if (quota.startsWith('app_') || quota.startsWith('own_')) return { subject: appId, shard: shardFor(appId), data }
  data.account = accountId
  if (quota.startsWith('account_')) return { subject: accountId, shard: shardIn(accountId), data }
  data.profile = profileId
  return { subject: profileId, shard: shardIn(profileId), data }
}
