import { OWN_SERVICE } from '#kit/own-items.ts'
import type { Account } from '#model/account.ts'
import { ApiError } from '#model/errors.ts'
import {
  type Amount,
  add,
  effectiveQuotas,
  type QuotaName,
  quotaInTheWay,
  quotasNear,
  type Used,
} from '#model/quotas.ts'
import type { Queries } from '#platform/postgres/database.ts'
import { findAppQuotas } from '#store/apps/apps.ts'
import type { NoticeLevel } from '#store/apps/quota-notices.ts'
import { accountUsage, totalOf } from '#store/apps/usage.ts'
import { appUsage } from '#store/apps/usage-of-apps.ts'
import type { ProfileKey } from '#store/sync/schedule.ts'
import type { SyncDeps } from './deps.ts'
import type { PageDiff } from './digest.ts'
import { reportQuota, type Whose } from './tell-quota.ts'

/** Room for an app's own items on their way into the store. */
export interface OwnItemQuota {
  /** Takes room for the new ones among these, or refuses them all. Inside the transaction that holds the profile. */
  take: (tx: Queries, key: ProfileKey, rows: PageDiff['rows']) => Promise<void>
  giveBack: () => void
  /** They are stored. */
  keep: () => void
  /** Notes which quotas were met. After the transaction, because it needs a connection of its own. */
  notify: () => Promise<void>
}

/** What is counted over the whole app is taken before anything is written, so that requests at the same time see each other. */
export async function openOwnItemQuota(
  deps: Pick<SyncDeps, 'database' | 'clock' | 'config'>,
  account: Account,
): Promise<OwnItemQuota> {
  const app = await appUsage(deps, account.appId, OWN_SERVICE.service)
  const met = new Map<QuotaName, NoticeLevel>()
  let release: ((isStored: boolean) => void) | undefined
  let whose: Whose | undefined
  const end = (isStored: boolean) => {
    release?.(isStored)
    release = undefined
  }

  return {
    take: async (tx, key, rows) => {
      const fresh = rows.filter(({ isNew }) => isNew)
      if (fresh.length === 0) return
      const quotas = effectiveQuotas(deps.config, await findAppQuotas(tx, account.appId))
      const profiles = await accountUsage(tx, account.id)
      whose = { appId: account.appId, accountId: account.id, profileId: key.profileId }
      const used: Used[] = [
        { scope: 'profile', amount: totalOf(profiles.filter(({ profileId }) => profileId === key.profileId)) },
        { scope: 'account', amount: totalOf(profiles) },
        { scope: 'own', amount: app.own },
        { scope: 'app', amount: app.total },
      ]
      const more = { items: fresh.length, bytes: rows.reduce((sum, row) => sum + row.bytes - row.bytesBefore, 0) }
      const quota = quotaInTheWay(quotas, used, more)
      if (quota !== undefined) {
        met.set(quota, 'reached')
        throw refusal(quota, quotas[quota], more)
      }
      release = app.reserve(more)
      for (const { scope, amount } of used) if (scope === 'profile' || scope === 'account') add(amount, more)
      for (const name of quotasNear(quotas, used)) met.set(name, 'near')
    },
    giveBack: () => end(false),
    keep: () => end(true),
    notify: async () => {
      if (whose !== undefined) for (const [name, level] of met) await reportQuota(deps, whose, name, level)
    },
  }
}

function refusal(quota: QuotaName, limit: number, { items, bytes }: Amount): ApiError {
  return new ApiError(
    'quota_reached',
    `The quota ${quota} of ${limit} has no room for ${items} new items (${bytes} bytes). Nothing of this request was stored.`,
  )
}
