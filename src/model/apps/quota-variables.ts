/** The default quotas of every app. Infinity: no limit. */
export interface QuotaSettings {
  quotaProfileItems: number
  quotaProfileBytes: number
  quotaAccountItems: number
  quotaAccountBytes: number
  quotaAppItems: number
  quotaAppBytes: number
  quotaOwnItems: number
  quotaOwnBytes: number
  quotaAppSignIns: number
  quotaAddressSignIns: number
}

interface QuotaVariable {
  name: string
  fallback: string
  meaning: string
  read: (text: string) => number
}

const quota = (name: string, fallback: string, meaning: string): QuotaVariable => ({
  name: `TRIBUTARY_QUOTA_${name}`,
  fallback,
  meaning: `${meaning}; \`none\` for no limit.`,
  read: readAmount,
})

/** The quota part of the table in `config.ts`. */
export const QUOTA_VARIABLES: { [K in keyof QuotaSettings]: QuotaVariable } = {
  quotaProfileItems: quota('PROFILE_ITEMS', '2000000', 'Maximum number of items of one profile'),
  quotaProfileBytes: quota('PROFILE_BYTES', '10GB', 'Maximum total bytes of the records of one profile'),
  quotaAccountItems: quota('ACCOUNT_ITEMS', '5000000', 'Maximum number of items of one account'),
  quotaAccountBytes: quota('ACCOUNT_BYTES', '25GB', 'Maximum total bytes of the records of one account'),
  quotaAppItems: quota('APP_ITEMS', '100000000', 'Maximum number of items of one app, over all its accounts'),
  quotaAppBytes: quota('APP_BYTES', '1TB', 'Maximum total bytes of the records of one app'),
  quotaOwnItems: quota('OWN_ITEMS', '20000000', 'Maximum number of own items that one app may store'),
  quotaOwnBytes: quota('OWN_BYTES', '200GB', "Maximum total bytes of the records of one app's own items"),
  quotaAppSignIns: quota('APP_SIGN_INS', '20000', 'Maximum number of unfinished sign-ins to one app'),
  quotaAddressSignIns: quota(
    'ADDRESS_SIGN_INS',
    '500',
    'Maximum number of unfinished sign-ins from one address (IPv6: one /64 network)',
  ),
}

const UNITS: Record<string, number> = { '': 1, K: 1e3, M: 1e6, G: 1e9, T: 1e12 }

function readAmount(text: string): number {
  if (text === 'none') return Number.POSITIVE_INFINITY
  const [, digits, unit] = /^(\d{1,15})([KMGT]?)B?$/i.exec(text) ?? []
  const amount = Number(digits) * (UNITS[unit?.toUpperCase() ?? ''] ?? 1)
  if (digits !== undefined && Number.isSafeInteger(amount)) return amount
  throw new Error(`must be a whole number such as 5000 or 10GB, or none, not “${text}”`)
}
