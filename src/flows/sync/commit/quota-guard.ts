import { OWN_SERVICE } from '#kit/connector/own-items.ts'
import {
  type Amount,
  add,
  effectiveQuotas,
  type QuotaName,
  quotaInTheWay,
  quotasNear,
  type Used,
} from '#model/apps/quotas.ts'
import { accountUsageById, totalOf } from '#store/app-usage.ts'
import { findAppQuotas } from '#store/apps/apps.ts'
import type { NoticeLevel } from '#store/apps/quota-notices.ts'
import { appUsage } from '#store/usage-of-apps.ts'
import type { SyncDeps } from '../deps.ts'
import type { PageDiff } from '../diff/diff-page.ts'
import type { EndpointRun, RunUsage } from '../walk/endpoint-run.ts'
import { reportQuota } from './report-quota.ts'

/** Admits new items while the quotas allow it. Stored items are always updated. */
export interface QuotaGuard {
  /** Returns the page without the new items that a quota refuses, how many those are, and the quota. */
  admit: (page: PageDiff) => Promise<{ page: PageDiff; refused: number; quota: QuotaName | undefined }>
  /** Reports the quotas that are near or reached. */
  report: () => Promise<void>
}

/**
 * Loads nothing before the first new item of the run: most runs have none. Then all endpoints of the run share what was loaded, and
 * count for themselves: no other run writes this profile, and of the account's others a run knows what they had when it looked.
 */
export function createQuotaGuard(deps: SyncDeps, { profile, profileKey, usage }: EndpointRun): QuotaGuard {
  const notices = new Map<QuotaName, NoticeLevel>()

  async function loadUsage(): Promise<RunUsage> {
    if (usage.loaded !== undefined) return usage.loaded
    const quotas = effectiveQuotas(deps.config, await findAppQuotas(deps.database, profile.appId))
    const all = await accountUsageById(deps.database, profile.accountId)
    const [own, others] = [true, false].map((isOwn) =>
      totalOf(all.filter(({ profileId }) => (profileId === profileKey.profileId) === isOwn)),
    ) as [Amount, Amount]
    usage.loaded = { quotas, profile: own, account: totalOf([own, others]) }
    return usage.loaded
  }

  return {
    admit: async (page) => {
      if (!page.rows.some(({ isNew }) => isNew)) return { page, refused: 0, quota: undefined }
      const { quotas, profile: own, account } = await loadUsage()
      const app = (await appUsage(deps, profile.appId, OWN_SERVICE.service)).total
      const used: Used[] = [
        { scope: 'profile', amount: own },
        { scope: 'account', amount: account },
        { scope: 'app', amount: app },
      ]
      let quota: QuotaName | undefined
      const rows = page.rows.filter(({ isNew, bytes, bytesBefore }) => {
        const more = { items: isNew ? 1 : 0, bytes: bytes - bytesBefore }
        const exceeded = isNew ? quotaInTheWay(quotas, used, more) : undefined
        if (exceeded === undefined) for (const { amount } of used) add(amount, more)
        else notices.set((quota = exceeded), 'reached')
        return exceeded === undefined
      })
      for (const name of quotasNear(quotas, used)) if (!notices.has(name)) notices.set(name, 'near')
      return { page: { ...page, rows }, refused: page.rows.length - rows.length, quota }
    },
    report: async () => {
      const owner = { appId: profile.appId, accountId: profile.accountId, profileId: profile.id }
      for (const [name, level] of notices) await reportQuota(deps, owner, name, level)
      notices.clear()
    },
  }
}
