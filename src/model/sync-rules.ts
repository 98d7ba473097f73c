/** When an endpoint is read: the text of the app, and its meaning. */
export type IntervalRule = { text: string; everyMs: number } | { text: string; cron: string; zone?: string }

/** Classes of endpoints that an app may switch off; `core` always runs. */
export const OPTIONAL_CLASSES = ['personal', 'social'] as const
export type OptionalClass = (typeof OPTIONAL_CLASSES)[number]

/** How the profiles of an app are synced. */
export interface SyncRules {
  off: OptionalClass[]
  /** By `service/endpoint`, or `service/*`. */
  pace: Record<string, IntervalRule>
}

/** Parses stored rules. Only this service writes them, so another shape is a bug and throws. */
export function parseSyncRules(stored: unknown): SyncRules {
  const { off = [], pace = {} } = toObject(stored)
  if (!Array.isArray(off)) throw unknownShape()
  return {
    off: off.map(toClass),
    pace: Object.fromEntries(Object.entries(toObject(pace)).map(([name, rule]) => [name, toRule(rule)])),
  }
}

function toRule(stored: unknown): IntervalRule {
  const { text, everyMs, cron, zone } = toObject(stored)
  if (typeof text !== 'string') throw unknownShape()
  if (typeof everyMs === 'number') return { text, everyMs }
  if (typeof cron !== 'string') throw unknownShape()
  return { text, cron, ...(typeof zone === 'string' ? { zone } : {}) }
}

function toClass(stored: unknown): OptionalClass {
  const known = OPTIONAL_CLASSES.find((each) => each === stored)
  if (known === undefined) throw unknownShape()
  return known
}

function toObject(value: unknown): Record<string, unknown> {
  if (value === null || typeof value !== 'object' || Array.isArray(value)) throw unknownShape()
  return value as Record<string, unknown>
}

function unknownShape(): TypeError {
  return new TypeError('The stored sync rules have an unknown shape.')
}
