import { OWN_SERVICE } from '#kit/connector/own-items.ts'
import type { Account } from '#model/accounts/account.ts'
import {
  type Amount,
  add,
  effectiveQuotas,
  type QuotaName,
  quotaInTheWay,
  quotasNear,
  type Used,
} from '#model/apps/quotas.ts'
import { ApiError } from '#model/errors.ts'
import type { Queries } from '#platform/postgres/database.ts'
import { accountUsage, totalOf } from '#store/app-usage.ts'
import { findAppQuotas } from '#store/apps/apps.ts'
import type { NoticeLevel } from '#store/apps/quota-notices.ts'
import type { ProfileKey } from '#store/keys/profile-key.ts'
import { appUsage } from '#store/usage-of-apps.ts'
import { type QuotaOwner, reportQuota } from '../commit/report-quota.ts'
import type { SyncDeps } from '../deps.ts'
import type { PageDiff } from '../diff/diff-page.ts'

/** Reserves quota for an app's own items while they are written. */
export interface OwnItemQuota {
  /** Reserves quota for these rows, or refuses them all. Inside the transaction that locks the profile. */
  reserve: (tx: Queries, key: ProfileKey, rows: PageDiff['rows']) => Promise<void>
  /** The items were not stored. */
  release: () => void
  /** The items are stored. */
  confirm: () => void
  /** Reports quotas that are near or reached. After the transaction, because it needs a connection of its own. */
  report: () => Promise<void>
}

/** Usage of the whole app is reserved before anything is written, so that concurrent requests count each other. */
export async function openOwnItemQuota(
  deps: Pick<SyncDeps, 'database' | 'clock' | 'config'>,
  account: Account,
): Promise<OwnItemQuota> {
  const app = await appUsage(deps, account.appId, OWN_SERVICE.service)
  const notices = new Map<QuotaName, NoticeLevel>()
  let endReservation: ((isStored: boolean) => void) | undefined
  let owner: QuotaOwner | undefined
  const end = (isStored: boolean) => {
    endReservation?.(isStored)
    endReservation = undefined
  }

  return {
    reserve: async (tx, key, rows) => {
      const added = rows.filter(({ isNew }) => isNew)
      if (added.length === 0) return
      const quotas = effectiveQuotas(deps.config, await findAppQuotas(tx, account.appId))
      const profiles = await accountUsage(tx, account)
      owner = { appId: account.appId, accountId: account.id, profileId: key.profileId }
      const used: Used[] = [
        { scope: 'profile', amount: totalOf(profiles.filter(({ profileId }) => profileId === key.profileId)) },
        { scope: 'account', amount: totalOf(profiles) },
        { scope: 'own', amount: app.own },
        { scope: 'app', amount: app.total },
      ]
      const more = { items: added.length, bytes: rows.reduce((sum, row) => sum + row.bytes - row.bytesBefore, 0) }
      const exceeded = quotaInTheWay(quotas, used, more)
      if (exceeded !== undefined) {
        notices.set(exceeded, 'reached')
        throw quotaReached(exceeded, quotas[exceeded], more)
      }
      endReservation = app.reserve(more)
      for (const { scope, amount } of used) if (scope === 'profile' || scope === 'account') add(amount, more)
      for (const name of quotasNear(quotas, used)) notices.set(name, 'near')
    },
    release: () => end(false),
    confirm: () => end(true),
    report: async () => {
      if (owner !== undefined) for (const [name, level] of notices) await reportQuota(deps, owner, name, level)
    },
  }
}

function quotaReached(quota: QuotaName, limit: number, { items, bytes }: Amount): ApiError {
  return new ApiError(
    'quota_reached',
    `The quota ${quota} of ${limit} does not allow ${items} more items (${bytes} bytes). Nothing was stored.`,
  )
}
