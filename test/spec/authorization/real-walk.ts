import assert from 'node:assert/strict'
import type { LabApp, LabHarness } from '../../harness/lab.ts'
import { REDIRECT } from '../../harness/sign-in.ts'

/** A browser that goes where we send it; the pages of the service are walked by the service's own login. */
export interface Walked {
  /** The service's page that we sent the person to. */
  authorizeUrl: URL
  /** Where the service sent the person back to: our callback. */
  callback: URL
  /** Opens an address of ours in the same browser. */
  open: (
    url: URL | string,
    form?: Record<string, string>,
  ) => Promise<{ status: number; location: string | null; text: string }>
}

/** From our start address through the service's own pages, up to the door of our callback. */
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
  const started = await open(harness.startUrl(service, query, by))
  assert.equal(started.status, 302, started.text)
  assert.ok(!started.location!.startsWith(REDIRECT), started.location!)
  const callback = new URL(await login(started.location!))
  assert.equal(callback.pathname, `/auth/${service}/callback`)
  return { authorizeUrl: new URL(started.location!), callback, open }
}

/** Comes back, continues where we ask, and gives what the app gets. */
export async function finishReal(
  { open, callback }: Walked,
  change: (url: URL) => void = () => {},
): Promise<URLSearchParams> {
  const url = new URL(callback)
  change(url)
  const first = await open(url)
  assert.equal(first.status, 302, first.text)
  const asked = new URL(first.location!, url)
  const ticket = asked.pathname === '/oauth/confirm' ? asked.searchParams.get('ticket') : null
  const back = ticket === null ? first : await open(new URL(asked.pathname, url), { ticket, answer: 'yes' })
  assert.ok(back.location!.startsWith(REDIRECT), back.location!)
  return new URL(back.location!).searchParams
}
