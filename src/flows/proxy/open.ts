import type { Hangup } from '#platform/hangup.ts'
import { UpstreamError } from '#upstream/errors.ts'
import { openAuthorized, wantsNonce } from '#upstream/open-authorized.ts'
import { discard, type StreamResponse } from '#upstream/open-stream.ts'
import { addressFor, type Where } from './address.ts'
import type { CallBody } from './body.ts'
import { type CallNotes, PATIENCE, type ProxyDeps, type Target } from './deps.ts'
import { learnFromResponse } from './learn-from-response.ts'
import type { Ready, Targets } from './targets.ts'

/** One request to a service, checked and complete but for the credential. */
export interface Outgoing {
  target: Target
  method: string
  where: Where
  headers: Record<string, string>
  body: CallBody
  hangup: Hangup
}

export interface Opened extends StreamResponse {
  /** The address that gave the answer, after redirects. */
  url: string
}

/** Limit: redirects that a proxied call follows; then the redirect itself is the response. */
const MAX_REDIRECTS = 5
const IDEMPOTENT = new Set('GET HEAD OPTIONS PUT DELETE PROPFIND REPORT SEARCH QUERY'.split(' '))
const REDIRECTS = new Set([301, 302, 303, 307, 308])

/**
 * A refused token is refreshed once, a missing nonce is learned, and a dead connection tried once more: each only where
 * the same can be sent again without harm.
 */
export async function open(deps: ProxyDeps, targets: Targets, out: Outgoing, notes: CallNotes): Promise<Opened> {
  return learnFromResponse(deps, out.target, await openFresh(deps, targets, out, notes))
}

async function openFresh(deps: ProxyDeps, targets: Targets, out: Outgoing, notes: CallNotes): Promise<Opened> {
  let ready = await targets.ready(out.target, out.body.repeatable ? 'recent' : 'newest')
  if (!out.body.repeatable && ready.credential.dpopKey !== undefined) await learnNonce(deps, out, ready)
  let asked = { nonce: false, credential: false }
  for (;;) {
    const reply = await persist(deps, out, ready, notes)
    if (reply.status !== 401 || !out.body.repeatable) return reply
    if (!asked.nonce && wantsNonce(reply)) {
      asked = { ...asked, nonce: true }
    } else {
      if (asked.credential) return reply
      asked = { ...asked, credential: true }
      const next = await targets.renew(out.target, ready.version).catch((error: unknown) => {
        discard(reply)
        throw error
      })
      if (next.version === ready.version) return reply
      notes.refreshed = true
      ready = next
    }
    discard(reply)
    notes.retried = true
  }
}

async function persist(deps: ProxyDeps, out: Outgoing, ready: Ready, notes: CallNotes): Promise<Opened> {
  try {
    return await follow(deps, out, ready)
  } catch (error) {
    const again =
      error instanceof UpstreamError &&
      error.reason === 'service_unreachable' &&
      out.body.repeatable &&
      IDEMPOTENT.has(out.method) &&
      !out.hangup.happened
    if (!again) throw error
    notes.retried = true
    return follow(deps, out, ready)
  }
}

/** Follows redirects of reads on the service's own hosts; all others go back to the app, which has no credential to lose. */
async function follow(deps: ProxyDeps, out: Outgoing, ready: Ready): Promise<Opened> {
  let url = addressFor(ready, out.target.connector, out.where)
  for (let hop = 0; ; hop += 1) {
    const reply = await send(deps, out, ready, url)
    const next =
      hop < MAX_REDIRECTS && out.body.repeatable ? redirected(out.method, url, ready.hosts, reply) : undefined
    if (next === undefined) return { ...reply, url }
    discard(reply)
    url = next
  }
}

function send(
  deps: ProxyDeps,
  { target: { connector, key }, method, headers, body, hangup }: Outgoing,
  { credential }: Ready,
  url: string,
): Promise<StreamResponse> {
  const { headersMs, idleMs } = deps.patience ?? PATIENCE
  return openAuthorized(
    deps.upstream,
    { auth: connector.auth, key, credential },
    {
      method,
      url,
      headers: {
        ...connector.api.headers,
        ...headers,
        ...(body.length === undefined ? {} : { 'content-length': String(body.length) }),
      },
      body: body.content,
      hangup,
      headersTimeoutMs: headersMs,
      idleTimeoutMs: idleMs,
    },
  )
}

function redirected(
  method: string,
  from: string,
  hosts: readonly string[],
  { status, headers }: StreamResponse,
): string | undefined {
  if ((method !== 'GET' && method !== 'HEAD') || !REDIRECTS.has(status)) return undefined
  if (typeof headers['location'] !== 'string') return undefined
  const target = URL.parse(headers['location'], from)
  if (target === null || target.username !== '') return undefined
  return target.origin === new URL(from).origin || hosts.includes(target.origin) ? target.href : undefined
}

/** A stream cannot be sent again when the server asks for another nonce, so that the nonce is fetched before. */
async function learnNonce(deps: ProxyDeps, out: Outgoing, ready: Ready): Promise<void> {
  const empty: CallBody = { content: undefined, repeatable: true, length: undefined }
  const url = addressFor(ready, out.target.connector, out.where)
  discard(await send(deps, { ...out, method: 'HEAD', headers: {}, body: empty }, ready, url))
}
