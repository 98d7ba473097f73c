import type { Hangup } from '#platform/waiting/hangup.ts'
import { openAuthorized, wantsNonce } from '#upstream/call/open-authorized.ts'
import { UpstreamError } from '#upstream/request/errors.ts'
import { discard, type StreamRequest, type StreamResponse } from '#upstream/request/open-stream.ts'
import { type CallAddress, resolveAddress } from './address.ts'
import { type AllowedOrigins, isChosenByCaller, staysAtService } from './allowed-hosts.ts'
import type { CallBody } from './body.ts'
import { type CallFlags, DEFAULT_TIMEOUTS, type ProxyDeps, type Target } from './deps.ts'
import { learnFromResponse } from './learn-from-response.ts'
import { isPreSigned } from './pre-signed.ts'
import type { ReadyTarget, Targets } from './targets.ts'

/** One request to a service, complete except for the credential. */
export interface OutgoingCall {
  target: Target
  method: string
  address: CallAddress
  headers: Record<string, string>
  body: CallBody
  hangup: Hangup
  /** Throws for a path that the caller's token is not for; absent where it is for all. Then no redirect is followed here. */
  refuseOtherPath?: ((path: string) => void) | undefined
}

export interface OpenedCall extends StreamResponse {
  /** The URL of the response, after redirects. */
  url: string
  api: AllowedOrigins
}

/** Limit (proxy): redirects that a proxied call follows; then the redirect itself is the response. */
const MAX_REDIRECTS = 5
const IDEMPOTENT = new Set('GET HEAD OPTIONS PUT DELETE PROPFIND REPORT SEARCH QUERY'.split(' '))
const REDIRECTS = new Set([301, 302, 303, 307, 308])

/**
 * Sends a call. Refreshes a refused token once, adopts a new DPoP nonce, and retries once after a broken connection:
 * each only if the request can be repeated safely.
 */
export async function openCall(
  deps: ProxyDeps,
  targets: Targets,
  outgoing: OutgoingCall,
  flags: CallFlags,
): Promise<OpenedCall> {
  return learnFromResponse(deps, outgoing.target, await openWithRefresh(deps, targets, outgoing, flags))
}

async function openWithRefresh(
  deps: ProxyDeps,
  targets: Targets,
  outgoing: OutgoingCall,
  flags: CallFlags,
): Promise<OpenedCall> {
  let ready =
    (outgoing.body.repeatable ? targets.prepared(outgoing.target) : undefined) ??
    (await targets.prepare(outgoing.target, outgoing.body.repeatable ? 'cached' : 'current'))
  if (!outgoing.body.repeatable && ready.credential.dpopKey !== undefined) await learnNonce(deps, outgoing, ready)
  let attempted = { nonce: false, credential: false }
  for (;;) {
    flags.secrets = [...flags.secrets, ...ready.secrets]
    const response = await sendWithRetry(deps, outgoing, ready, flags)
    if (response.status !== 401 || !outgoing.body.repeatable) return response
    if (!attempted.nonce && wantsNonce(response)) {
      attempted = { ...attempted, nonce: true }
    } else {
      if (attempted.credential) return response
      attempted = { ...attempted, credential: true }
      const next = await targets.renew(outgoing.target, ready.version).catch((error: unknown) => {
        discard(response)
        throw error
      })
      if (next.version === ready.version) return response
      flags.refreshed = true
      ready = next
    }
    discard(response)
    flags.retried = true
  }
}

async function sendWithRetry(
  deps: ProxyDeps,
  outgoing: OutgoingCall,
  ready: ReadyTarget,
  flags: CallFlags,
): Promise<OpenedCall> {
  try {
    return await sendFollowingRedirects(deps, outgoing, ready)
  } catch (error) {
    const mayRetry =
      error instanceof UpstreamError &&
      error.reason === 'service_unreachable' &&
      outgoing.body.repeatable &&
      IDEMPOTENT.has(outgoing.method) &&
      !outgoing.hangup.happened
    if (!mayRetry) throw error
    flags.retried = true
    return sendFollowingRedirects(deps, outgoing, ready)
  }
}

/**
 * Follows redirects of GET and HEAD on the service's own hosts. Others are returned to the app: they must not get the
 * credential.
 */
async function sendFollowingRedirects(
  deps: ProxyDeps,
  outgoing: OutgoingCall,
  ready: ReadyTarget,
): Promise<OpenedCall> {
  const { address, refuseOtherPath } = outgoing
  refuseOtherPath?.('url' in address ? pathOf(address.url, ready.apiUrl) : address.path)
  let url = resolveAddress(ready, outgoing.target, address)
  for (let hop = 0; ; hop += 1) {
    const response = await send(deps, outgoing, ready, url)
    const next =
      hop < MAX_REDIRECTS && outgoing.body.repeatable && refuseOtherPath === undefined
        ? redirectTarget(outgoing.method, url, ready, response)
        : undefined
    if (next === undefined) return { ...response, url, api: ready }
    discard(response)
    url = next
  }
}

/** As in a call: below the API, or the whole address. */
function pathOf(url: string, apiUrl: string): string {
  const [path = ''] = url.split('?')
  return path.startsWith(`${apiUrl}/`) ? path.slice(apiUrl.length) : `/${path}`
}

function send(
  deps: ProxyDeps,
  { target: { connector, key }, method, headers, body, hangup }: OutgoingCall,
  ready: ReadyTarget,
  url: string,
): Promise<StreamResponse> {
  const { headersMs, idleMs } = deps.timeouts ?? DEFAULT_TIMEOUTS
  const { credential } = ready
  const isSigned = isPreSigned(url)
  const request: StreamRequest = {
    method,
    url,
    trust: isChosenByCaller(ready, url) ? 'person' : ready.trust,
    headers: {
      ...(isSigned ? {} : ready.headers),
      ...headers,
      ...(body.length === undefined ? {} : { 'content-length': String(body.length) }),
    },
    body: body.content,
    hangup,
    headersTimeoutMs: headersMs,
    idleTimeoutMs: idleMs,
  }
  return isSigned
    ? deps.upstream.open(request)
    : openAuthorized(deps.upstream, { auth: connector.auth, key, credential }, request)
}

function redirectTarget(
  method: string,
  from: string,
  api: AllowedOrigins,
  { status, headers }: StreamResponse,
): string | undefined {
  if ((method !== 'GET' && method !== 'HEAD') || !REDIRECTS.has(status)) return undefined
  if (typeof headers['location'] !== 'string') return undefined
  const target = URL.parse(headers['location'], from)
  if (target === null || target.username !== '' || target.password !== '') return undefined
  return staysAtService(api, from, target) ? target.href : undefined
}

/** Fetches a nonce before a streamed body is sent, because the stream cannot be repeated with another nonce. */
async function learnNonce(deps: ProxyDeps, outgoing: OutgoingCall, ready: ReadyTarget): Promise<void> {
  const empty: CallBody = { content: undefined, repeatable: true, length: undefined }
  const url = resolveAddress(ready, outgoing.target, outgoing.address)
  discard(await send(deps, { ...outgoing, method: 'HEAD', headers: {}, body: empty }, ready, url))
}
