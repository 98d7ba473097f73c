/** When an endpoint is read: the text of the app, and its meaning. */
export type IntervalRule = { text: string; everyMs: number } | { text: string; cron: string; zone?: string }

/** Classes of endpoints that an app may switch off; `core` always runs. */
export const OPTIONAL_CLASSES = ['personal', 'social'] as const
export type OptionalClass = (typeof OPTIONAL_CLASSES)[number]

/** What an app may spend at a service in a month: its own text, and the amount in millionths of the currency. */
export interface SpendingLimit {
  text: string
  micros: number
}

/** How the profiles of an app are synced. */
export interface SyncRules {
  off: OptionalClass[]
  /** By `service/endpoint`, or `service/*`. */
  pace: Record<string, IntervalRule>
  /** Priced endpoints that the app switched on: `service/endpoint`, or `service/*`. */
  on: string[]
  /** By service; without a limit, as much as the endpoints cost. */
  spending: Record<string, SpendingLimit>
}

/** Parses stored rules. Only this service writes them, so another shape is a bug and throws. */
export function parseSyncRules(stored: unknown): SyncRules {
  const { off = [], pace = {}, on = [], spending = {} } = toObject(stored)
  if (!Array.isArray(off) || !Array.isArray(on)) throw unknownShape()
  return {
    off: off.map(toClass),
    pace: Object.fromEntries(Object.entries(toObject(pace)).map(([name, rule]) => [name, toRule(rule)])),
    on: on.map(toName),
    spending: Object.fromEntries(Object.entries(toObject(spending)).map(([name, limit]) => [name, toLimit(limit)])),
  }
}

function toRule(stored: unknown): IntervalRule {
  const { text, everyMs, cron, zone } = toObject(stored)
  if (typeof text !== 'string') throw unknownShape()
  if (typeof everyMs === 'number') return { text, everyMs }
  if (typeof cron !== 'string') throw unknownShape()
  return { text, cron, ...(typeof zone === 'string' ? { zone } : {}) }
}

function toName(stored: unknown): string {
  if (typeof stored !== 'string') throw unknownShape()
  return stored
}

function toLimit(stored: unknown): SpendingLimit {
  const { text, micros } = toObject(stored)
  if (typeof text !== 'string' || !Number.isSafeInteger(micros)) throw unknownShape()
  return { text, micros: Number(micros) }
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
