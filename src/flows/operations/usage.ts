import { OWN_SERVICE } from '#kit/connector/own-items.ts'
import type { Registry } from '#kit/connector/registry.ts'
import { isNamed, parseProfileName, profileName } from '#model/accounts/profile-name.ts'
import {
  type Amount,
  effectiveQuotas,
  type QuotaName,
  type QuotaState,
  type Quotas,
  quotaState,
} from '#model/apps/quotas.ts'
import { ApiError, invalidInput } from '#model/errors.ts'
import { accountUsage, totalOf } from '#store/app-usage.ts'
import { findApp, findAppQuotas, listApps } from '#store/apps/apps.ts'
import { countNotices, listNotices } from '#store/apps/quota-notices.ts'
import { findAccountById } from '#store/identity/accounts.ts'
import { appSubject, openSignIns } from '#store/identity/open-sign-ins.ts'
import { appUsage } from '#store/usage-of-apps.ts'
import { noApp, presentLimit, type QuotasDeps } from './app-quotas.ts'

export type UsageDeps = QuotasDeps & { registry: Registry }

/** How much of a quota is used. */
export interface QuotaUse {
  used: number
  limit: number | null
  state: QuotaState
}

export interface QuotaNoticeView {
  quota: string
  state: 'near' | 'reached'
  account?: string
  profile?: string
  since: number
}

export interface UsageView {
  app: string
  account?: string
  counted_at: number
  quotas: Partial<Record<QuotaName, QuotaUse>>
  /** The profiles of the account, or the requested one. */
  profiles?: {
    profile: string
    id: string
    items: number
    bytes: number
    quotas: Partial<Record<QuotaName, QuotaUse>>
  }[]
  /** Quotas that are near or reached, of the app, its accounts and profiles. */
  notices?: QuotaNoticeView[]
}

/** Limit: notices that one response contains, reached ones first; further ones are left out. */
const MAX_NOTICES = 100

/** Limit: apps whose use of quotas is in the metrics; newer apps are left out. */
const MAX_APPS_IN_METRICS = 100

/** For metrics: the used share of each app's quotas, and how many quotas of profiles, accounts and apps are near or reached. */
export async function quotaFigures(deps: QuotasDeps): Promise<{
  used: { app: string; quota: string; share: number }[]
  notices: { quota: string; level: string; n: number }[]
}> {
  const shares: { app: string; quota: string; share: number }[] = []
  for (const { id } of (await listApps(deps.database)).slice(0, MAX_APPS_IN_METRICS)) {
    const quotas = effectiveQuotas(deps.config, await findAppQuotas(deps.database, id))
    const { total, own } = await appUsage(deps, id, OWN_SERVICE.service)
    for (const [quota, { used: amount, limit }] of Object.entries({
      ...used(quotas, 'app', total),
      ...used(quotas, 'own', own),
    }))
      shares.push({ app: id, quota, share: limit === null ? 0 : limit === 0 ? 1 : amount / limit })
  }
  return { used: shares, notices: await countNotices(deps.database) }
}

/** Returns how much of its quotas an app, or one of its accounts, uses. */
export async function usageOf(
  deps: UsageDeps,
  appId: string,
  of: { account?: string | undefined; profile?: string | undefined } = {},
): Promise<UsageView> {
  if ((await findApp(deps.database, appId)) === undefined) throw noApp(appId)
  const quotas = effectiveQuotas(deps.config, await findAppQuotas(deps.database, appId))
  if (of.account !== undefined) return usageOfAccount(deps, appId, quotas, of.account, of.profile)
  if (of.profile !== undefined) throw invalidInput('bad_parameter', 'profile', 'requires the parameter account.')
  const { database, clock } = deps
  const { total, own, countedAt } = await appUsage(deps, appId, OWN_SERVICE.service)
  const { n } = await openSignIns(database, appSubject(appId), clock.now())
  const notices = await listNotices(database, appId, MAX_NOTICES)
  return {
    app: appId,
    counted_at: countedAt,
    quotas: { ...used(quotas, 'app', total), ...used(quotas, 'own', own), app_sign_ins: use(n, quotas.app_sign_ins) },
    notices: notices.map(({ quota, level, accountId, subject, since }) => ({
      quota,
      state: level,
      ...(accountId === undefined ? {} : { account: accountId }),
      ...(quota.startsWith('profile_') ? { profile: subject } : {}),
      since,
    })),
  }
}

async function usageOfAccount(
  { database, clock, registry }: UsageDeps,
  appId: string,
  quotas: Quotas,
  accountId: string,
  name: string | undefined,
): Promise<UsageView> {
  const account = await findAccountById(database, accountId)
  if (account?.appId !== appId) throw new ApiError('not_found', 'There is no such account.')
  const all = await accountUsage(database, account)
  const parsed = name === undefined ? undefined : parseProfileName(registry, name)
  const chosen = all.filter(
    (profile) => name === undefined || name === profile.profileId || (parsed !== undefined && isNamed(parsed, profile)),
  )
  if (name !== undefined && chosen.length === 0) throw new ApiError('no_profile')
  return {
    app: appId,
    account: accountId,
    counted_at: clock.now(),
    quotas: used(quotas, 'account', totalOf(all)),
    profiles: chosen.map((profile) => ({
      profile: profileName(profile),
      id: profile.profileId,
      items: profile.items,
      bytes: profile.bytes,
      quotas: used(quotas, 'profile', profile),
    })),
  }
}

function used(quotas: Quotas, scope: 'profile' | 'account' | 'app' | 'own', { items, bytes }: Amount) {
  return {
    [`${scope}_items`]: use(items, quotas[`${scope}_items`]),
    [`${scope}_bytes`]: use(bytes, quotas[`${scope}_bytes`]),
  }
}

function use(amount: number, limit: number): QuotaUse {
  return { used: amount, limit: presentLimit(limit), state: quotaState(amount, limit) }
}
