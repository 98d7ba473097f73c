import { first } from '../../base/pairs.ts'
import { json, Refusal, type Reply } from '../../base/reply.ts'
import type { LabRequest } from '../../base/request.ts'
import { matching, oneOf, readParam } from '../../declare/parameters.ts'
import { githubError, invalidField } from './errors.ts'

interface Paged<T> {
  url: string
  request: LabRequest
  items: readonly T[]
  present: (item: T) => unknown
  /** The maximum number of items of event timelines and searches. */
  cap?: number
  capMessage?: string
  /** Wraps the list in an object, as searches do. */
  wrap?: (shown: unknown[]) => unknown
}

const capReached = 'In order to keep the API fast for everyone, pagination is limited for this resource.'

/** Numbered pages with a Link header; values out of range are clamped. */
export function pagedReply<T>(paged: Paged<T>): Reply {
  const { url, request, items, present, cap, capMessage = capReached, wrap = (shown) => shown } = paged
  const perPage = Math.min(100, whole(request, 'per_page') ?? 30)
  const page = whole(request, 'page') ?? 1
  if (cap !== undefined && (page - 1) * perPage >= cap) throw new Refusal(githubError(422, capMessage))
  const reachable = cap === undefined ? items : items.slice(0, cap)
  const last = Math.max(1, Math.ceil(reachable.length / perPage))
  const shown = reachable.slice((page - 1) * perPage, page * perPage)
  const to = (target: number, rel: string) => {
    const query = new URLSearchParams(request.query.filter(([name]) => name !== 'page').map(([...pair]) => pair))
    query.set('page', String(target))
    return `<${url}${request.path}?${query.toString()}>; rel="${rel}"`
  }
  const links = [
    ...(page > 1 ? [to(page - 1, 'prev')] : []),
    ...(page < last ? [to(page + 1, 'next'), to(last, 'last')] : []),
    ...(page > 1 ? [to(1, 'first')] : []),
  ]
  return json(200, wrap(shown.map(present)), links.length === 0 ? {} : { link: links.join(', ') })
}

function whole(request: LabRequest, name: string): number | undefined {
  const value = first(request.query, name) ?? ''
  return /^[1-9]\d{0,5}$/.test(value) ? Number(value) : undefined
}

/** A point in time from the query, in ISO 8601. */
export const timeParam = (request: LabRequest, name: string): number | undefined =>
  readParam(
    request,
    name,
    matching(/^\d{4}-\d{2}-\d{2}/, Date.parse),
    () => new Refusal(githubError(422, `The ${name} parameter must be a timestamp in ISO 8601 format.`)),
  )

/** One of a fixed list of values; anything else is rejected. */
export const choiceParam = <T extends string>(request: LabRequest, name: string, choices: readonly [T, ...T[]]): T =>
  readParam(request, name, oneOf(choices), () => new Refusal(invalidField('Search', name, 'invalid'))) ?? choices[0]
