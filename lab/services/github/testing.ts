import type { LabService } from '../../base/service.ts'
import { type Lab, startLab } from '../../lab.ts'
import { appBrowser, callback } from '../../testing/oauth2-client.ts'
import { fromTheSameHour } from '../../testing/same-hour.ts'

export interface GithubApp {
  lab: Lab<'github'>
  service: LabService
  key: string
  secret: string
}

export async function startGithub(): Promise<GithubApp> {
  const lab = await startLab({ services: ['github'], clock: fromTheSameHour() })
  const service = lab.services.github
  return { lab, service, ...service.register({ redirectUris: [callback] }) }
}

type Fields = Record<string, string | undefined>

export async function authorize({ service, key }: GithubApp, fields: Fields, person = 'ada', decision?: 'deny') {
  const url = new URL(service.endpoints['authorize_url'] ?? '')
  for (const [name, value] of Object.entries({ client_id: key, state: 's1', ...fields }))
    if (value !== undefined) url.searchParams.set(name, value)
  const page = await appBrowser().walk(url.href, { person, ...(decision === undefined ? {} : { decision }) })
  return { page, params: new URL(page.url).searchParams }
}

export async function exchange(app: GithubApp, fields: Fields, accept = 'application/json') {
  const all: Fields = { client_id: app.key, client_secret: app.secret, ...fields }
  const body = new URLSearchParams()
  for (const [name, value] of Object.entries(all)) if (value !== undefined) body.set(name, value)
  return fetch(app.service.endpoints['token_url'] ?? '', { method: 'POST', body, headers: { accept } })
}

export async function tokenFor(app: GithubApp, scope: string, person = 'ada'): Promise<string> {
  const { params } = await authorize(app, { scope }, person)
  const response = await exchange(app, { code: params.get('code') ?? '' })
  return ((await response.json()) as { access_token: string }).access_token
}

export const call = (app: GithubApp, path: string, token: string, init: RequestInit = {}) =>
  fetch(path.startsWith('http') ? path : `${app.service.url}${path}`, {
    ...init,
    headers: {
      authorization: `Bearer ${token}`,
      'user-agent': 'lab-test',
      ...(init.headers as Record<string, string>),
    },
  })

export const nextLink = (response: Response): string | undefined =>
  /<([^>]+)>; rel="next"/.exec(response.headers.get('link') ?? '')?.[1]

/** Follows the Link header to the last page. */
export async function walkAll<T>(app: GithubApp, path: string, token: string): Promise<T[]> {
  const all: T[] = []
  for (let next: string | undefined = path; next !== undefined; ) {
    const response = await call(app, next, token)
    if (response.status !== 200) throw new Error(`${next}: ${response.status} ${await response.text()}`)
    all.push(...((await response.json()) as T[]))
    next = nextLink(response)
  }
  return all
}
