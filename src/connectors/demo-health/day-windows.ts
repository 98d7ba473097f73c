import type { PageRequest, Pages } from '#kit/endpoints/pages.ts'

const DAY_MS = 86_400_000
/** Limit: days that the service allows in one window. */
const MAX_DAYS = 31
/** No device of this service is older. */
const EARLIEST = '2015-01-01'

const dayOf = (ms: number): string => new Date(ms).toISOString().slice(0, 10)
const windowEnding = (lastMs: number) => ({ start: dayOf(lastMs - (MAX_DAYS - 1) * DAY_MS), end: dayOf(lastMs) })

/** Adds the newest window, unless the request has one. */
export function newestWindow(request: PageRequest, { nowMs }: { nowMs: number }): PageRequest {
  return { ...request, query: { ...windowEnding(nowMs), ...request.query } }
}

/**
 * Windows of 31 days, newest first. Older windows may have records even if one is empty, so only `EARLIEST` ends the
 * walk.
 */
export const dayWindows: Pages = {
  first: (request) => request,
  next: ({ request }) => {
    const start = request.query['start']
    if (start === undefined || start <= EARLIEST) return undefined
    return { ...request, query: { ...request.query, ...windowEnding(Date.parse(`${start}T00:00:00Z`) - DAY_MS) } }
  },
}
