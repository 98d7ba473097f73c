import assert from 'node:assert/strict'
import { readPage } from '../../../lab/browser/read-page.ts'
import type { LabApp, LabHarness } from '../../harness/lab.ts'
import { REDIRECT } from '../../harness/sign-in.ts'

/** A browser that follows our redirects; the service's own login walks the pages of the service. */
export interface Walked {
  /** The page of the service to which we redirected the person. */
  authorizeUrl: URL
  /** The address to which the service redirected the person: our callback. */
  callback: URL
  /** Opens an address of ours in the same browser. */
  open: (
    url: URL | string,
    form?: Record<string, string>,
  ) => Promise<{ status: number; location: string | null; text: string }>
}

/** From our start address through the service's own pages, up to the request to our callback. */
export async function walkReal(
  harness: LabHarness,
  service: string,
  login: (authorizeUrl: string) => Promise<string>,
  query: Record<string, string> = {},
  by: LabApp = harness.app,
): Promise<Walked> {
  let cookie = ''
  const open = async (url: URL | string, form?: Record<string, string>) => {
    const sent = form === undefined ? {} : { method: 'POST', body: new URLSearchParams(form) }
    const response = await fetch(url, { redirect: 'manual', headers: { cookie, accept: 'text/html' }, ...sent })
    const [set] = response.headers.getSetCookie()
    if (set !== undefined) cookie = set.split(';')[0]!
    return { status: response.status, location: response.headers.get('location'), text: await response.text() }
  }
  let started = await open(harness.startUrl(service, query, by))
  const asked = new URL(started.location ?? '', harness.tributary.url)
  const ticket = asked.pathname === '/oauth/ask' ? asked.searchParams.get('ticket') : null
  if (ticket !== null) {
    // As the page has it filled in, from the link.
    const page = readPage((await open(asked)).text)
    const fields = page.forms.find(({ action }) => action === '/oauth/ask')!.fields
    const form = Object.fromEntries(fields.map(({ name, value }) => [name, value]))
    started = await open(new URL('/oauth/ask', asked), form)
  }
  assert.match(String(started.status), /^30[23]$/, started.text)
  assert.ok(!started.location!.startsWith(REDIRECT), started.location!)
  const callback = new URL(await login(started.location!))
  assert.ok(callback.pathname.startsWith(`/auth/${service}/callback/`), callback.pathname)
  return { authorizeUrl: new URL(started.location!), callback, open }
}

/** Opens the callback, continues on our confirmation page, and returns what the app receives. */
export async function finishReal(
  { open, callback }: Walked,
  change: (url: URL) => void = () => {},
): Promise<URLSearchParams> {
  const url = new URL(callback)
  change(url)
  const first = await open(url)
  assert.equal(first.status, 302, first.text)
  const next = new URL(first.location!, url)
  const ticket = next.pathname === '/oauth/confirm' ? next.searchParams.get('ticket') : null
  const back = ticket === null ? first : await open(new URL(next.pathname, url), { ticket, answer: 'yes' })
  assert.ok(back.location!.startsWith(REDIRECT), back.location!)
  return new URL(back.location!).searchParams
}
