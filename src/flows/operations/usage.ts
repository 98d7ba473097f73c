import { OWN_SERVICE } from '#kit/own-items.ts'
import type { Registry } from '#kit/registry.ts'
import { ApiError } from '#model/errors.ts'
import { isNamed, parseProfileName, profileName } from '#model/profile-name.ts'
import {
  type Amount,
  effectiveQuotas,
  type QuotaName,
  type QuotaState,
  type Quotas,
  quotaState,
} from '#model/quotas.ts'
import { findApp, findAppQuotas, listApps } from '#store/apps/apps.ts'
import { countNotices, listNotices } from '#store/apps/quota-notices.ts'
import { accountUsage, totalOf } from '#store/apps/usage.ts'
import { appUsage } from '#store/apps/usage-of-apps.ts'
import { findAccountById } from '#store/identity/accounts.ts'
import { appSubject, openSignIns } from '#store/identity/open-sign-ins.ts'
import { noApp, type QuotasDeps, shownLimit } from './app-quotas.ts'

type UsageDeps = QuotasDeps & { registry: Registry }

/** How much of a quota is used. */
export interface ShownUse {
  used: number
  limit: number | null
  state: QuotaState
}

export interface ShownNotice {
  quota: string
  state: 'near' | 'reached'
  account?: string
  profile?: string
  since: number
}

export interface ShownUsage {
  app: string
  account?: string
  counted_at: number
  quotas: Partial<Record<QuotaName, ShownUse>>
  /** Of an account, or of the one profile that was asked for. */
  profiles?: {
    profile: string
    id: string
    items: number
    bytes: number
    quotas: Partial<Record<QuotaName, ShownUse>>
  }[]
  /** What is nearly used up or was reached, anywhere in the app. */
  notices?: ShownNotice[]
}

/** Limit: notices that are shown at once; those that are reached come first. */
const MAX_SHOWN_NOTICES = 100

/** Limit: apps whose use of quotas is told in metrics; the oldest ones. */
const MAX_APPS_IN_METRICS = 100

/** For metrics: how full each app is, and how many quotas of profiles, accounts and apps are near or reached. */
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

/** Of the whole app, or of one of its accounts. */
export async function usageOf(
  deps: UsageDeps,
  appId: string,
  of: { account?: string | undefined; profile?: string | undefined } = {},
): Promise<ShownUsage> {
  if ((await findApp(deps.database, appId)) === undefined) throw noApp(appId)
  const quotas = effectiveQuotas(deps.config, await findAppQuotas(deps.database, appId))
  if (of.account !== undefined) return usageOfAccount(deps, appId, quotas, of.account, of.profile)
  if (of.profile !== undefined) throw new ApiError('bad_parameter', 'profile: needs an account beside it.')
  const { database, clock } = deps
  const { total, own, countedAt } = await appUsage(deps, appId, OWN_SERVICE.service)
  const { n } = await openSignIns(database, appSubject(appId), clock.now())
  const notices = await listNotices(database, appId, MAX_SHOWN_NOTICES)
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
): Promise<ShownUsage> {
  const account = await findAccountById(database, accountId)
  if (account?.appId !== appId) throw new ApiError('not_found', 'There is no such account.')
  const all = await accountUsage(database, accountId)
  const wanted = name === undefined ? undefined : parseProfileName(registry, name)
  const chosen = all.filter(
    (profile) => name === undefined || name === profile.profileId || (wanted !== undefined && isNamed(wanted, profile)),
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

function use(amount: number, limit: number): ShownUse {
  return { used: amount, limit: shownLimit(limit), state: quotaState(amount, limit) }
}
