import type { LabService } from '../../base/service.ts'
import { type Lab, startLab } from '../../lab.ts'
import { appBrowser, authorizeUrl, callback } from '../../testing/oauth2-client.ts'
import { fromTheSameHour } from '../../testing/same-hour.ts'

export interface TumblrApp {
  lab: Lab<'tumblr'>
  service: LabService
  key: string
  secret: string
}

export async function startTumblr(): Promise<TumblrApp> {
  const lab = await startLab({ services: ['tumblr'], clock: fromTheSameHour() })
  const service = lab.services.tumblr
  return { lab, service, ...service.register({ redirectUris: [callback] }) }
}

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

export function exchange(app: TumblrApp, fields: Fields): Promise<Response> {
  const body = new URLSearchParams()
  for (const [name, value] of Object.entries({ client_id: app.key, client_secret: app.secret, ...fields }))
    if (value !== undefined) body.set(name, value)
  return fetch(app.service.endpoints['token_url'] ?? '', { method: 'POST', body })
}

export async function tokensFor(app: TumblrApp, scope = 'basic write offline_access', person = 'ada'): Promise<Tokens> {
  const code = await codeFor(app, { scope }, person)
  return (await (
    await exchange(app, { grant_type: 'authorization_code', code, redirect_uri: callback })
  ).json()) as Tokens
}

export const get = (app: TumblrApp, path: string, token: string): Promise<Response> =>
  fetch(`${app.service.url}${path}`, { headers: { authorization: `Bearer ${token}` } })

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
  const pages: T[] = []
  for (let next: string | undefined = path; next !== undefined; ) {
    const response = await get(app, next, token)
    if (response.status !== 200) throw new Error(`${next}: ${response.status} ${await response.text()}`)
    const { response: page } = (await response.json()) as { response: T }
    pages.push(page)
    next = page._links?.next.href
  }
  return pages
}
