import type { OutgoingHttpHeaders } from 'node:http'
import type { ServiceClock } from '../base/clock.ts'
import { Refusal, type Reply, withHeaders } from '../base/reply.ts'
import { applySettings, isNumber, type SettingRules } from '../base/settings.ts'
import { createWindows, type Windows } from '../base/windows.ts'

interface LimitRules<Settings extends object, Key extends unknown[]> {
  settings: Settings
  /** The allowed values, where they are not numbers. */
  allowed?: Partial<SettingRules<Settings>>
  /** Counts a call: the headers that report the limit, and the reply to a call beyond it. */
  count: (windows: Windows, ...key: Key) => { headers: OutgoingHttpHeaders; refusal?: Reply | false }
}

export interface Limits<Settings extends object, Key extends unknown[]> {
  settings: Settings
  windows: Windows
  configure(changes: Record<string, unknown>): void
  /** Counts a call, or refuses it; returns what adds the headers to its reply. */
  acquire(...key: Key): (reply: Reply) => Reply
}

export function declareLimits<Settings extends object, Key extends unknown[]>(
  clock: ServiceClock,
  { settings, allowed, count }: LimitRules<Settings, Key>,
): Limits<Settings, Key> {
  const windows = createWindows(clock)
  const numbers = Object.fromEntries(Object.keys(settings).map((name) => [name, isNumber]))
  return {
    settings,
    windows,
    configure: (changes) => void applySettings(settings, changes, { ...numbers, ...allowed } as SettingRules<Settings>),
    acquire(...key) {
      const { headers, refusal } = count(windows, ...key)
      if (refusal) throw new Refusal(withHeaders(refusal, headers))
      return (reply) => withHeaders(reply, headers)
    },
  }
}
