import type { Pages } from '#kit/endpoints/pages.ts'

/** The greatest number of records on a page that the API allows. */
const PAGE_SIZE = '100'

/** Numbered pages, whose number is in a header: a page beyond the last one is an error. */
export function totalPages(): Pages {
  return {
    first: (request) => ({ ...request, query: { ...request.query, per_page: PAGE_SIZE, page: '1' } }),
    next: ({ request, headers }) => {
      const number = Number(request.query['page'] ?? '1')
      const total = Number(headers['x-wp-totalpages'] ?? '0')
      return number < total ? { ...request, query: { ...request.query, page: String(number + 1) } } : undefined
    },
  }
}

interface Problem {
  code?: string
  data?: { status?: number; details?: Record<string, { data?: { status?: number } }> }
}

/**
 * A revoked password does not fail: the caller counts as a visitor, who may not use some parameters. The API then says 400, with
 * the status that it means inside. Roles that may not write have no posts, and are refused the same parameters with 403.
 */
export function recovery({ status, body }: { status: number; body: unknown }): 'reauthorize' | 'skip' | undefined {
  if (status !== 400 && status !== 403) return undefined
  const { data } = (body ?? {}) as Problem
  const inside = Object.values(data?.details ?? {}).map((detail) => detail.data?.status)
  if (inside.includes(401)) return 'reauthorize'
  return status === 403 || inside.includes(403) ? 'skip' : undefined
}

/** The page on which people give an app its password, from the description of the API. */
export function authorizePage(document: unknown): string | undefined {
  const { authentication } = document as {
    authentication?: { 'application-passwords'?: { endpoints?: { authorization?: string } } }
  }
  return authentication?.['application-passwords']?.endpoints?.authorization
}
