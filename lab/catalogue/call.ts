import type { Place } from './entry.ts'

/** A request to one service of the lab. */
export interface CallIn {
  method: string
  path: string
  query: URLSearchParams
  headers: Record<string, string | undefined>
  text: string
  /** Path and query as they were sent, with what is before the service's own. */
  sent: string
}

export interface Reply {
  status: number
  headers?: Record<string, string>
  body?: unknown
  /** In place of JSON. */
  form?: Record<string, string>
}

export const refused = (status: number, error: string): Reply => ({ status, body: { error } })

/** The fields of a form or of a JSON object; undefined where the body is of another kind than declared. */
export function fieldsOf({ headers, text }: CallIn, kind: 'form' | 'json'): Record<string, string> | undefined {
  const type = headers['content-type'] ?? ''
  if (kind === 'json')
    return type.startsWith('application/json') ? (JSON.parse(text) as Record<string, string>) : undefined
  if (!type.startsWith('application/x-www-form-urlencoded')) return undefined
  return Object.fromEntries(new URLSearchParams(text))
}

/** What a call carries at the place that the service declares. */
export function carriedAt({ headers, query }: CallIn, place: Place): string | undefined {
  if ('query' in place) return query.get(place.query) ?? undefined
  const value = headers[place.header.toLowerCase()]
  if (place.scheme === undefined || place.scheme === '') return value
  return value?.startsWith(`${place.scheme} `) === true ? value.slice(place.scheme.length + 1) : undefined
}

/** Name and password of HTTP Basic, as they are after decoding base64. */
export function basicIn({ headers }: CallIn): [name: string, password: string] | undefined {
  const [, encoded] = /^Basic ([A-Za-z0-9+/=]+)$/.exec(headers['authorization'] ?? '') ?? []
  if (encoded === undefined) return undefined
  const text = Buffer.from(encoded, 'base64').toString('utf8')
  const colon = text.indexOf(':')
  return [text.slice(0, colon), text.slice(colon + 1)]
}
