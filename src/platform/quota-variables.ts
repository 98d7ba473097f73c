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

/** Part of the table in `config.ts`. */
export const QUOTA_VARIABLES: { [K in keyof QuotaSettings]: QuotaVariable } = {
  quotaProfileItems: quota('PROFILE_ITEMS', '2000000', 'How many items one profile may have'),
  quotaProfileBytes: quota('PROFILE_BYTES', '10GB', 'How many bytes the records of one profile may have together'),
  quotaAccountItems: quota('ACCOUNT_ITEMS', '5000000', 'How many items one account may have'),
  quotaAccountBytes: quota('ACCOUNT_BYTES', '25GB', 'How many bytes the records of one account may have together'),
  quotaAppItems: quota('APP_ITEMS', '100000000', 'How many items one app may have, over all its accounts'),
  quotaAppBytes: quota('APP_BYTES', '1TB', 'How many bytes the records of one app may have together'),
  quotaOwnItems: quota('OWN_ITEMS', '20000000', 'How many items of its own one app may store'),
  quotaOwnBytes: quota('OWN_BYTES', '200GB', "How many bytes the records of one app's own items may have together"),
  quotaAppSignIns: quota('APP_SIGN_INS', '20000', 'How many sign-ins to one app may be unfinished at a time'),
  quotaAddressSignIns: quota(
    'ADDRESS_SIGN_INS',
    '500',
    'How many sign-ins from one address (of IPv6: one /64 network) may be unfinished at a time',
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
