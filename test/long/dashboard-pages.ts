/** For whom a page asks: by the headers of the dashboard (web/src/api/core.ts). */
export type As = 'operator' | 'app' | 'account'

export interface PageRequest {
  as: As
  path: string
}

/** What a page is opened for. */
export interface PageSubject {
  app: string
  account: string
  destination: string
  /** Words of a person. */
  person: string
}

/** Every page of the dashboard with what it asks for when it is opened; the app's pages also load the list of apps. */
export const DASHBOARD_PAGES: Record<string, (subject: PageSubject) => PageRequest[]> = {
  overview: () => [operator('/admin/apps'), operator('/admin/overview')],
  'overview of an app': ({ app }) => [operator('/admin/apps'), operator(`/admin/apps/${app}/overview`)],
  accounts: () => accounts(''),
  'accounts, searched by name': ({ person }) => accounts(`&q=${encodeURIComponent(person)}`),
  'accounts, searched by a frequent name': () => accounts('&q=lovelace'),
  'accounts, by id': ({ account }) => accounts(`&q=${account}`),
  'accounts, by state': () => accounts('&state=needs_auth'),
  'accounts, a state nobody has': () => accounts('&state=limited'),
  'accounts, failing': () => accounts('&failing=true&service=github'),
  account: ({ account }) => [
    forApp(`/accounts/${account}`),
    forAccount('/agents'),
    ...['github', 'flickr', 'spotify'].map((service) => forAccount(`/profiles/${service}/sync`)),
  ],
  'faults and quarantine': ({ app }) => [
    operator(`/admin/apps/${app}/quarantine`),
    operator(`/admin/apps/${app}/faults`),
  ],
  services: () => [forApp('/services')],
  apps: ({ app }) => [
    operator('/admin/apps'),
    operator(`/admin/apps/${app}`),
    operator(`/admin/apps/${app}/keys`),
    operator(`/admin/apps/${app}/quotas`),
    operator(`/admin/apps/${app}/usage`),
    operator(`/admin/apps/${app}/spending`),
  ],
  push: ({ destination }) => [
    forApp('/push'),
    forApp(`/push/${destination}`),
    forApp(`/push/${destination}/deliveries`),
    forApp(`/push/${destination}/dead-letters`),
    forApp(`/push/${destination}/dead-letters/reasons`),
    forApp(`/push/${destination}/history`),
  ],
  items: () => [forAccount('/types'), forAccount('/types/photos?limit=50'), forAccount('/services/github')],
  calls: ({ app }) => [operator(`/admin/apps/${app}/calls?limit=100`)],
  log: ({ app }) => [
    operator(`/admin/apps/${app}/log`),
    operator(`/admin/apps/${app}/log?kind=sign_in&outcome=failed`),
  ],
  'log, searched': ({ app }) => [operator(`/admin/apps/${app}/log?q=nothing`)],
  audit: ({ app }) => [operator('/admin/audit'), operator(`/admin/audit?app=${app}`)],
  settings: () => [operator('/admin/settings')],
  sessions: () => [operator('/admin/operators'), operator('/admin/sessions')],
}

const operator = (path: string): PageRequest => ({ as: 'operator', path })
const forApp = (path: string): PageRequest => ({ as: 'app', path })
const forAccount = (path: string): PageRequest => ({ as: 'account', path })
const accounts = (filter: string) => [
  operator('/admin/apps'),
  forApp('/services'),
  forApp(`/accounts?count=true&limit=50${filter}`),
]

/** The headers with which an operator's page sends a request. */
function headersOf({ as }: PageRequest, { app, account }: PageSubject, adminToken: string) {
  return {
    authorization: `Bearer ${adminToken}`,
    ...(as === 'app' ? { 'tributary-app': app } : as === 'account' ? { 'tributary-account': account } : {}),
  }
}

/** Sends what a page asks for, all at once like a browser; fails when something is refused. */
export async function loadPage(
  { url, adminToken }: { url: string; adminToken: string },
  requests: PageRequest[],
  subject: PageSubject,
): Promise<void> {
  await Promise.all(
    requests.map(async (request) => {
      const response = await fetch(`${url}${request.path}`, { headers: headersOf(request, subject, adminToken) })
      const text = await response.text()
      if (response.status !== 200) throw new Error(`${request.path}: ${response.status} ${text.slice(0, 300)}`)
    }),
  )
}

/** A destination of the app that delivers nothing. */
export async function pausedDestination(
  { url, adminToken }: { url: string; adminToken: string },
  app: string,
): Promise<string> {
  const headers = { authorization: `Bearer ${adminToken}`, 'tributary-app': app, 'content-type': 'application/json' }
  const body = JSON.stringify({ name: 'seeded', kind: 'webhook', url: 'https://hook.example/' })
  const created = await fetch(`${url}/push`, { method: 'POST', headers, body })
  const { id } = (await created.json()) as { id: string }
  const paused = await fetch(`${url}/push/${id}/pause`, { method: 'POST', headers, body: '{}' })
  if (!paused.ok) throw new Error(`The destination was not paused: ${await paused.text()}`)
  return id
}
