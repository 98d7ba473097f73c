/** How often an endpoint is read, as the app wrote it and as it is read. */
export type PaceRule = { text: string; everyMs: number } | { text: string; cron: string; zone?: string }

/** Classes of endpoints that an app may switch off. `core` always runs. */
export const OPTIONAL_CLASSES = ['personal', 'social'] as const
export type OptionalClass = (typeof OPTIONAL_CLASSES)[number]

/** How an app wants its people's profiles synced. */
export interface SyncRules {
  off: OptionalClass[]
  /** By `service/endpoint`, or `service/*`. */
  pace: Record<string, PaceRule>
}

/** Reads the rules as they are stored. Nobody but this service writes them, so that another shape is a bug and throws. */
export function parseSyncRules(stored: unknown): SyncRules {
  const { off = [], pace = {} } = objectOf(stored)
  if (!Array.isArray(off)) throw wrong()
  return {
    off: off.map(classOf),
    pace: Object.fromEntries(Object.entries(objectOf(pace)).map(([name, rule]) => [name, paceOf(rule)])),
  }
}

function paceOf(stored: unknown): PaceRule {
  const { text, everyMs, cron, zone } = objectOf(stored)
  if (typeof text !== 'string') throw wrong()
  if (typeof everyMs === 'number') return { text, everyMs }
  if (typeof cron !== 'string') throw wrong()
  return { text, cron, ...(typeof zone === 'string' ? { zone } : {}) }
}

function classOf(stored: unknown): OptionalClass {
  const known = OPTIONAL_CLASSES.find((each) => each === stored)
  if (known === undefined) throw wrong()
  return known
}

function objectOf(value: unknown): Record<string, unknown> {
  if (value === null || typeof value !== 'object' || Array.isArray(value)) throw wrong()
  return value as Record<string, unknown>
}

function wrong(): TypeError {
  return new TypeError('The stored sync rules have an unknown shape.')
}
