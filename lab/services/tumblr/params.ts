import { first } from '../../base/pairs.ts'
import type { LabRequest } from '../../base/request.ts'
import { refused } from './envelope.ts'
import { type PostType, postTypes } from './model.ts'
import type { PostOptions } from './present-post.ts'

export function numberParam(request: LabRequest, name: string): number | undefined {
  const value = first(request.query, name)
  if (value === undefined) return undefined
  if (!/^\d{1,18}$/.test(value)) throw refused(400, `${name} is not a number`)
  return Number(value)
}

/** Values above twenty are clamped to twenty. */
export function limitParam(request: LabRequest): number {
  const limit = numberParam(request, 'limit') ?? 20
  if (limit === 0) throw refused(400, 'limit is from 1 to 20')
  return Math.min(20, limit)
}

export function idParam(request: LabRequest, name: string): bigint | undefined {
  const value = first(request.query, name)
  if (value === undefined) return undefined
  if (!/^\d{1,20}$/.test(value)) throw refused(400, `${name} is not a post id`)
  return BigInt(value)
}

const flag = (request: LabRequest, name: string): boolean => ['true', '1'].includes(first(request.query, name) ?? '')

export function postOptions(request: LabRequest): PostOptions {
  const filter = first(request.query, 'filter') ?? 'html'
  if (filter !== 'html' && filter !== 'text' && filter !== 'raw') throw refused(400, 'filter is text or raw')
  return {
    npf: flag(request, 'npf'),
    reblogInfo: flag(request, 'reblog_info'),
    notesInfo: flag(request, 'notes_info'),
    filter,
  }
}

export function typeOf(name: string | undefined): PostType | undefined {
  if (name === undefined) return undefined
  const type = postTypes.find((one) => one === name)
  if (!type) throw refused(400, `There is no post type ${name}`)
  return type
}

/** `tag=a`, or `tag[0]=a&tag[1]=b` for posts that have both. */
export const tagsOf = (request: LabRequest): string[] =>
  request.query.filter(([name]) => /^tag(?:\[\d?\])?$/.test(name)).map(([, value]) => value.toLowerCase())

export function onlyOneOf(request: LabRequest, names: readonly string[]): void {
  const given = names.filter((name) => first(request.query, name) !== undefined)
  if (given.length > 1) throw refused(400, `Give only one of ${given.join(', ')}`)
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
