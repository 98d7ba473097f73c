import type { Credential, Parameters } from '#kit/auth.ts'
import type { Connector } from '#kit/connector.ts'
import { trimEndOf } from '#platform/trim-end.ts'
import { locateService } from './addresses.ts'
import { sendAuthorized } from './authorize-call.ts'
import { UpstreamError } from './errors.ts'
import { withParameters } from './oauth2/token-request.ts'
import type { Upstream, UpstreamResponse } from './send.ts'
import type { ServiceKey } from './service-key.ts'

export interface ServiceCaller {
  upstream: Upstream
  connector: Connector
  key: ServiceKey
  credential: Credential
}

export interface ServiceCall {
  method: string
  /** Below the service's API address, with a slash in front; or … */
  path?: string | undefined
  /** … a whole address on the API's own host, such as the next page that an answer named. */
  url?: string | undefined
  query?: Parameters | undefined
  headers?: Readonly<Record<string, string>> | undefined
  body?: string | Uint8Array | undefined
  timeoutMs?: number | undefined
  maxBytes?: number | undefined
  signal?: AbortSignal | undefined
}

/** Limit: redirects that one call of a service follows; one more fails the call. */
const MAX_REDIRECTS = 5

/**
 * One call in a person's name, to the service's own host and nowhere else. Redirects of reads are followed on that host;
 * others come back as they are, for the caller to judge.
 */
export async function callService(caller: ServiceCaller, call: ServiceCall): Promise<UpstreamResponse> {
  const { upstream, connector, key, credential } = caller
  const location = await locateService(upstream, { connector, key, instance: credential.instance })
  const { api, auth } = connector
  const base = location.addresses.apiUrl
  let url = withParameters(addressOf(base, call), { ...api.query, ...call.query })
  for (let hop = 0; hop <= MAX_REDIRECTS; hop++) {
    const response = await sendAuthorized(
      upstream,
      { auth, key, credential },
      {
        method: call.method,
        url,
        headers: { ...api.headers, ...call.headers },
        body: call.body,
        timeoutMs: call.timeoutMs,
        maxBytes: call.maxBytes,
        signal: call.signal,
      },
    )
    const next = redirectTarget(call.method, url, response)
    if (next === undefined) return response
    url = next
  }
  throw new UpstreamError('stop', 'The service redirects in circles', { reason: 'redirect_refused' })
}

/** The address of a call; throws when it would leave the service's own. */
export function addressOf(base: string, { path, url }: Pick<ServiceCall, 'path' | 'url'>): string {
  const home = new URL(base)
  const root = trimEndOf(home.pathname, '/')
  if (url !== undefined) {
    const target = URL.parse(url)
    if (target?.origin === home.origin && target.username === '' && target.password === '') return target.href
    throw outside()
  }
  const omitUndefined = path ?? ''
  if (omitUndefined !== '' && !omitUndefined.startsWith('/')) throw outside()
  const target = URL.parse(`${home.origin}${root}${omitUndefined}`)
  // The parser resolves dot segments in all their spellings, so that what is compared is what is sent.
  const inside = target?.pathname === root || target?.pathname.startsWith(`${root}/`) === true
  if (!target || target.origin !== home.origin || !inside) throw outside()
  return target.href
}

function redirectTarget(method: string, from: string, response: UpstreamResponse): string | undefined {
  const { location } = response.headers
  if (location === undefined || ![301, 302, 303, 307, 308].includes(response.status)) return undefined
  if (method !== 'GET' && method !== 'HEAD') return undefined
  const target = URL.parse(location, from)
  return target?.origin === new URL(from).origin && target.username === '' ? target.href : undefined
}

const outside = (): UpstreamError =>
  new UpstreamError('stop', 'The address is not one of the service’s own', { reason: 'address_refused' })
