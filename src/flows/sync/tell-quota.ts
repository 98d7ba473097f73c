import type { QuotaName } from '#model/quotas.ts'
import { shardFor, shardIn } from '#platform/ids.ts'
import { type NoticeLevel, putNotice } from '#store/apps/quota-notices.ts'
import { writeAudit } from '#store/audit.ts'
import { queueEvent } from '#store/push/events.ts'
import type { SyncDeps } from './deps.ts'

export interface Whose {
  appId: string
  accountId: string
  profileId: string
}

/**
 * Notes that a quota is near or reached, and tells the app of it once. After the items, in a transaction of its own: an account and
 * an app live in other parts. Who dies in between tells it with the next run.
 */
export async function reportQuota(
  { database, clock }: Pick<SyncDeps, 'database' | 'clock'>,
  whose: Whose,
  quota: QuotaName,
  level: NoticeLevel,
): Promise<void> {
  const { appId } = whose
  const { subject, shard, data } = subjectOf(whose, quota)
  const at = clock.now()
  await database.transaction(async (tx) => {
    const hasChanges = await putNotice(tx, { shard, subject, quota, level, appId, accountId: data.account, since: at })
    if (!hasChanges) return
    const type = `quota.${level}` as const
    const detail = { quota, ...data }
    await writeAudit(tx, { shard, at, actor: 'tributary', action: type, appId, accountId: data.account, detail })
    await queueEvent(tx, appId, type, at, detail)
  })
}

function subjectOf({ appId, accountId, profileId }: Whose, quota: QuotaName) {
  const data: { account?: string; profile?: string } = {}
  if (quota.startsWith('app_') || quota.startsWith('own_')) return { subject: appId, shard: shardFor(appId), data }
  data.account = accountId
  if (quota.startsWith('account_')) return { subject: accountId, shard: shardIn(accountId), data }
  data.profile = profileId
  return { subject: profileId, shard: shardIn(profileId), data }
}
