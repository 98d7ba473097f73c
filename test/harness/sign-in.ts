import assert from 'node:assert/strict'
import { type Browser, createBrowser, type Page, type WalkOptions } from '../../lab/browser.ts'
import type { App } from './app.ts'
import type { Running } from './send.ts'

/** The redirect address of the test apps. Nothing listens there: browsers of the tests stop before it. */
export const REDIRECT = 'http://localhost:4999/back'

/** The response of `/oauth/access_token`. */
export interface Granted {
  access_token: string
  account: string
  [field: string]: unknown
}

/** A running service, and the app that signs people in unless a test names another. */
export interface WithApp extends Running {
  app: App
}

/** The address at which a person starts a sign-in. */
export function startUrl(
  { tributary }: Running,
  service: string,
  query: Record<string, string>,
  { clientId }: Pick<App, 'clientId'>,
): string {
  const params = { client_id: clientId, redirect_uri: REDIRECT, service, ...query }
  return `${tributary.url}/oauth/authenticate?${new URLSearchParams(params).toString()}`
}

/** A browser that stops before the redirect address of the app. */
export function newBrowser() {
  return createBrowser({ stopAt: (url) => url.startsWith(REDIRECT) })
}

/** Opens a start address. If it names the person's server, they continue on the page that shows it. */
export async function begin(url: string, browser = newBrowser()): Promise<Page> {
  const page = await browser.open(url)
  const form = page.forms.find(({ action }) => action === '/oauth/ask')
  return form === undefined ? page : browser.submit(page, form, { answer: 'yes' })
}

/** Walks from the start address through login, consent and our confirmation page; returns the redirect to the app. */
export async function walk(url: string, options: WalkOptions, browser = newBrowser()): Promise<URL> {
  const page = await continued(browser, await browser.walk(await begin(url, browser), options))
  if (!page.stopped) throw new Error(`The walk ended at ${page.url} with ${page.status}: ${page.body.slice(0, 300)}`)
  return new URL(page.url)
}

/** Submits “Continue” when the page asks whether a profile may join an account. */
export async function continued(browser: Browser, page: Page): Promise<Page> {
  const form = page.forms.find(({ action }) => action === '/oauth/confirm')
  return form === undefined ? page : browser.submit(page, form, { answer: 'yes' })
}

/** Signs a person in up to the redirect to the app; returns the code, not yet redeemed. */
export async function newCode(
  at: WithApp,
  service: string,
  person: string,
  query: Record<string, string> = {},
  by: Pick<App, 'clientId'> = at.app,
): Promise<string> {
  return codeOf(await walk(startUrl(at, service, query, by), { person }))
}

/** The code of a redirect to the app. */
export function codeOf(back: URL): string {
  const code = back.searchParams.get('code')
  if (code === null) throw new Error(`The redirect has no code: ${back.href}`)
  return code
}

/** Redeems a code; returns the response as it is. */
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

/** Redeems a code; fails unless that succeeds. */
export async function redeemed(at: WithApp, code: string, by: App = at.app): Promise<Granted> {
  const response = await redeem(at, code, {}, by)
  const granted = (await response.json()) as Granted
  if (response.status !== 200) throw new Error(`The code was not redeemed: ${JSON.stringify(granted)}`)
  return granted
}

/** Signs a person in and redeems the code. */
export async function signIn(
  at: WithApp,
  service: string,
  person: string,
  query: Record<string, string> = {},
  by: App = at.app,
): Promise<Granted> {
  return redeemed(at, await newCode(at, service, person, query, by), by)
}

/** An address that an app was returned to with an error, without the description and the issuer, which every error has. */
export function withoutDescription(address: string): string {
  const pattern = /([?&])error_description=([^&]+)&?/
  const description = new URLSearchParams(pattern.exec(address)?.[0]).get('error_description') ?? ''
  assert.match(description, /^[ !#-[\]-~]{10,300}$/, address)
  const query = address.replace(/#.*$/, '')
  assert.match(query, /[?&]iss=http[^&]+$/)
  return query
    .replace(pattern, '$1')
    .replace(/([?&])error_uri=[^&]+&?/, '$1')
    .replace(/[?&]iss=[^&]+$/, '')
}
