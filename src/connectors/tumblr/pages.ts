import { offsetPages, type Page, type PageRequest, type Pages } from '#kit/pages.ts'
import type { Post } from './content.ts'

interface Linked {
  response?: { _links?: { next?: { query_params?: Record<string, unknown> } }; posts?: Post[] } | null
}

/** At most this many in one answer, of anything. */
const SIZE = { param: 'limit', value: 20 }
/** A question may say where to begin in one way only. */
const PLACES = new Set(['offset', 'before', 'after', 'page_number'])

/** By number, up to a most. */
export const countedPages = (most?: number): Pages =>
  offsetPages({ param: 'offset', size: SIZE, ...(most === undefined ? {} : { most }) })

/** The answer's `_links.next` names the parameters that change. */
export const linkedPages: Pages = {
  first: (request) => request,
  next: (page) => follow(page.request, linksOf(page)?.next?.query_params),
}

/** Links where the answer has them, else numbers: those end at 1000. */
export const likedPages: Pages = {
  first: (request) => ({ ...request, query: { [SIZE.param]: String(SIZE.value), ...request.query } }),
  next: (page) => {
    // A walk that links lead ends where there are none.
    if (linksOf(page) !== undefined || page.request.query['before'] !== undefined) return linkedPages.next(page)
    const offset = Number(page.request.query['offset'] ?? 0) + SIZE.value
    return page.count === 0 || offset > 1000 ? undefined : follow(page.request, { offset })
  },
}

/** Numbers shift when something is posted meanwhile, times do not. Posts of the same second may lie on both sides of the cut. */
export const timedPages: Pages = {
  first: likedPages.first,
  next: ({ request, body }) => {
    const times = ((body as Linked).response?.posts ?? []).flatMap(({ timestamp }) => timestamp ?? [])
    if (times.length === 0) return undefined
    const oldest = times.reduce((least, time) => Math.min(least, time))
    const before = request.query['before'] === String(oldest + 1) ? oldest : oldest + 1
    return follow(request, { before })
  },
}

const linksOf = ({ body }: Page) => (body as Linked | null)?.response?._links

function follow(request: PageRequest, parameters: Record<string, unknown> | undefined): PageRequest | undefined {
  const scalars = Object.entries(parameters ?? {}).filter(([, value]) => value !== null && typeof value !== 'object')
  if (scalars.length === 0) return undefined
  const kept = Object.entries(request.query).filter(([name]) => !PLACES.has(name))
  return { ...request, query: Object.fromEntries([...kept, ...scalars.map(([name, value]) => [name, String(value)])]) }
}
