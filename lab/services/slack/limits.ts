import type { ServiceClock } from '../../base/clock.ts'
import { json } from '../../base/reply.ts'
import { isFlag } from '../../base/settings.ts'
import { declareLimits } from '../../declare/limits.ts'

/** Calls in a minute by tier. */
const TIERS = { 2: 20, 3: 50, 4: 100, special: 600 }
export type Tier = keyof typeof TIERS

export type SlackLimits = ReturnType<typeof createSlackLimits>

const HISTORIES = ['conversations.history', 'conversations.replies']

/** Per method, app and workspace, in minutes. Nothing is said before 429. */
export function createSlackLimits(clock: ServiceClock) {
  const settings = {
    /** Calls of a method in a minute; 0 means the tier of each method. */
    limit: 0,
    /** Apps outside the Marketplace that are sold: one call a minute and 15 records for histories. */
    marketplace: true,
  }
  return declareLimits(clock, {
    settings,
    allowed: { marketplace: isFlag },
    count(windows, app: string, method: string, tier: Tier) {
      const documented = !settings.marketplace && HISTORIES.includes(method) ? 1 : TIERS[tier]
      const window = windows(`${app} ${method}`, 60_000)
      window.count += 1
      const seconds = Math.max(1, Math.ceil((window.endMs - clock.now()) / 1000))
      const isOver = window.count > (settings.limit === 0 ? documented : settings.limit)
      const refusal = json(429, { ok: false, error: 'ratelimited' }, { 'retry-after': String(seconds) })
      return { headers: {}, refusal: isOver && refusal }
    },
  })
}
