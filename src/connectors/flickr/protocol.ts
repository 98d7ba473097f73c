import type { Api } from '#kit/connector/connector.ts'
import type { Pages } from '#kit/endpoints/pages.ts'

interface Envelope {
  stat?: unknown
  code?: unknown
}

/** 96 and 97: signature; 98: invalid token; 99: the token lacks the permission. */
const REAUTHORIZE = [96, 97, 98, 99]
/** 105: unavailable; 106: failed for now. */
const RETRY = [105, 106]
/** 1 and 2: no such user or thing, or not visible to the person. */
const SKIP = [1, 2]

/** Failures have status 200 and `stat: fail`, whose codes above 90 mean the same in every method. */
export const recovery: NonNullable<Api['recovery']> = ({ body }) => {
  const { stat, code } = (typeof body === 'object' && body !== null ? body : {}) as Envelope
  if (stat !== 'fail') return undefined
  const number = Number(code)
  if (REAUTHORIZE.includes(number)) return 'reauthorize'
  if (RETRY.includes(number)) return 'retry'
  return SKIP.includes(number) ? 'skip' : 'stop'
}

interface Paging {
  page?: number | string
  pages?: number | string
}

/** Numbered pages that say how many there are: a page beyond the last one repeats it. */
export function countedPages<Body>(size: number, from: (body: Body) => Paging | undefined): Pages {
  return {
    first: (request) => ({ ...request, query: { ...request.query, per_page: String(size), page: '1' } }),
    next: ({ request, body, count }) => {
      const { pages } = from((body ?? {}) as Body) ?? {}
      const page = Number(request.query['page'])
      if (count === 0 || !(page < Number(pages))) return undefined
      return { ...request, query: { ...request.query, page: String(page + 1) } }
    },
  }
}
