import { OWN_SERVICE } from '#kit/connector/own-items.ts'
import type { QuotaSettings } from '#model/apps/quota-variables.ts'
import { type Amount, effectiveQuotas, quotaState } from '#model/apps/quotas.ts'
import type { Clock } from '#platform/clock.ts'
import { shardFor, shardIn, shardOf } from '#platform/crypto/ids.ts'
import type { Database } from '#platform/postgres/database.ts'
import { accountUsageById, totalOf } from '#store/app-usage.ts'
import { findAppQuotas } from '#store/apps/apps.ts'
import {
  listLeftOut,
  listNotices,
  lowerNotice,
  nextNotices,
  putNotice,
  type QuotaNotice,
  removeNotice,
} from '#store/apps/quota-notices.ts'
import type { Batch, Position } from '#store/delete-in-batches.ts'
import { findProfile } from '#store/identity/profiles.ts'
import { wakeFullEndpoints } from '#store/sync/endpoint-requests.ts'
import { appUsage } from '#store/usage-of-apps.ts'

export interface ReviewDeps {
  database: Database
  clock: Clock
  config?: (Partial<QuotaSettings> & { logDays?: number | undefined; auditDays?: number | undefined }) | undefined
}

const BATCH = 100
/** Limit: notices that one run reviews or restores; the next run of maintenance continues. */
const MAX_NOTICES = 10_000
/** This share of a quota must be free before stopped endpoints are read again; otherwise each deleted item would cost a whole walk. */
const FREE_SHARE = 0.1

/** Reviews some quotas that were near or reached, and resumes endpoints that have capacity again. Returns how many notices ended. */
export async function reviewQuotas(deps: ReviewDeps, position: Position | undefined): Promise<Batch> {
  if (position === undefined) await restoreNotices(deps, undefined)
  const notices = await nextNotices(deps.database, position, BATCH)
  let done = 0
  for (const notice of notices) if (await review(deps, notice, FREE_SHARE)) done += 1
  const last = notices.at(-1)
  if (last === undefined || notices.length < BATCH) return { done, more: false }
  return { done, more: true, position: [last.shard, last.subject, last.quota] }
}

/** Restores notices that are missing because a worker died after it stopped an endpoint: without one the endpoint would never resume. */
async function restoreNotices({ database, clock }: ReviewDeps, of: string | undefined): Promise<void> {
  for (const { quota, shard, profileId, accountId, appId } of await listLeftOut(database, of, MAX_NOTICES)) {
    const whole = { quota, level: 'reached', appId, since: clock.now() } as const
    if (quota.startsWith('profile_')) await putNotice(database, { ...whole, shard, subject: profileId, accountId })
    else if (quota.startsWith('account_'))
      await putNotice(database, { ...whole, shard: shardIn(accountId), subject: accountId, accountId })
    else await putNotice(database, { ...whole, shard: shardFor(appId), subject: appId, accountId: undefined })
  }
}

/** Reviews an app after its quotas were set: any free capacity resumes endpoints, because the operator wants it used. */
export async function reviewApp(deps: ReviewDeps, appId: string): Promise<void> {
  await restoreNotices(deps, appId)
  for (const notice of await listNotices(deps.database, appId, MAX_NOTICES)) await review(deps, notice, 0)
}

/** Returns whether the notice ended. */
async function review(deps: ReviewDeps, notice: QuotaNotice, freeShare: number): Promise<boolean> {
  const { database, clock, config } = deps
  const limit = effectiveQuotas(config, await findAppQuotas(database, notice.appId))[notice.quota]
  const used = await usedOf(deps, notice)
  const isOk = used === undefined || quotaState(used, limit) === 'ok'
  const hasCapacity = used === undefined || used < limit * (1 - freeShare)
  if (notice.level === 'reached' && hasCapacity) {
    const profiles = await profilesOf(deps, notice)
    await wakeFullEndpoints(database, notice.appId, profiles, clock.now())
    if (!isOk) await lowerNotice(database, notice, clock.now())
  }
  if (isOk) await removeNotice(database, notice)
  return isOk
}

/** Returns how much of the quota is used; undefined when its profile or account no longer exists. */
async function usedOf(
  deps: ReviewDeps,
  { quota, appId, accountId, subject }: QuotaNotice,
): Promise<number | undefined> {
  const [scope, unit] = quota.split('_') as ['profile' | 'account' | 'app' | 'own', keyof Amount]
  if (scope === 'app' || scope === 'own') {
    const { total, own } = await appUsage(deps, appId, OWN_SERVICE.service)
    return (scope === 'own' ? own : total)[unit]
  }
  // A merge may have moved the profile to another account.
  const currentAccount = scope === 'account' ? accountId : await accountOf(deps, subject)
  const profiles = currentAccount === undefined ? [] : await accountUsageById(deps.database, currentAccount)
  const counted = scope === 'account' ? profiles : profiles.filter(({ profileId }) => profileId === subject)
  return counted.length === 0 ? undefined : totalOf(counted)[unit]
}

async function accountOf({ database }: ReviewDeps, profileId: string): Promise<string | undefined> {
  const shard = shardOf(profileId)
  return shard === undefined ? undefined : (await findProfile(database, shard, profileId))?.accountId
}

/** Returns the profiles that the quota may have stopped; undefined: all of the app. */
async function profilesOf({ database }: ReviewDeps, { quota, subject }: QuotaNotice): Promise<string[] | undefined> {
  if (quota.startsWith('profile_')) return [subject]
  if (quota.startsWith('account_')) return (await accountUsageById(database, subject)).map(({ profileId }) => profileId)
  return undefined
}
