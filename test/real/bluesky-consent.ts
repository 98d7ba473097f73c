import { type PageWalker, type Reply, walkPages } from './page-walker.ts'

export interface BlueskyPerson {
  handle: string
  password: string
  deny?: boolean
}

const apiPath = '/@atproto/oauth-provider/~api'

/**
 * Does over HTTP what the server's consent page does in a browser: the server checks that the requests of its page
 * carry its cookies, its CSRF token and the fetch metadata of a same-origin page.
 */
export async function consentOverHttp(pdsUrl: string, authorizeUrl: string, person: BlueskyPerson): Promise<string> {
  const walker = walkPages()
  const page = await walker.visit(authorizeUrl, { headers: navigation('cross-site') })
  if (page.location !== undefined) return page.location
  if (page.status !== 200) throw refusal('authorize page', page)

  const origin = new URL(pdsUrl).origin
  const call = (name: string, json: object, bearer?: string) =>
    callPageApi(walker, { origin, referer: authorizeUrl, bearer }, name, json)

  const { handle, password, deny = false } = person
  const next = deny ? await call('reject', {}) : await signInAndConsent(call, handle, password)
  const url = String(next.url)
  const consented = await walker.visit(url, { headers: { ...navigation('same-origin'), referer: authorizeUrl } })
  if (consented.location === undefined) throw refusal('redirect', consented)
  return consented.location
}

type PageCall = (name: string, json: object, bearer?: string) => Promise<Record<string, unknown>>

async function signInAndConsent(call: PageCall, username: string, password: string) {
  const signedIn = await call('sign-in', { locale: 'en', username, password, remember: false })
  const { did } = signedIn.account as { did: string }
  return call('consent', { did }, String(signedIn.ephemeralToken))
}

async function callPageApi(
  walker: PageWalker,
  from: { origin: string; referer: string; bearer: string | undefined },
  name: string,
  json: object,
): Promise<Record<string, unknown>> {
  const headers = {
    'sec-fetch-mode': 'same-origin',
    'sec-fetch-site': 'same-origin',
    'sec-fetch-dest': 'empty',
    origin: from.origin,
    referer: from.referer,
    'x-csrf-token': walker.cookie('csrf-token') ?? '',
    ...(from.bearer === undefined ? {} : { authorization: `Bearer ${from.bearer}` }),
  }
  const response = await walker.visit(`${from.origin}${apiPath}/${name}`, { headers, json })
  if (response.status !== 200) throw refusal(name, response)
  return JSON.parse(response.body) as Record<string, unknown>
}

function navigation(site: 'cross-site' | 'same-origin'): Record<string, string> {
  return { 'sec-fetch-mode': 'navigate', 'sec-fetch-dest': 'document', 'sec-fetch-site': site }
}

function refusal(step: string, response: Reply): Error {
  return new Error(`the Bluesky server refused (${step}) with ${response.status}: ${response.body.slice(0, 300)}`)
}
