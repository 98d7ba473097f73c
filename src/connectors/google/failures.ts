import type { Api, RateLimitInfo } from '#kit/connector/connector.ts'

/** Errors come with `errors` (older APIs), with `details` (newer ones), or with both. */
interface Failure {
  error?: {
    message?: string
    errors?: ({ domain?: string; reason?: string; location?: string } | null)[]
    details?: ({ reason?: string; metadata?: { quota_limit?: string; quota_unit?: string } } | null)[]
  }
}

type Recovery = ReturnType<NonNullable<Api['recovery']>>

const MEANINGS = new Map<string, Recovery>([
  // Positions that the service has forgotten.
  ['EXPIRED_SYNC_TOKEN', 'restart'],
  ['fullSyncRequired', 'restart'],
  ['updatedMinTooLongAgo', 'restart'],
  ['invalidPageToken', 'restart'],
  // The token is valid, but the person did not grant this.
  ['insufficientPermissions', 'not_granted'],
  ['ACCESS_TOKEN_SCOPE_INSUFFICIENT', 'not_granted'],
  // The app's owner must switch the API on.
  ['accessNotConfigured', 'stop'],
  ['SERVICE_DISABLED', 'stop'],
  // A person without a channel. The status is 401, but the token is valid.
  ['youtubeSignupRequired', 'skip'],
  ['channelNotFound', 'skip'],
])

/** Parameters that carry a position. */
const POSITIONS = new Set(['pageToken', 'syncToken', 'startHistoryId'])
/** Gmail's answer to a history that is too old has no reason of its own. */
const NO_HISTORY = 'Requested entity was not found.'

export const recovery: NonNullable<Api['recovery']> = ({ status, body }) => {
  if (status < 400) return undefined
  const error = errorOf(body)
  const whose = limitOf(error)
  if (whose !== undefined) return whose === 'day' ? 'retry' : whose
  const { errors, details, message } = error
  for (const { reason } of [...details, ...errors]) {
    const meaning = reason === undefined ? undefined : MEANINGS.get(reason)
    if (meaning !== undefined) return meaning
  }
  if (status === 400 && errors.some(({ location = '' }) => POSITIONS.has(location))) return 'restart'
  return status === 404 && message === NO_HISTORY ? 'restart' : undefined
}

const LIMIT_REASONS = new Set([
  'RATE_LIMIT_EXCEEDED',
  'rateLimitExceeded',
  'userRateLimitExceeded',
  'dailyLimitExceeded',
  'quotaExceeded',
])
const OF_A_PERSON = /per ?user|for user|\{user\}/i
const OF_THE_APP = /per ?project|\{project\}/i

/**
 * Whose limit refused a call. `rateLimitExceeded` is said of one person, of one calendar and of the app alike, so the name of the
 * quota or the message decides; without them it is the person, because a pause of everybody would stop people who are within
 * their limits. Calendar's `quotaExceeded` is of one person too, YouTube's is the day of the app.
 */
function limitOf({ errors, details, message = '' }: GoogleError): 'pause_person' | 'pause_app' | 'day' | undefined {
  const limited = [...details, ...errors].filter(({ reason = '' }) => LIMIT_REASONS.has(reason))
  if (limited.length === 0) return undefined
  const quotas = details.flatMap(({ metadata }) => [metadata?.quota_limit ?? '', metadata?.quota_unit ?? ''])
  const said = [...quotas, message].join('\n')
  if (OF_A_PERSON.test(said)) return 'pause_person'
  if (/per ?day|1\/d\//i.test(said) || errors.some(isOfDay)) return 'day'
  return OF_THE_APP.test(said) ? 'pause_app' : 'pause_person'
}

const isOfDay = ({ reason, domain }: { reason?: string; domain?: string }) =>
  reason === 'dailyLimitExceeded' || (reason === 'quotaExceeded' && domain?.startsWith('youtube') === true)

/** The quota of a day ends for all people of the app, at one API, until it is midnight in California. */
export function rate(_headers: Record<string, string>, nowMs: number, body?: unknown): RateLimitInfo | undefined {
  if (limitOf(errorOf(body)) !== 'day') return undefined
  return { remaining: 0, resetAtMs: nextPacificMidnight(nowMs), of: 'app_group' }
}

const CLOCK_IN_CALIFORNIA = {
  timeZone: 'America/Los_Angeles',
  hourCycle: 'h23',
  hour: 'numeric',
  minute: 'numeric',
  second: 'numeric',
} as const
const [HOUR_MS, MINUTE_MS, SECOND_MS] = [3_600_000, 60_000, 1000]

/** An hour early or late on the two days of the year on which the clocks change. */
export function nextPacificMidnight(nowMs: number): number {
  // Created when it is needed, because loading the rules of time zones takes longer than loading a connector.
  const format = new Intl.DateTimeFormat('en-US', CLOCK_IN_CALIFORNIA)
  const parts = new Map(format.formatToParts(nowMs).map(({ type, value }) => [type, Number(value)]))
  const part = (name: 'hour' | 'minute' | 'second') => parts.get(name) ?? 0
  const passedMs = part('hour') * HOUR_MS + part('minute') * MINUTE_MS + part('second') * SECOND_MS
  return nowMs - (nowMs % SECOND_MS) - passedMs + 24 * HOUR_MS
}

type GoogleError = ReturnType<typeof errorOf>

function errorOf(body: unknown) {
  const error = (body as Failure | null | undefined)?.error
  return {
    message: error?.message,
    errors: listOf(error?.errors),
    details: listOf(error?.details),
  }
}

function listOf<Entry>(list: (Entry | null)[] | undefined): Entry[] {
  return Array.isArray(list) ? list.filter((entry) => entry !== null && typeof entry === 'object') : []
}
