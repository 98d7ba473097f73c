import { appBrowser, tokenCall } from '../../testing/oauth2-client.ts'
import { startVendor, type VendorApp, walkPages } from '../../testing/vendor-app.ts'

export type GithubApp = VendorApp<'github'>

export const startGithub = (): Promise<GithubApp> => startVendor('github')

type Fields = Record<string, string | undefined>

export async function authorize({ service, key }: GithubApp, fields: Fields, person = 'ada', decision?: 'deny') {
  const url = new URL(service.endpoints['authorize_url'] ?? '')
  for (const [name, value] of Object.entries({ client_id: key, state: 's1', ...fields }))
    if (value !== undefined) url.searchParams.set(name, value)
  const page = await appBrowser().walk(url.href, { person, ...(decision === undefined ? {} : { decision }) })
  return { page, params: new URL(page.url).searchParams }
}

export const exchange = (app: GithubApp, fields: Fields, accept = 'application/json'): Promise<Response> =>
  tokenCall(app, fields, { headers: { accept } })

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
export const walkAll = async <T>(app: GithubApp, path: string, token: string): Promise<T[]> =>
  (
    await walkPages<T[]>(
      path,
      (next) => call(app, next, token),
      (_page, response) => nextLink(response),
    )
  ).flat()
