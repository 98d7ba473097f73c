import type { OutgoingHttpHeaders } from 'node:http'
import type { ServiceClock } from '../base/clock.ts'
import type { Refusal } from '../base/reply.ts'
import { declareLimits } from '../declare/limits.ts'
import type { GraphCaller } from './caller.ts'

export interface Usage {
  percent: number
  /** 0 while calls are allowed. */
  waitSeconds: number
}

interface UsageRules {
  settings: { limit: number; windowSeconds: number }
  /** Whose calls are counted together. */
  keyOf: (caller: GraphCaller) => string
  headers: (usage: Usage, caller: GraphCaller) => OutgoingHttpHeaders
  refusal: () => Refusal
}

/** Meta reports usage as a percentage of the limit, never as a number of calls. */
export const declareUsage = (clock: ServiceClock, { settings, keyOf, headers, refusal }: UsageRules) =>
  declareLimits(clock, {
    settings,
    count(windows, caller: GraphCaller) {
      const window = windows(keyOf(caller), settings.windowSeconds * 1000)
      window.count += 1
      const limit = Math.max(1, settings.limit)
      const left = Math.max(0, settings.limit - window.count)
      const isOver = window.count > settings.limit
      const usage = {
        percent: isOver ? 100 : Math.floor(((limit - left) / limit) * 100),
        waitSeconds: isOver ? Math.max(1, Math.ceil((window.endMs - clock.now()) / 1000)) : 0,
      }
      return { headers: headers(usage, caller), refusal: isOver && refusal().reply }
    },
  })
