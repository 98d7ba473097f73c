import type { Clock } from '#base/clock.ts'
import { partFor, partIn, partOf } from '#base/ids.ts'
import type { QuotaSettings } from '#base/quota-variables.ts'
import { OWN_SERVICE } from '#kit/own-items.ts'
import { type Amount, effectiveQuotas, quotaState } from '#model/quotas.ts'
import { appUsage } from '#store/app-usage.ts'
import { findAppQuotas } from '#store/apps.ts'
import type { Database } from '#store/database.ts'
import { findProfile } from '#store/profiles.ts'
import {
  listLeftOut,
  listNotices,
  lowerNotice,
  nextNotices,
  putNotice,
  type QuotaNotice,
  removeNotice,
} from '#store/quota-notices.ts'
import { wakeFullEndpoints } from '#store/sync-endpoints.ts'
import { accountUsage, totalOf } from '#store/usage.ts'

export interface ReviewNeed {
  database: Database
  clock: Clock
  config?: Partial<QuotaSettings> | undefined
}

const AT_ONCE = 500
/** Limit: notices that one turn looks at or makes anew; the next turn of maintenance looks at the others. */
const MAX_NOTICES = 10_000
/** So much of a quota must be free before everything is read again by itself; else each item that goes would cost a whole walk. */
const FREE_SHARE = 0.1

/** Looks at every quota that was near or reached: what has room again goes on. Gives how many notices ended. */
export async function reviewQuotas(need: ReviewNeed): Promise<number> {
  await restoreNotices(need, undefined)
  let ended = 0
  let last: QuotaNotice | undefined
  for (;;) {
    const notices = await nextNotices(need.database, last, AT_ONCE)
    for (const notice of notices) if (await review(need, notice, FREE_SHARE)) ended += 1
    last = notices.at(-1)
    if (notices.length < AT_ONCE) return ended
  }
}

/** Who died after storing that a quota stopped an endpoint, and before telling it, left no notice: without one nothing would go on. */
async function restoreNotices({ database, clock }: ReviewNeed, of: string | undefined): Promise<void> {
  for (const { quota, part, profileId, accountId, appId } of await listLeftOut(database, of, MAX_NOTICES)) {
    const whole = { quota, level: 'reached', appId, since: clock.now() } as const
    if (quota.startsWith('profile_')) await putNotice(database, { ...whole, part, subject: profileId, accountId })
    else if (quota.startsWith('account_'))
      await putNotice(database, { ...whole, part: partIn(accountId), subject: accountId, accountId })
    else await putNotice(database, { ...whole, part: partFor(appId), subject: appId, accountId: undefined })
  }
}

/** After the quotas of an app were set: any room counts, because somebody wants it used. */
export async function reviewApp(need: ReviewNeed, appId: string): Promise<void> {
  await restoreNotices(need, appId)
  for (const notice of await listNotices(need.database, appId, MAX_NOTICES)) await review(need, notice, 0)
}

/** True when the notice is over. */
async function review(need: ReviewNeed, notice: QuotaNotice, freeShare: number): Promise<boolean> {
  const { database, clock, config } = need
  const limit = effectiveQuotas(config, await findAppQuotas(database, notice.appId))[notice.quota]
  const used = await usedOf(need, notice)
  const isOk = used === undefined || quotaState(used, limit) === 'ok'
  const hasRoom = used === undefined || used < limit * (1 - freeShare)
  if (notice.level === 'reached' && hasRoom) {
    const profiles = await profilesOf(need, notice)
    await database.transaction(async (tx) => {
      await wakeFullEndpoints(tx, notice.appId, profiles, clock.now())
    })
    if (!isOk) await lowerNotice(database, notice, clock.now())
  }
  if (isOk) await removeNotice(database, notice)
  return isOk
}

/** How much of the quota is used; undefined when its profile or account is gone. */
async function usedOf(
  need: ReviewNeed,
  { quota, appId, accountId, subject }: QuotaNotice,
): Promise<number | undefined> {
  const [scope, unit] = quota.split('_') as ['profile' | 'account' | 'app' | 'own', keyof Amount]
  if (scope === 'app' || scope === 'own') {
    const { total, own } = await appUsage(need, appId, OWN_SERVICE.service)
    return (scope === 'own' ? own : total)[unit]
  }
  // A merge may have given the profile another account.
  const home = scope === 'account' ? accountId : await accountOf(need, subject)
  const profiles = home === undefined ? [] : await accountUsage(need.database, home)
  const counted = scope === 'account' ? profiles : profiles.filter(({ profileId }) => profileId === subject)
  return counted.length === 0 ? undefined : totalOf(counted)[unit]
}

async function accountOf({ database }: ReviewNeed, profileId: string): Promise<string | undefined> {
  const part = partOf(profileId)
  return part === undefined ? undefined : (await findProfile(database, part, profileId))?.accountId
}

/** Those that the quota may have stopped; undefined: all of the app. */
async function profilesOf({ database }: ReviewNeed, { quota, subject }: QuotaNotice): Promise<string[] | undefined> {
  if (quota.startsWith('profile_')) return [subject]
  if (quota.startsWith('account_')) return (await accountUsage(database, subject)).map(({ profileId }) => profileId)
  return undefined
}
