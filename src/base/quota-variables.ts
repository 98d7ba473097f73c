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

const items = (name: string, fallback: string, whose: string): QuotaVariable => ({
  name: `TRIBUTARY_QUOTA_${name}`,
  fallback,
  meaning: `How many items ${whose} may have; \`none\` for no limit.`,
  read: readAmount,
})
const bytes = (name: string, fallback: string, whose: string): QuotaVariable => ({
  name: `TRIBUTARY_QUOTA_${name}`,
  fallback,
  meaning: `How many bytes the records of ${whose} may have together, such as \`500MB\`; \`none\` for no limit.`,
  read: readAmount,
})

/** Part of the table in `config.ts`. */
export const QUOTA_VARIABLES: { [K in keyof QuotaSettings]: QuotaVariable } = {
  quotaProfileItems: items('PROFILE_ITEMS', '2000000', 'one profile'),
  quotaProfileBytes: bytes('PROFILE_BYTES', '10GB', 'one profile'),
  quotaAccountItems: items('ACCOUNT_ITEMS', '5000000', 'one account'),
  quotaAccountBytes: bytes('ACCOUNT_BYTES', '25GB', 'one account'),
  quotaAppItems: items('APP_ITEMS', '100000000', 'one app, over all its accounts,'),
  quotaAppBytes: bytes('APP_BYTES', '1TB', 'one app, over all its accounts,'),
  quotaOwnItems: items('OWN_ITEMS', '20000000', 'one app, of its own,'),
  quotaOwnBytes: bytes('OWN_BYTES', '200GB', "one app's own items"),
  quotaAppSignIns: {
    name: 'TRIBUTARY_QUOTA_APP_SIGN_INS',
    fallback: '20000',
    meaning: 'How many sign-ins to one app may be unfinished at a time; `none` for no limit.',
    read: readAmount,
  },
  quotaAddressSignIns: {
    name: 'TRIBUTARY_QUOTA_ADDRESS_SIGN_INS',
    fallback: '500',
    meaning:
      'How many sign-ins from one address (of IPv6: one /64 network) may be unfinished at a time; `none` for no limit.',
    read: readAmount,
  },
}

const UNITS: Record<string, number> = { '': 1, K: 1e3, M: 1e6, G: 1e9, T: 1e12 }

function readAmount(text: string): number {
  if (text === 'none') return Number.POSITIVE_INFINITY
  const [, digits, unit] = /^(\d{1,15})([KMGT]?)B?$/i.exec(text) ?? []
  const amount = Number(digits) * (UNITS[unit?.toUpperCase() ?? ''] ?? 1)
  if (digits !== undefined && Number.isSafeInteger(amount)) return amount
  throw new Error(`must be a whole number such as 5000 or 10GB, or none, not “${text}”`)
}
