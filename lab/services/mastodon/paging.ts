import { first } from '../../base/pairs.ts'
import { json, type Reply } from '../../base/reply.ts'
import type { LabRequest } from '../../base/request.ts'

export interface Listed {
  /** What pages are cut by; not always the id of the record. */
  id: string
  record: object
}

/** `max_id` (older), `since_id` and `min_id` (newer) with addresses of both neighbours in `Link`; newest first. */
export function paged(
  origin: string,
  request: LabRequest,
  list: Listed[],
  { standard, most }: { standard: number; most: number },
): Reply {
  const limit = Math.min(most, Math.max(1, Number(first(request.query, 'limit') ?? standard) || standard))
  const [maxId, sinceId, minId] = ['max_id', 'since_id', 'min_id'].map((name) => first(request.query, name))
  const inside = list.filter(
    ({ id }) =>
      (maxId === undefined || isBelow(id, maxId)) &&
      (sinceId === undefined || isBelow(sinceId, id)) &&
      (minId === undefined || isBelow(minId, id)),
  )
  // With `min_id`, the page next to it; otherwise the newest.
  const page = minId === undefined ? inside.slice(0, limit) : inside.slice(-limit)
  const address = (name: string, id: string): string => {
    const url = new URL(request.target, origin)
    for (const each of ['max_id', 'since_id', 'min_id']) url.searchParams.delete(each)
    url.searchParams.set(name, id)
    return url.href
  }
  const links = [
    ...(page.length === limit ? [`<${address('max_id', page.at(-1)?.id ?? '')}>; rel="next"`] : []),
    ...(page.length > 0 ? [`<${address('min_id', page[0]?.id ?? '')}>; rel="prev"`] : []),
  ]
  return json(
    200,
    page.map(({ record }) => record),
    links.length > 0 ? { link: links.join(', ') } : {},
  )
}

const isBelow = (a: string, b: string): boolean => (/^\d+$/.test(b) ? BigInt(a) < BigInt(b) : false)
