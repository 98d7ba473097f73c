import type { Credential } from '#kit/auth/auth.ts'
import type { Discovery } from '#kit/auth/typed.ts'
import { trimEndOf } from '#platform/formats/trim-end.ts'
import { readBody } from '../body/read-body.ts'
import { authorizeRequest, type SigningContext } from '../call/authorize-call.ts'
import { UpstreamError } from '../request/errors.ts'
import { responseFailure } from '../request/response-failure.ts'
import type { Upstream, UpstreamRequest, UpstreamResponse } from '../request/send.ts'

/** Limit: bytes of a response in which the API of a person's server is looked for; a longer one fails the sign-in. */
const MAX_BYTES = 256 * 1024
/** Limit: redirects and links that are followed from one address to the API of a person's server; one more leads nowhere. */
const MAX_HOPS = 6

/**
 * Finds the API at the server that the person named, and stores its address with the credential. What was typed goes to that
 * server, and to those that it names by https: it knows the password anyway.
 */
export async function discoverApi(
  upstream: Upstream,
  context: SigningContext,
  discovery: Discovery,
): Promise<Credential> {
  const { credential } = context
  let failure: UpstreamError | undefined
  for (const start of startsOf(discovery, credential)) {
    const found = await follow(upstream, context, discovery, start)
    if (found instanceof UpstreamError) failure ??= found
    else if (found !== undefined) return { ...credential, instance: { ...credential.instance, api_url: found } }
  }
  throw failure ?? new UpstreamError('stop', 'The server does not offer this', { reason: 'discovery_failed' })
}

function startsOf({ start }: Discovery, { instance = {} }: Credential): string[] {
  try {
    return start(instance)
  } catch (cause) {
    throw new UpstreamError('stop', 'The server’s address cannot be used', { reason: 'address_invalid', cause })
  }
}

/** The API's address; undefined if this leads nowhere; a failure if the server cannot say at the moment. */
async function follow(
  upstream: Upstream,
  context: SigningContext,
  discovery: Discovery,
  start: string,
): Promise<string | UpstreamError | undefined> {
  let url: string | undefined = start
  for (let hop = 0; hop <= MAX_HOPS && url !== undefined; hop++) {
    const reply = await ask(upstream, context, discovery, url)
    const redirect = redirectOf(reply)
    if (redirect !== undefined) {
      url = linkFrom(url, redirect)
      continue
    }
    const { status } = reply
    // Not asked again elsewhere: servers lock accounts after a few wrong passwords.
    if (status === 401) throw failureOf(upstream, context, reply)
    if (status >= 500 || status === 429) return failureOf(upstream, context, reply)
    const said = status >= 200 && status < 300 ? readReply(discovery, reply.text) : undefined
    if (said === 'refused') throw refused()
    if (said === undefined) return undefined
    if ('api' in said) {
      const api = linkFrom(url, said.api)
      return api === undefined ? undefined : trimEndOf(api, '/')
    }
    const next: string | undefined = linkFrom(url, said.next)
    if (next === url) return undefined
    url = next
  }
  return undefined
}

function ask(
  upstream: Upstream,
  context: SigningContext,
  { method, headers, body }: Discovery,
  url: string,
): Promise<UpstreamResponse> {
  const request: UpstreamRequest = {
    method,
    url,
    trust: 'person',
    headers: { ...(body && { 'content-type': body.type }), ...headers },
    body: body?.text,
    maxBytes: MAX_BYTES,
  }
  return upstream.send(authorizeRequest(upstream, context, request))
}

function readReply({ read, parse = 'json' }: Discovery, text: string): ReturnType<Discovery['read']> {
  try {
    return read(readBody(text, parse))
  } catch {
    // A page for people, or another service: the API is not here.
    return undefined
  }
}

function redirectOf({ status, headers }: UpstreamResponse): string | undefined {
  return [301, 302, 303, 307, 308].includes(status) ? headers['location'] : undefined
}

/** Other origins only by https. A server behind a proxy may not know that it is called by https itself. */
function linkFrom(from: string, link: string): string | undefined {
  const base = new URL(from)
  const target = URL.parse(link, from)
  if (target === null || target.username !== '' || target.password !== '') return undefined
  if (base.protocol === 'https:' && target.protocol === 'http:' && target.hostname === base.hostname) {
    target.protocol = 'https:'
    target.port = base.port
  }
  target.hash = ''
  return target.origin === base.origin || target.protocol === 'https:' ? target.href : undefined
}

function failureOf(upstream: Upstream, { credential }: SigningContext, reply: UpstreamResponse): UpstreamError {
  const secrets = [credential.token, ...Object.values(credential.fields ?? {})]
  return responseFailure(reply, { what: 'discovery', nowMs: upstream.clock.now(), refused: 'reauthorize', secrets })
}

const refused = (): UpstreamError =>
  new UpstreamError('reauthorize', 'The server does not accept what was typed', { reason: 'service_refused' })
