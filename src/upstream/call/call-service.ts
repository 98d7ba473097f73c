import type { Credential, Parameters } from '#kit/auth/auth.ts'
import type { Connector } from '#kit/connector/connector.ts'
import type { PlaceholderValues } from '#kit/endpoints/placeholders.ts'
import { trimEndOf } from '#platform/formats/trim-end.ts'
import { type LocationInput, locateService, type ServiceLocation } from '../addresses/addresses.ts'
import { serviceHosts } from '../addresses/further-hosts.ts'
import { addedToCalls, factValues } from '../addresses/placeholder-values.ts'
import { withParameters } from '../oauth2/token-request.ts'
import { UpstreamError } from '../request/errors.ts'
import { fillPlaceholders } from '../request/fill-placeholders.ts'
import type { Upstream, UpstreamResponse } from '../request/send.ts'
import type { ServiceKey } from '../request/service-key.ts'
import { sendAuthorized } from './authorize-call.ts'

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
  /** … an absolute URL on the API's host, such as that of the next page. */
  url?: string | undefined
  /** Another origin of the service, one of `api.hosts`. */
  host?: string | undefined
  query?: Parameters | undefined
  headers?: Readonly<Record<string, string>> | undefined
  body?: string | Uint8Array | undefined
  timeoutMs?: number | undefined
  maxBytes?: number | undefined
  signal?: AbortSignal | undefined
}

export interface ServiceResponse extends UpstreamResponse {
  /** The address that responded, without credentials. */
  url: string
}

/** Limit: redirects that one call to a service follows; one more fails the call. */
const MAX_REDIRECTS = 5

/**
 * Makes one call with a person's credential, only to the service's own host. Redirects of GET and HEAD are followed on
 * that host; others are returned to the caller. Where nobody signs in, a call carries nothing, and goes wherever the
 * egress rules allow.
 */
export async function callService(caller: ServiceCaller, call: ServiceCall): Promise<ServiceResponse> {
  const { upstream, connector, key, credential } = caller
  const at = { connector, key, instance: credential.instance }
  const location = await locateService(upstream, at)
  const { api, auth } = connector
  const base = call.host === undefined ? location.addresses.apiUrl : hostOf(at, location, call.host)
  const facts = factValues(credential)
  const path = call.path && fillPlaceholders(call.path, facts, encodeURIComponent)
  const added = { key, credential }
  const query = { ...addedToCalls(connector, api.query, added), ...fillFacts(call.query, facts) }
  const headers = { ...addedToCalls(connector, api.headers, added), ...fillFacts(call.headers, facts) }
  const isPublic = auth.kind === 'none'
  let url = withParameters(addressOf(base, { ...call, path }, isPublic), query)
  const home = new URL(base).origin
  for (let hop = 0; hop <= MAX_REDIRECTS; hop++) {
    const response = await sendAuthorized(
      upstream,
      { auth, key, credential },
      {
        method: call.method,
        url,
        // Where a public source leads elsewhere, its server chose that address.
        trust: new URL(url).origin === home ? location.trust : 'person',
        headers,
        body: call.body,
        timeoutMs: call.timeoutMs,
        maxBytes: call.maxBytes,
        signal: call.signal,
      },
    )
    const next = redirectTarget(call.method, url, response, isPublic)
    if (next === undefined) return { ...response, url }
    url = next
  }
  throw new UpstreamError('stop', 'The service redirects too often', { reason: 'redirect_refused' })
}

/** Only facts: a cursor of the service in a parameter must not name a value of the app. */
function fillFacts(texts: Readonly<Record<string, string>> | undefined, facts: PlaceholderValues): Parameters {
  return Object.fromEntries(Object.entries(texts ?? {}).map(([name, text]) => [name, fillPlaceholders(text, facts)]))
}

/** A declared origin of the service, at the instance of the key where it has one; never any other. */
function hostOf(at: LocationInput, { addresses }: ServiceLocation, host: string): string {
  const found = serviceHosts(at, addresses.apiUrl).hosts.find(({ declared }) => declared === host)
  if (found === undefined) throw addressRefused()
  return found.url
}

/** The URL of a call; throws if it would leave the service's API address. An empty path is that address itself. */
export function addressOf(
  base: string,
  { path, url }: Pick<ServiceCall, 'path' | 'url'>,
  isPublic: boolean = false,
): string {
  // A token that was handed in came without the facts of a sign-in.
  if (base.includes('{')) throw addressRefused()
  const apiUrl = new URL(base)
  const root = trimEndOf(apiUrl.pathname, '/')
  if (url !== undefined) {
    const target = URL.parse(url)
    if (target && (isPublic || target.origin === apiUrl.origin) && target.username === '' && target.password === '')
      return target.href
    throw addressRefused()
  }
  const relative = path ?? ''
  if (isPublic && relative === '') return apiUrl.href
  if (relative !== '' && !relative.startsWith('/')) throw addressRefused()
  const target = URL.parse(`${apiUrl.origin}${root}${relative}`)
  // The URL parser resolves every form of dot segments, so the compared URL is the one that is sent.
  const isInside = target?.pathname === root || target?.pathname.startsWith(`${root}/`) === true
  if (!target || target.origin !== apiUrl.origin || !isInside) throw addressRefused()
  return target.href
}

function redirectTarget(
  method: string,
  from: string,
  response: UpstreamResponse,
  isPublic: boolean,
): string | undefined {
  const { location } = response.headers
  if (location === undefined || ![301, 302, 303, 307, 308].includes(response.status)) return undefined
  if (method !== 'GET' && method !== 'HEAD') return undefined
  const target = URL.parse(location, from)
  if (target === null || target.username !== '' || !/^https?:$/.test(target.protocol)) return undefined
  return isPublic || target.origin === new URL(from).origin ? target.href : undefined
}

const addressRefused = (): UpstreamError =>
  new UpstreamError('stop', 'The address is outside the service’s API', { reason: 'address_refused' })
