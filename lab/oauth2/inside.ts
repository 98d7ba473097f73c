import type { Pair } from '../base/pairs.ts'
import { Refusal, type Reply } from '../base/reply.ts'
import type { LabRequest } from '../base/request.ts'
import type { Routes } from '../base/router.ts'

/** Calls a route of the standard server inside a vendor's one. */
export async function callRoute(routes: Routes, key: string, request: LabRequest): Promise<Reply> {
  const handler = routes[key]
  if (!handler) throw new Error(`no route ${key}`)
  return handler(request, {})
}

/** Calls a route inside; a refusal is its reply too. */
export async function replyInside(routes: Routes, key: string, request: LabRequest): Promise<Reply> {
  try {
    return await callRoute(routes, key, request)
  } catch (error) {
    if (error instanceof Refusal) return error.reply
    throw error
  }
}

export const fieldsIn = (reply: Reply): Record<string, unknown> =>
  JSON.parse(String(reply.body)) as Record<string, unknown>

export const emptyRequest: LabRequest = {
  method: 'GET',
  target: '/',
  path: '/',
  query: [],
  headers: {},
  rawHeaders: [],
  body: Buffer.alloc(0),
}

/** The request with these form fields as its body. */
export const withForm = (request: LabRequest, pairs: readonly Pair[]): LabRequest => ({
  ...request,
  method: 'POST',
  headers: { ...request.headers, 'content-type': 'application/x-www-form-urlencoded' },
  body: Buffer.from(new URLSearchParams(pairs.map(([...pair]) => pair)).toString()),
})

/** The login and consent pages of a server. */
export const pagesOf = (routes: Routes): Routes =>
  Object.fromEntries(Object.entries(routes).filter(([key]) => /^(?:GET|POST) \/(?:login|consent)$/.test(key)))

/** Redirect URI by code, for vendors whose token request may omit it. */
export interface IssuedCodes {
  note(reply: Reply): void
  redirectUri(code: string): string | undefined
}

export function createIssuedCodes(): IssuedCodes {
  const redirectUris = new Map<string, string>()
  return {
    note({ headers: { location } }) {
      if (typeof location !== 'string') return
      const code = new URL(location, 'http://lab.test').searchParams.get('code')
      if (code !== null) redirectUris.set(code, location.slice(0, location.lastIndexOf('code=') - 1))
    },
    redirectUri: (code) => redirectUris.get(code),
  }
}
