import type { PageRequest, Pages } from '#kit/endpoints/pages.ts'

const DAY_MS = 86_400_000
/** The first ring was sold in 2015. */
const EARLIEST = '2015-01-01'
const OVERLAP_MS = 7 * DAY_MS
/** The service allows 30 days in one request. */
const WINDOW_MS = 30 * DAY_MS
/** Rings record it since the third generation. */
const EARLIEST_HEART_RATE_MS = Date.UTC(2021, 9, 1)
const HEART_RATE_OVERLAP_MS = 3 * DAY_MS

interface Context {
  nowMs: number
  watermark: string | number | undefined
}

const dayOf = (ms: number): string => new Date(ms).toISOString().slice(0, 10)
const timeText = (ms: number): string => new Date(ms).toISOString().replace(/\.\d+Z$/, 'Z')

/** From a week before the watermark until tomorrow, whose day has begun somewhere. */
export function fromDay(request: PageRequest, { nowMs, watermark }: Context): PageRequest {
  const start_date = watermark === undefined ? EARLIEST : dayOf(Date.parse(String(watermark)) - OVERLAP_MS)
  return { ...request, query: { start_date, end_date: dayOf(nowMs + DAY_MS), ...request.query } }
}

/**
 * From three days before the watermark; without one, or after a long pause, the newest window. It ends at a full hour, so that a
 * request that is repeated at once is the same.
 */
export function newestHours(request: PageRequest, { nowMs, watermark }: Context): PageRequest {
  const endMs = Math.ceil(nowMs / 3_600_000) * 3_600_000
  const knownMs = watermark === undefined ? 0 : Number(watermark) - HEART_RATE_OVERLAP_MS
  return { ...request, query: { ...windowEnding(endMs, knownMs), ...request.query } }
}

const windowEnding = (endMs: number, fromMs = 0) => ({
  start_datetime: timeText(Math.max(fromMs, endMs - WINDOW_MS)),
  end_datetime: timeText(endMs),
})

const nextTokenOf = (body: unknown) => (body as { next_token?: string | null } | null)?.next_token

export const dayPages: Pages = {
  first: (request) => request,
  next: ({ request, body }) => withToken(request, nextTokenOf(body)),
}

function withToken(request: PageRequest, token: string | null | undefined): PageRequest | undefined {
  return token ? { ...request, query: { ...request.query, next_token: token } } : undefined
}

/** All pages of a window, then the window before it. A shorter window begins at the watermark: the others are known. */
export const heartRateWindows: Pages = {
  first: (request) => request,
  next: ({ request, body }) => {
    const more = withToken(request, nextTokenOf(body))
    if (more !== undefined) return more
    const { next_token: _, start_datetime = '', end_datetime = '', ...query } = request.query
    const [startMs, endMs] = [Date.parse(start_datetime), Date.parse(end_datetime)]
    if (!(endMs - startMs >= WINDOW_MS) || startMs <= EARLIEST_HEART_RATE_MS) return undefined
    return { ...request, query: { ...query, ...windowEnding(startMs) } }
  },
}
