import { applySettings, type SettingRules } from '../base/settings.ts'

interface Configurable {
  settings(): object
  configure(changes: Record<string, unknown>): void
}

/** Combines a service's own settings with those of the authorization server and the rate limit. */
export function withOwnSettings<S extends object>(own: S, rules: SettingRules<S>, inner: Configurable): Configurable {
  return {
    settings: () => ({ ...inner.settings(), ...own }),
    configure(changes) {
      const ownChanges = Object.entries(changes).filter(([name]) => name in rules)
      const rest = Object.entries(changes).filter(([name]) => !(name in rules))
      inner.configure(Object.fromEntries(rest))
      applySettings(own, Object.fromEntries(ownChanges), rules)
    },
  }
}
