import type { OutgoingHttpHeaders } from 'node:http'

export interface Reply {
  status: number
  headers: OutgoingHttpHeaders
  body: string | Buffer
}

/** Thrown below a route to end the request with this reply. */
export class Refusal extends Error {
  readonly reply: Reply
  constructor(reply: Reply) {
    super(`refused with ${reply.status}`)
    this.reply = reply
  }
}

/** Runs a check; its refusal becomes the vendor's. */
export function refusedAs<T>(run: () => T, vendors: (reply: Reply) => Refusal): T {
  try {
    return run()
  } catch (error) {
    if (error instanceof Refusal) throw vendors(error.reply)
    throw error
  }
}

/** The reply with these headers, unless it has them already. */
export const withHeaders = (reply: Reply, headers: OutgoingHttpHeaders): Reply => ({
  ...reply,
  headers: { ...headers, ...reply.headers },
})

export const text = (status: number, body: string, headers: OutgoingHttpHeaders = {}): Reply => ({
  status,
  headers: { 'content-type': 'text/plain; charset=utf-8', ...headers },
  body: `${body}\n`,
})

export const json = (status: number, value: unknown, headers: OutgoingHttpHeaders = {}): Reply => ({
  status,
  headers: { 'content-type': 'application/json; charset=utf-8', ...headers },
  body: jsonText(value),
})

export const form = (status: number, fields: Record<string, string>, headers: OutgoingHttpHeaders = {}): Reply => ({
  status,
  headers: { 'content-type': 'application/x-www-form-urlencoded', ...headers },
  body: new URLSearchParams(fields).toString(),
})

export const redirect = (location: string, status: 302 | 303 = 302): Reply => ({
  status,
  headers: { location, 'cache-control': 'no-store' },
  body: '',
})

export const noContent = (): Reply => ({ status: 204, headers: {}, body: '' })

/** Appends query parameters to a URL and keeps the existing ones unchanged. */
export function withQuery(address: string, fields: Record<string, string | undefined>): string {
  const added = new URLSearchParams()
  for (const [name, value] of Object.entries(fields)) if (value !== undefined) added.append(name, value)
  return added.size === 0 ? address : `${address}${address.includes('?') ? '&' : '?'}${added.toString()}`
}

const bigintMarker = '\u0000big:'

/** JSON with bigints as plain numbers, like services with 64-bit ids. */
function jsonText(value: unknown): string {
  const marked = JSON.stringify(value, (_key, inner: unknown) => {
    if (typeof inner === 'bigint') return `${bigintMarker}${inner}`
    return typeof inner === 'string' ? inner.replaceAll(bigintMarker, '') : inner
  })
  return marked.replaceAll(/"\\u0000big:(-?\d+)"/g, '$1')
}
