import type { ServiceClock } from '../../base/clock.ts'
import { json, Refusal } from '../../base/reply.ts'
import { applySettings, isFlag, isNumber } from '../../base/settings.ts'

export interface SlackLimitSettings {
  /** Calls of a method in a minute; 0 means the tier of each method. */
  limit: number
  /** Apps outside the Marketplace that are sold: one call a minute and 15 records for histories. */
  marketplace: boolean
}

/** Calls in a minute by tier. */
const TIERS = { 2: 20, 3: 50, 4: 100, special: 600 }
export type Tier = keyof typeof TIERS

export interface SlackLimits {
  settings: SlackLimitSettings
  configure(changes: Record<string, unknown>): void
  /** Counts a call of an app in the workspace. */
  acquire(app: string, method: string, tier: Tier): void
}

const HISTORIES = ['conversations.history', 'conversations.replies']

/** Per method, app and workspace, in minutes. Nothing is said before 429. */
export function createSlackLimits(clock: ServiceClock): SlackLimits {
  const settings: SlackLimitSettings = { limit: 0, marketplace: true }
  const windows = new Map<string, { window: number; count: number }>()
  return {
    settings,
    configure: (changes) => void applySettings(settings, changes, { limit: isNumber, marketplace: isFlag }),
    acquire(app, method, tier) {
      const documented = !settings.marketplace && HISTORIES.includes(method) ? 1 : TIERS[tier]
      const limit = settings.limit === 0 ? documented : settings.limit
      const window = Math.floor(clock.now() / 60_000)
      const key = `${app} ${method}`
      const before = windows.get(key)
      const count = before?.window === window ? before.count + 1 : 1
      windows.set(key, { window, count })
      if (count <= limit) return
      const seconds = Math.max(1, Math.ceil(((window + 1) * 60_000 - clock.now()) / 1000))
      throw new Refusal(json(429, { ok: false, error: 'ratelimited' }, { 'retry-after': String(seconds) }))
    },
  }
}
