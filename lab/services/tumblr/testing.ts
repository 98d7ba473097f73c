import { apiCall, appBrowser, authorizeUrl, callback, tokenCall } from '../../testing/oauth2-client.ts'
import { startVendor, type VendorApp, walkPages } from '../../testing/vendor-app.ts'

export type TumblrApp = VendorApp<'tumblr'>

export const startTumblr = (): Promise<TumblrApp> => startVendor('tumblr')

type Fields = Record<string, string | undefined>

export interface Tokens {
  access_token: string
  refresh_token?: string
  expires_in: number
  scope: string
  token_type: string
  id_token: boolean
}

export async function codeFor(app: TumblrApp, fields: Fields, person = 'ada'): Promise<string> {
  const page = await appBrowser().walk(authorizeUrl(app, fields), { person })
  return new URL(page.url).searchParams.get('code') ?? ''
}

export const exchange = (app: TumblrApp, fields: Fields): Promise<Response> => tokenCall(app, fields)

export async function tokensFor(app: TumblrApp, scope = 'basic write offline_access', person = 'ada'): Promise<Tokens> {
  const code = await codeFor(app, { scope }, person)
  return (await (
    await exchange(app, { grant_type: 'authorization_code', code, redirect_uri: callback })
  ).json()) as Tokens
}

export const get = (app: TumblrApp, path: string, token: string): Promise<Response> => apiCall(app.service, path, token)

export interface Post extends Record<string, unknown> {
  id: number
  id_string: string
  type: string
  timestamp: number
  blog_name: string
  tags: string[]
  note_count: number
}

interface Links {
  _links?: { next: { href: string } }
}

/** Follows the links to the next page to the end. */
export async function walkAll<T extends Links>(app: TumblrApp, path: string, token: string): Promise<T[]> {
  const pages = await walkPages<{ response: T }>(
    path,
    (next) => get(app, next, token),
    ({ response }) => response._links?.next.href,
  )
  return pages.map(({ response }) => response)
}
