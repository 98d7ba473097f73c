import type { PageRequest, Pages } from '#kit/endpoints/pages.ts'

const DAY_MS = 86_400_000
/** A list ends after about a thousand clips, those with the most views, and longer periods leave some out. */
const WINDOW_MS = 30 * DAY_MS
/** Clips exist since then. */
const EARLIEST_MS = Date.UTC(2016, 4, 1)
/** Clips appear late, and may be deleted soon after. */
const OVERLAP_MS = 7 * DAY_MS

const timeText = (ms: number): string => new Date(ms).toISOString().replace(/\.\d+Z$/, 'Z')

const windowEnding = (endMs: number, fromMs = 0) => ({
  started_at: timeText(Math.max(fromMs, endMs - WINDOW_MS)),
  ended_at: timeText(endMs),
})

/** From a week before the watermark; without one, or after a long pause, the newest window. It ends at a full hour. */
export function newestWindow(
  request: PageRequest,
  { nowMs, watermark }: { nowMs: number; watermark: string | number | undefined },
): PageRequest {
  const endMs = Math.ceil(nowMs / 3_600_000) * 3_600_000
  const knownMs = watermark === undefined ? 0 : Number(watermark) - OVERLAP_MS
  return { ...request, query: { ...request.query, ...windowEnding(endMs, knownMs) } }
}

/** All pages of a window, then the window before it. A shorter window begins at the watermark: the others are known. */
export function withEarlierWindows(pages: Pages): Pages {
  return {
    ...pages,
    next: (page) => {
      const more = pages.next(page)
      if (more !== undefined) return more
      const { after: _, started_at = '', ended_at = '', ...query } = page.request.query
      const [startMs, endMs] = [Date.parse(started_at), Date.parse(ended_at)]
      if (!(endMs - startMs >= WINDOW_MS) || startMs <= EARLIEST_MS) return undefined
      return { ...page.request, query: { ...query, ...windowEnding(startMs) } }
    },
  }
}
