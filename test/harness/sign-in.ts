import { type Browser, createBrowser, type Page, type WalkOptions } from '../../lab/browser.ts'
import type { App } from './app.ts'
import type { Running } from './send.ts'

/** Where an app takes over. */
export const REDIRECT = 'http://localhost:4999/back'

export interface Granted {
  access_token: string
  account: string
  [field: string]: unknown
}

/** A running service, and the app that asks where no other is named. */
export interface WithApp extends Running {
  app: App
}

/** The address that sends a person to a service. */
export function startUrl(
  { tributary }: Running,
  service: string,
  query: Record<string, string>,
  { clientId }: Pick<App, 'clientId'>,
): string {
  const asked = { client_id: clientId, redirect_uri: REDIRECT, service, ...query }
  return `${tributary.url}/oauth/authenticate?${new URLSearchParams(asked).toString()}`
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
  at: WithApp,
  service: string,
  person: string,
  query: Record<string, string> = {},
  by: Pick<App, 'clientId'> = at.app,
): Promise<string> {
  return codeOf(await walk(startUrl(at, service, query, by), { person }))
}

export function codeOf(back: URL): string {
  const code = back.searchParams.get('code')
  if (code === null) throw new Error(`no code came back: ${back.href}`)
  return code
}

export async function redeem(
  at: WithApp,
  code: string,
  fields: Record<string, string> = {},
  by: App = at.app,
): Promise<Response> {
  return fetch(`${at.tributary.url}/oauth/access_token`, {
    method: 'POST',
    body: new URLSearchParams({ client_id: by.clientId, client_secret: by.secret, code, ...fields }),
  })
}

export async function redeemed(at: WithApp, code: string, by: App = at.app): Promise<Granted> {
  const response = await redeem(at, code, {}, by)
  const granted = (await response.json()) as Granted
  if (response.status !== 200) throw new Error(`the code was not redeemed: ${JSON.stringify(granted)}`)
  return granted
}

/** The whole way: sign in and redeem. */
export async function signIn(
  at: WithApp,
  service: string,
  person: string,
  query: Record<string, string> = {},
  by: App = at.app,
): Promise<Granted> {
  return redeemed(at, await newCode(at, service, person, query, by), by)
}
