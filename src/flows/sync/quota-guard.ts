import { OWN_SERVICE } from '#kit/own-items.ts'
import {
  type Amount,
  add,
  effectiveQuotas,
  type QuotaName,
  type Quotas,
  quotaInTheWay,
  quotasNear,
  type Used,
} from '#model/quotas.ts'
import { findAppQuotas } from '#store/apps/apps.ts'
import type { NoticeLevel } from '#store/apps/quota-notices.ts'
import { accountUsage, totalOf } from '#store/apps/usage.ts'
import { appUsage } from '#store/apps/usage-of-apps.ts'
import type { SyncDeps } from './deps.ts'
import type { PageDiff } from './digest.ts'
import { reportQuota } from './tell-quota.ts'
import type { EndpointRun } from './write-page.ts'

/** Lets new items in as long as there is room for them. Items that are stored already are never in question. */
export interface QuotaGuard {
  /** The page without the new items that a quota keeps out, how many those are, and which quota it is. */
  admit: (page: PageDiff) => Promise<{ page: PageDiff; refused: number; quota: QuotaName | undefined }>
  /** Says what was met, to the app and to whoever looks. */
  notify: () => Promise<void>
}

/** How long the sum of an account's other profiles is believed. */
const TTL_MS = 2000

interface Known {
  quotas: Quotas
  /** Nobody else writes this profile during the run, so it is counted here. */
  profile: Amount
  account: Amount
  untilMs: number
}

/** Looks nothing up until the first new item comes: most runs bring none. */
export function createQuotaGuard(deps: SyncDeps, { profile, owner }: EndpointRun): QuotaGuard {
  let known: Known | undefined
  const met = new Map<QuotaName, NoticeLevel>()

  async function look(): Promise<Known> {
    if (known !== undefined && known.untilMs > deps.clock.now()) return known
    const quotas = effectiveQuotas(deps.config, await findAppQuotas(deps.database, profile.appId))
    const all = await accountUsage(deps.database, profile.accountId)
    const [mine, others] = [true, false].map((isMine) =>
      totalOf(all.filter(({ profileId }) => (profileId === owner.profileId) === isMine)),
    ) as [Amount, Amount]
    const counted = known?.profile ?? mine
    known = { quotas, profile: counted, account: totalOf([counted, others]), untilMs: deps.clock.now() + TTL_MS }
    return known
  }

  return {
    admit: async (page) => {
      if (!page.rows.some(({ isNew }) => isNew)) return { page, refused: 0, quota: undefined }
      const { quotas, profile: mine, account } = await look()
      const app = (await appUsage(deps, profile.appId, OWN_SERVICE.service)).total
      const used: Used[] = [
        { scope: 'profile', amount: mine },
        { scope: 'account', amount: account },
        { scope: 'app', amount: app },
      ]
      let quota: QuotaName | undefined
      const rows = page.rows.filter(({ isNew, bytes, bytesBefore }) => {
        const more = { items: isNew ? 1 : 0, bytes: bytes - bytesBefore }
        const inTheWay = isNew ? quotaInTheWay(quotas, used, more) : undefined
        if (inTheWay === undefined) for (const { amount } of used) add(amount, more)
        else met.set((quota = inTheWay), 'reached')
        return inTheWay === undefined
      })
      for (const name of quotasNear(quotas, used)) if (!met.has(name)) met.set(name, 'near')
      return { page: { ...page, rows }, refused: page.rows.length - rows.length, quota }
    },
    notify: async () => {
      const whose = { appId: profile.appId, accountId: profile.accountId, profileId: profile.id }
      for (const [name, level] of met) await reportQuota(deps, whose, name, level)
      met.clear()
    },
  }
}
