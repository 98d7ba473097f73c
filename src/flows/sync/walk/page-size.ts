import type { Endpoint } from '#kit/endpoints/endpoint.ts'
import type { PageRequest } from '#kit/endpoints/pages.ts'
import { UpstreamError } from '#upstream/request/errors.ts'

/** Limit: records per page to which a service can make us reduce a request; if it refuses this, the sync fails. */
const MIN_PAGE_SIZE = 1

/**
 * The page size of a new walk: after a walk with a smaller one, twice that, so that the size recovers and a walk costs at
 * most a few refused calls. Undefined: the endpoint's own.
 */
export function firstSize({ pages }: Endpoint, last: number | undefined): number | undefined {
  if (last === undefined || pages.size === undefined) return undefined
  return last * 2 >= pages.size.value ? undefined : last * 2
}

export function resize({ pages }: Endpoint, request: PageRequest, size: number | undefined): PageRequest {
  return size === undefined || pages.size === undefined ? request : pages.size.set(request, size)
}

/** The same walk with pages of half the size, after the service refused a page as too large. */
export function withSmallerPages<Walk extends { next: PageRequest; size?: number | undefined }>(
  { pages }: Endpoint,
  walk: Walk,
  refusal: UpstreamError,
): Walk {
  if (pages.size === undefined)
    throw new UpstreamError('stop', 'The service asks for smaller pages, but the endpoint has no page size.', {
      reason: 'connector_fault',
      cause: refusal,
    })
  const before = walk.size ?? pages.size.value
  if (before <= MIN_PAGE_SIZE)
    throw new UpstreamError('retry', refusal.message, {
      reason: 'page_too_large',
      status: refusal.status,
      cause: refusal,
    })
  const size = Math.max(MIN_PAGE_SIZE, Math.floor(before / 2))
  return { ...walk, size, next: pages.size.set(walk.next, size) }
}
