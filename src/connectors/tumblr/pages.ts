import { offsetPages, type Page, type PageRequest, type Pages } from '#kit/endpoints/pages.ts'
import type { Post } from './content.ts'

interface Linked {
  response?: { _links?: { next?: { query_params?: Record<string, unknown> } }; posts?: Post[] } | null
}

/** The largest page size of every endpoint. */
const SIZE = { param: 'limit', value: 20 }
/** A request may have only one of these parameters. */
const POSITION_PARAMETERS = new Set(['offset', 'before', 'after', 'page_number'])

/** Pages by offset, up to a greatest one. */
export const countedPages = (maxOffset?: number): Pages =>
  offsetPages({ param: 'offset', size: SIZE, ...(maxOffset === undefined ? {} : { maxOffset }) })

/** `_links.next` of the response has the parameters of the next page. */
export const linkedPages: Pages = {
  first: (request) => request,
  next: (page) => withParameters(page.request, linksOf(page)?.next?.query_params),
}

/** Pages by link if the response has one, else by offset, which ends at 1000. */
export const likedPages: Pages = {
  first: (request) => ({ ...request, query: { [SIZE.param]: String(SIZE.value), ...request.query } }),
  next: (page) => {
    // A walk by links ends at the first page without one.
    if (linksOf(page) !== undefined || page.request.query['before'] !== undefined) return linkedPages.next(page)
    const offset = Number(page.request.query['offset'] ?? 0) + SIZE.value
    return page.count === 0 || offset > 1000 ? undefined : withParameters(page.request, { offset })
  },
}

/**
 * Pages by time: offsets shift when something is posted during a walk. Posts of the same second may be on two pages.
 */
export const timedPages: Pages = {
  first: likedPages.first,
  next: ({ request, body }) => {
    const times = ((body as Linked).response?.posts ?? []).flatMap(({ timestamp }) => timestamp ?? [])
    if (times.length === 0) return undefined
    const oldest = times.reduce((least, time) => Math.min(least, time))
    const before = request.query['before'] === String(oldest + 1) ? oldest : oldest + 1
    return withParameters(request, { before })
  },
}

const linksOf = ({ body }: Page) => (body as Linked | null)?.response?._links

function withParameters(
  request: PageRequest,
  parameters: Record<string, unknown> | undefined,
): PageRequest | undefined {
  const scalars = Object.entries(parameters ?? {}).filter(([, value]) => value !== null && typeof value !== 'object')
  if (scalars.length === 0) return undefined
  const kept = Object.entries(request.query).filter(([name]) => !POSITION_PARAMETERS.has(name))
  return { ...request, query: Object.fromEntries([...kept, ...scalars.map(([name, value]) => [name, String(value)])]) }
}
