import { first } from '../../base/pairs.ts'
import type { LabRequest } from '../../base/request.ts'
import { matching, oneOf, readParam } from '../../declare/parameters.ts'
import { refused } from './envelope.ts'
import { type PostType, postTypes } from './model.ts'
import type { PostOptions } from './present-post.ts'

export const numberParam = (request: LabRequest, name: string): number | undefined =>
  readParam(request, name, matching(/^\d{1,18}$/, Number), () => refused(400, `${name} is not a number`))

/** Values above twenty are clamped to twenty. */
export function limitParam(request: LabRequest): number {
  const limit = numberParam(request, 'limit') ?? 20
  if (limit === 0) throw refused(400, 'limit is from 1 to 20')
  return Math.min(20, limit)
}

export const idParam = (request: LabRequest, name: string): bigint | undefined =>
  readParam(request, name, matching(/^\d{1,20}$/, BigInt), () => refused(400, `${name} is not a post id`))

/** One of these values, the first if it is absent. */
export const choice = <T extends string>(
  request: LabRequest,
  name: string,
  of: readonly [T, ...T[]],
  wrong: string,
): T => readParam(request, name, oneOf(of), () => refused(400, wrong)) ?? of[0]

export function checkedType(name: string): PostType {
  const type = oneOf(postTypes)(name)
  if (!type) throw refused(400, `There is no post type ${name}`)
  return type
}

export function typeOf(request: LabRequest): PostType | undefined {
  const name = first(request.query, 'type')
  return name === undefined ? undefined : checkedType(name)
}

/** The second before which and the one after which everything is wanted. */
export function timesParam(request: LabRequest): { includes: (ms: number) => boolean } {
  const before = numberParam(request, 'before') ?? Number.POSITIVE_INFINITY
  const after = numberParam(request, 'after') ?? 0
  return { includes: (ms) => seconds(ms) < before && seconds(ms) > after }
}

export const seconds = (ms: number): number => Math.floor(ms / 1000)

const flag = (request: LabRequest, name: string): boolean => ['true', '1'].includes(first(request.query, name) ?? '')

export function postOptions(request: LabRequest): PostOptions {
  return {
    npf: flag(request, 'npf'),
    reblogInfo: flag(request, 'reblog_info'),
    notesInfo: flag(request, 'notes_info'),
    filter: choice(request, 'filter', ['html', 'text', 'raw'], 'filter is text or raw'),
  }
}

/** `tag=a`, or `tag[0]=a&tag[1]=b` for posts that have both. */
export const tagsOf = (request: LabRequest): string[] =>
  request.query.filter(([name]) => /^tag(?:\[\d?\])?$/.test(name)).map(([, value]) => value.toLowerCase())

export function onlyOneOf(request: LabRequest, names: readonly string[]): void {
  const given = names.filter((name) => first(request.query, name) !== undefined)
  if (given.length > 1) throw refused(400, `Give only one of ${given.join(', ')}`)
}

/** Offsets count from the current first item. */
export function offsetPage<T>(request: LabRequest, all: readonly T[]): { shown: T[]; links: object } {
  const limit = limitParam(request)
  const offset = numberParam(request, 'offset') ?? 0
  const end = offset + limit
  const links = end < all.length ? { _links: nextLink(request, { offset: end }) } : {}
  return { shown: all.slice(offset, end), links }
}

/** The link to the next page. A repeated parameter becomes a list in `query_params`. */
export function nextLink(request: LabRequest, fields: Record<string, string | number>): object {
  const pagingParams = ['offset', 'before', 'after', 'page_number', 'api_key']
  const otherParams = request.query.filter(([name]) => !pagingParams.includes(name))
  const query = new URLSearchParams(otherParams.map(([...pair]) => pair))
  for (const [name, value] of Object.entries(fields)) query.set(name, String(value))
  const valuesOf = (name: string) => otherParams.flatMap(([key, value]) => (key === name ? [value] : []))
  const entries = otherParams.map(([name, value]) => [name, name.endsWith('[]') ? valuesOf(name) : value])
  const query_params = { ...Object.fromEntries(entries), ...fields }
  return { next: { type: 'action', method: 'GET', href: `${request.path}?${query.toString()}`, query_params } }
}
