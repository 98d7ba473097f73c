import { requestToken, type Signing, sent, signedRequest } from '../../testing/oauth1-client.ts'
import { apiCall, appBrowser, authorizeUrl, callback, challengeOf, newVerifier } from '../../testing/oauth2-client.ts'
import { startVendor, type VendorApp, walkPages } from '../../testing/vendor-app.ts'

export type XApp = VendorApp<'x'>

export const allScopes =
  'tweet.read tweet.write users.read users.email follows.read like.read bookmark.read dm.read offline.access'

export const startX = (): Promise<XApp> => startVendor('x')

type Fields = Record<string, string | undefined>

export interface Tokens {
  access_token: string
  refresh_token?: string
  scope: string
  expires_in: number
  token_type: string
}

export async function post(app: XApp, path: string, fields: Fields, authorization?: string): Promise<Response> {
  const body = new URLSearchParams()
  for (const [name, value] of Object.entries(fields)) if (value !== undefined) body.set(name, value)
  const raw = `Basic ${Buffer.from(`${app.key}:${app.secret}`).toString('base64')}`
  return fetch(`${app.service.url}${path}`, { method: 'POST', body, headers: { authorization: authorization ?? raw } })
}

export async function tokensFor(app: XApp, scope = allScopes, person = 'ada'): Promise<Tokens> {
  const code_verifier = newVerifier()
  const challenge = { code_challenge: challengeOf(code_verifier), code_challenge_method: 'S256' }
  const page = await appBrowser().walk(authorizeUrl(app, { scope, ...challenge }), { person })
  const code = new URL(page.url).searchParams.get('code') ?? undefined
  const fields = { grant_type: 'authorization_code', code, redirect_uri: callback, code_verifier }
  return (await (await post(app, '/2/oauth2/token', fields)).json()) as Tokens
}

/** The three-legged flow, on the page with direct messages or the one without. */
export async function signingFor(app: XApp, page: 'authenticate' | 'authorize', person = 'ada'): Promise<Signing> {
  const timestamp = Math.floor(app.lab.clock.now() / 1000)
  const pair = await requestToken(app.service, { ...app, timestamp })
  const address = `${app.service.url}/oauth/${page}?oauth_token=${pair.token}`
  const reached = await appBrowser().walk(address, { person })
  const oauth_verifier = new URL(reached.url).searchParams.get('oauth_verifier') ?? ''
  const signing = { key: app.key, secret: app.secret, token: pair.token, tokenSecret: pair.tokenSecret }
  const response = await sent(
    signedRequest(`${app.service.url}/oauth/access_token`, { ...signing, timestamp, oauth: { oauth_verifier } }),
  )
  const fields = new URLSearchParams(response.body)
  return {
    key: app.key,
    secret: app.secret,
    token: fields.get('oauth_token') ?? '',
    tokenSecret: fields.get('oauth_token_secret') ?? '',
  }
}

export const get = (app: XApp, path: string, token: string): Promise<Response> => apiCall(app.service, path, token)

export interface Listed {
  id: string
  text?: string
  created_at?: string
  username?: string
  [field: string]: unknown
}

export interface Listing {
  data?: Listed[]
  includes?: Record<string, Listed[]>
  errors?: { type: string; value: string }[]
  meta: { result_count: number; next_token?: string; previous_token?: string; newest_id?: string; oldest_id?: string }
}

/** Follows next_token to the last page. */
export async function walkAll(app: XApp, path: string, token: string) {
  const pages = await walkPages<Listing>(
    path,
    (next) => get(app, next, token),
    ({ meta: { next_token: next } }) =>
      next === undefined ? undefined : `${path}${path.includes('?') ? '&' : '?'}pagination_token=${next}`,
  )
  return { pages, items: pages.flatMap(({ data }) => data ?? []), sizes: pages.map(({ meta }) => meta.result_count) }
}
