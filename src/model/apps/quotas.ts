import { keysOf } from '#platform/formats/keys-of.ts'
import { recordOf } from '#platform/formats/record-of.ts'
import { QUOTA_VARIABLES, type QuotaSettings } from './quota-variables.ts'

/** Every quota that an app can have, with the setting of its default. */
export const QUOTAS = {
  profile_items: { setting: 'quotaProfileItems', meaning: 'Items of one profile.' },
  profile_bytes: { setting: 'quotaProfileBytes', meaning: 'Bytes of the records of one profile.' },
  account_items: { setting: 'quotaAccountItems', meaning: 'Items of one account, over all its profiles.' },
  account_bytes: { setting: 'quotaAccountBytes', meaning: 'Bytes of the records of one account.' },
  app_items: { setting: 'quotaAppItems', meaning: 'Items of the app, over all its accounts.' },
  app_bytes: { setting: 'quotaAppBytes', meaning: 'Bytes of the records of the app, over all its accounts.' },
  own_items: { setting: 'quotaOwnItems', meaning: 'Own items that the app stored.' },
  own_bytes: { setting: 'quotaOwnBytes', meaning: 'Bytes of the records of own items.' },
  app_sign_ins: { setting: 'quotaAppSignIns', meaning: 'Unfinished sign-ins to the app.' },
} as const satisfies Record<string, { setting: keyof QuotaSettings; meaning: string }>

export type QuotaName = keyof typeof QUOTAS

export const QUOTA_NAMES = keysOf(QUOTAS)

/** The limits of an app. Infinity: no limit. */
export type Quotas = Record<QuotaName, number>

/** Limits as an operator sets them; a missing one has its default. */
export type QuotaInput = Partial<Record<QuotaName, number | 'none' | undefined>>

export interface Amount {
  items: number
  bytes: number
}

/** The limits that were set for the app, and the defaults of this process for the others. */
export function effectiveQuotas(settings: Partial<QuotaSettings> | undefined, input: QuotaInput): Quotas {
  const limit = (name: QuotaName): number => {
    const own = input[name]
    if (own !== undefined) return own === 'none' ? Number.POSITIVE_INFINITY : own
    return defaultQuota(settings, QUOTAS[name].setting)
  }
  return recordOf(QUOTA_NAMES, limit)
}

export function defaultQuota(settings: Partial<QuotaSettings> | undefined, name: keyof QuotaSettings): number {
  const { fallback, read } = QUOTA_VARIABLES[name]
  return settings?.[name] ?? read(fallback)
}

export type QuotaState = 'ok' | 'near' | 'reached'

/** From this share on a quota is `near`. */
const NEAR_SHARE = 0.8

export function quotaState(used: number, limit: number): QuotaState {
  if (used >= limit) return 'reached'
  return used >= limit * NEAR_SHARE ? 'near' : 'ok'
}

/** The amount that a profile, an account or an app has stored. */
export interface Used {
  scope: 'profile' | 'account' | 'app' | 'own'
  amount: Amount
}

/** The first quota that adding `more` would exceed. */
export function quotaInTheWay(quotas: Quotas, used: readonly Used[], more: Amount): QuotaName | undefined {
  for (const { scope, amount } of used) {
    if (amount.items + more.items > quotas[`${scope}_items`]) return `${scope}_items`
    if (amount.bytes + more.bytes > quotas[`${scope}_bytes`]) return `${scope}_bytes`
  }
  return undefined
}

/** The quotas that are near or reached. */
export function quotasNear(quotas: Quotas, used: readonly Used[]): QuotaName[] {
  return used.flatMap(({ scope, amount }) => {
    const names: QuotaName[] = []
    if (quotaState(amount.items, quotas[`${scope}_items`]) !== 'ok') names.push(`${scope}_items`)
    if (quotaState(amount.bytes, quotas[`${scope}_bytes`]) !== 'ok') names.push(`${scope}_bytes`)
    return names
  })
}

export function add(amount: Amount, more: Amount): void {
  amount.items += more.items
  amount.bytes += more.bytes
}
