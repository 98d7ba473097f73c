import { partFor, partIn } from '#base/ids.ts'
import type { QuotaName } from '#model/quotas.ts'
import { writeAudit } from '#store/audit.ts'
import { queueEvent } from '#store/push-events.ts'
import { type NoticeLevel, putNotice } from '#store/quota-notices.ts'
import type { SyncNeed } from './need.ts'

export interface Whose {
  appId: string
  accountId: string
  profileId: string
}

/**
 * Notes that a quota is near or reached, and tells the app of it once. After the items, in a transaction of its own: an account and
 * an app live in other parts. Who dies in between tells it with the next run.
 */
export async function tellQuota(
  { database, clock }: Pick<SyncNeed, 'database' | 'clock'>,
  whose: Whose,
  quota: QuotaName,
  level: NoticeLevel,
): Promise<void> {
  const { appId } = whose
  const { subject, part, data } = subjectOf(whose, quota)
  const at = clock.now()
  await database.transaction(async (tx) => {
    const isNews = await putNotice(tx, { part, subject, quota, level, appId, accountId: data.account, since: at })
    if (!isNews) return
    const type = `quota.${level}` as const
    const detail = { quota, ...data }
    await writeAudit(tx, { part, at, actor: 'tributary', action: type, appId, accountId: data.account, detail })
    await queueEvent(tx, appId, type, at, detail)
  })
}

function subjectOf({ appId, accountId, profileId }: Whose, quota: QuotaName) {
  const data: { account?: string; profile?: string } = {}
  if (quota.startsWith('app_') || quota.startsWith('own_')) return { subject: appId, part: partFor(appId), data }
  data.account = accountId
  if (quota.startsWith('account_')) return { subject: accountId, part: partIn(accountId), data }
  data.profile = profileId
  return { subject: profileId, part: partIn(profileId), data }
}
