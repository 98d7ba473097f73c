import { Client } from 'pg'
import { type Browser, createBrowser, type Page, type WalkOptions } from '../../lab/browser.ts'
import { startLab } from '../../lab/lab.ts'
import type { Tuning } from '../../src/tuning.ts'
import { startTributary, type Tributary } from './start.ts'

export const LOOPBACK = '127.0.0.0/8,::1/128'
export const REDIRECT = 'http://localhost:4999/back'

export type DemoService = 'demo-social' | 'demo-micro' | 'demo-health'
const SERVICES: DemoService[] = ['demo-social', 'demo-micro', 'demo-health']

export interface LabApp {
  clientId: string
  secret: string
  /** The app's own key and secret at each service. */
  keys: Record<string, { key: string; secret: string }>
}

export interface AppOptions {
  name?: string
  redirectUris?: string[]
  services?: DemoService[]
}

export interface Granted {
  access_token: string
  account: string
  [field: string]: unknown
}

export interface Answer {
  status: number
  headers: Headers
  text: string
  /** Empty when the answer is no JSON object. */
  body: Record<string, unknown>
}

export interface Ask {
  token?: string
  query?: Record<string, string>
  form?: Record<string, string>
  json?: unknown
  headers?: Record<string, string>
}

export type LabHouse = Awaited<ReturnType<typeof startLabHouse>>

/** The service with the lab's three demo services beside it, and an app that has keys for all of them. */
export async function startLabHouse(env: Record<string, string> = {}, tuning: Tuning = {}) {
  const lab = await startLab({ services: SERVICES })
  const tributary = await startTributary({ TRIBUTARY_ALLOW_PRIVATE: LOOPBACK, ...env }, tuning).catch(
    async (error: unknown) => {
      await lab.close()
      throw error
    },
  )
  const app = await makeApp(tributary, lab)
  const database = new Client({ connectionString: tributary.databaseUrl })
  // Dropping the database at the end may cut this connection first.
  database.on('error', () => {})
  await database.connect()
  return {
    lab,
    tributary,
    app,
    makeApp: (options: AppOptions = {}) => makeApp(tributary, lab, options),
    /** The address that sends a person to a service. */
    startUrl: (service: string, query: Record<string, string> = {}, by: Pick<LabApp, 'clientId'> = app) =>
      `${tributary.url}/oauth/authenticate?${new URLSearchParams({ client_id: by.clientId, redirect_uri: REDIRECT, service, ...query }).toString()}`,
    /** Looks behind the door: what is really stored. */
    sql: async <Row extends object = Record<string, unknown>>(text: string, values: unknown[] = []): Promise<Row[]> =>
      (await database.query<Row>(text, values)).rows,
    stop: async () => {
      await database.end()
      await tributary.stop()
      await lab.close()
    },
  }
}

/** A browser that stops where the app would take over. */
export function newBrowser() {
  return createBrowser({ stopAt: (url) => url.startsWith(REDIRECT) })
}

/** Walks from the start address to the app's own: login, consent, “Continue” where we ask, back. */
export async function walk(url: string, options: WalkOptions, browser = newBrowser()): Promise<URL> {
  const page = await continued(browser, await browser.walk(url, options))
  if (!page.stopped) throw new Error(`the walk ended at ${page.url} with ${page.status}: ${page.body.slice(0, 300)}`)
  return new URL(page.url)
}

/** Presses “Continue” where we ask whether a profile may join an account. */
export async function continued(browser: Browser, page: Page): Promise<Page> {
  const form = page.forms.find(({ action }) => action === '/oauth/confirm')
  return form === undefined ? page : browser.submit(page, form, { answer: 'yes' })
}

/** A code that nobody has redeemed yet. */
export async function newCode(
  house: LabHouse,
  service: DemoService,
  person: string,
  query: Record<string, string> = {},
  by: Pick<LabApp, 'clientId'> = house.app,
): Promise<string> {
  const back = await walk(house.startUrl(service, query, by), { person })
  const code = back.searchParams.get('code')
  if (code === null) throw new Error(`no code came back: ${back.href}`)
  return code
}

export async function redeem(
  house: LabHouse,
  code: string,
  fields: Record<string, string> = {},
  by: Pick<LabApp, 'clientId' | 'secret'> = house.app,
): Promise<Response> {
  return fetch(`${house.tributary.url}/oauth/access_token`, {
    method: 'POST',
    body: new URLSearchParams({ client_id: by.clientId, client_secret: by.secret, code, ...fields }),
  })
}

/** The whole way: sign in and redeem. */
export async function signIn(
  house: LabHouse,
  service: DemoService,
  person: string,
  query: Record<string, string> = {},
  by: LabApp = house.app,
): Promise<Granted> {
  const answer = await redeem(house, await newCode(house, service, person, query, by), {}, by)
  const granted = (await answer.json()) as Granted
  if (answer.status !== 200) throw new Error(`the code was not redeemed: ${JSON.stringify(granted)}`)
  return granted
}

/** Any call of the API; redirects come back as they are. */
export async function send(house: LabHouse, method: string, path: string, ask: Ask = {}): Promise<Answer> {
  const url = new URL(`${house.tributary.url}${path}`)
  for (const [name, value] of Object.entries(ask.query ?? {})) url.searchParams.append(name, value)
  const body =
    ask.form === undefined ? (ask.json === undefined ? null : JSON.stringify(ask.json)) : new URLSearchParams(ask.form)
  const answer = await fetch(url, {
    method,
    redirect: 'manual',
    body,
    headers: {
      ...(ask.json === undefined ? {} : { 'content-type': 'application/json' }),
      ...(ask.token === undefined ? {} : { authorization: `Bearer ${ask.token}` }),
      ...ask.headers,
    },
  })
  const text = await answer.text()
  const isJson = answer.headers.get('content-type')?.startsWith('application/json') === true && text !== ''
  return {
    status: answer.status,
    headers: answer.headers,
    text,
    body: isJson ? (JSON.parse(text) as Record<string, unknown>) : {},
  }
}

export async function get(
  house: LabHouse,
  path: string,
  token: string,
): Promise<{ status: number; body: Record<string, unknown> }> {
  return send(house, 'GET', path, { token })
}

/** `Authorization` for an app, as HTTP Basic. */
export function basic(app: Pick<LabApp, 'clientId' | 'secret'>): { authorization: string } {
  return { authorization: `Basic ${Buffer.from(`${app.clientId}:${app.secret}`).toString('base64')}` }
}

async function makeApp(
  tributary: Tributary,
  lab: Awaited<ReturnType<typeof startLab<DemoService>>>,
  { name = 'Lab App', redirectUris = [REDIRECT], services = SERVICES }: AppOptions = {},
): Promise<LabApp> {
  const made = await tributary.admin('POST', '/admin/apps', { name, redirect_uris: redirectUris })
  const { client_id: clientId, client_secret: secret } = made.body as { client_id: string; client_secret: string }
  const keys: LabApp['keys'] = {}
  for (const service of services) {
    const { url, register } = lab.services[service]
    keys[service] = register({ name, redirectUris: [`${tributary.url}/auth/${service}/callback`] })
    const body = { ...keys[service], overrides: { base_url: url } }
    await tributary.admin('PUT', `/admin/apps/${clientId}/keys/${service}`, body)
  }
  return { clientId, secret, keys }
}
