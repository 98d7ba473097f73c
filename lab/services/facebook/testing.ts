import type { LabService } from '../../base/service.ts'
import { appBrowser, authorizeUrl, callback } from '../../testing/oauth2-client.ts'

export interface App {
  service: LabService
  key: string
  secret: string
}

export const everyScope =
  'public_profile,email,user_birthday,user_gender,user_hometown,user_link,user_location,user_posts,user_photos,user_videos,user_events,user_likes,user_friends'

export interface GraphError {
  error: { message: string; type: string; code: number; error_subcode?: number; fbtrace_id: string }
}

export const exchange = (app: App, fields: Record<string, string>): Promise<Response> =>
  fetch(
    `${app.service.endpoints['token_url']}?${new URLSearchParams({ client_id: app.key, client_secret: app.secret, ...fields }).toString()}`,
  )

export async function returnedTo(app: App, scope: string, person: string, permissions?: string[]): Promise<URL> {
  const options = permissions === undefined ? { person } : { person, permissions }
  return new URL((await appBrowser().walk(authorizeUrl(app, { scope }), options)).url)
}

export async function tokenOf(app: App, scope = everyScope, person = 'ada', permissions?: string[]): Promise<string> {
  const code = (await returnedTo(app, scope, person, permissions)).searchParams.get('code') ?? ''
  const tokens = (await (await exchange(app, { code, redirect_uri: callback })).json()) as { access_token: string }
  return tokens.access_token
}

export async function graph<T>(app: App, path: string, token: string, method = 'GET'): Promise<T> {
  const response = await fetch(`${app.service.endpoints['api_url']}${path}`, {
    method,
    headers: { authorization: `Bearer ${token}` },
  })
  return (await response.json()) as T
}

export interface Listing<T> {
  data: T[]
  paging?: { cursors?: { before: string; after: string }; next?: string; previous?: string }
  summary?: { total_count: number }
}

/** Follows `next` to the last page. */
export async function walk<T>(app: App, path: string, token: string): Promise<{ entries: T[]; sizes: number[] }> {
  const entries: T[] = []
  const sizes: number[] = []
  let page: Listing<T> = await graph(app, path, token)
  for (;;) {
    entries.push(...page.data)
    sizes.push(page.data.length)
    const next = page.paging?.next
    if (next === undefined) return { entries, sizes }
    page = (await (await fetch(next)).json()) as Listing<T>
  }
}
