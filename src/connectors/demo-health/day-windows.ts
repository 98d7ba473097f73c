import type { PageRequest, Pages } from '#kit/pages.ts'

const DAY_MS = 86_400_000
/** Limit: days that the service gives in one window. */
const MAX_DAYS = 31
/** No watch of this service is older. */
const EARLIEST = '2015-01-01'

const dayOf = (ms: number): string => new Date(ms).toISOString().slice(0, 10)
const windowEnding = (lastMs: number) => ({ start: dayOf(lastMs - (MAX_DAYS - 1) * DAY_MS), end: dayOf(lastMs) })

/** The newest window, unless the request names one already. */
export function newestWindow(request: PageRequest, { nowMs }: { nowMs: number }): PageRequest {
  return { ...request, query: { ...windowEnding(nowMs), ...request.query } }
}

/** Windows of 31 days, newest first. An empty one says nothing of those before it, so that only the calendar ends the walk. */
export const dayWindows: Pages = {
  first: (request) => request,
  next: ({ request }) => {
    const start = request.query['start']
    if (start === undefined || start <= EARLIEST) return undefined
    return { ...request, query: { ...request.query, ...windowEnding(Date.parse(`${start}T00:00:00Z`) - DAY_MS) } }
  },
}
