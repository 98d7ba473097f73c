import { trimEndOf } from '#platform/trim-end.ts'
import { UpstreamError } from '../errors.ts'
import type { Metadata } from '../metadata-cache.ts'
import { omitUndefined } from '../omit-undefined.ts'
import { parseObject } from '../parse-object.ts'
import { responseFailure } from '../response-failure.ts'
import type { Upstream, UpstreamResponse } from '../send.ts'

/** Limit: bytes of a metadata or DID document; more fails the sign-in. */
const MAX_BYTES = 256 * 1024

/** What an instance publishes about its authorization server: RFC 8414, found by RFC 9728 where the API is elsewhere. */
export async function discover(upstream: Upstream, base: string, { resource }: { resource: boolean }) {
  const issuer = resource ? await authorizationServerOf(upstream, base) : trimEndOf(base, '/')
  const found = await upstream.metadata.get(issuer, () => serverMetadata(upstream, issuer))
  return {
    issuer: textOf(found, 'issuer')!,
    authorizeUrl: needed(found, 'authorization_endpoint'),
    tokenUrl: needed(found, 'token_endpoint'),
    issuerAnnounced: found['authorization_response_iss_parameter_supported'] === true,
    ...omitUndefined({
      revokeUrl: textOf(found, 'revocation_endpoint'),
      parUrl: textOf(found, 'pushed_authorization_request_endpoint'),
    }),
  }
}

/** The issuer that a resource server trusts (RFC 9728). */
export async function authorizationServerOf(upstream: Upstream, base: string): Promise<string> {
  const address = wellKnown(base, 'oauth-protected-resource')
  const found = await upstream.metadata.get(address, async () => parsed(upstream, await ask(upstream, address)))
  if (!sameIdentifier(textOf(found, 'resource'), base)) throw wrong('The instance describes another resource')
  const [server] = Array.isArray(found['authorization_servers']) ? (found['authorization_servers'] as unknown[]) : []
  if (typeof server !== 'string') throw wrong('The instance names no authorization server')
  return server
}

async function serverMetadata(upstream: Upstream, issuer: string): Promise<Metadata> {
  let reply = await ask(upstream, wellKnown(issuer, 'oauth-authorization-server'))
  // OpenID Connect servers publish the same under their own name, with the path in front.
  if (reply.status === 404) reply = await ask(upstream, `${trimEndOf(issuer, '/')}/.well-known/openid-configuration`)
  const found = parsed(upstream, reply)
  if (!sameIdentifier(textOf(found, 'issuer'), issuer)) throw wrong('The authorization server names another issuer')
  return found
}

const ask = (upstream: Upstream, url: string): Promise<UpstreamResponse> =>
  upstream.send({ method: 'GET', url, maxBytes: MAX_BYTES })

function parsed(upstream: Upstream, reply: UpstreamResponse): Metadata {
  if (reply.status !== 200)
    throw responseFailure(reply, { what: 'discovery', nowMs: upstream.clock.now(), refused: 'stop' })
  const found = parseObject(reply.text)
  if (!found) throw wrong('The published metadata is no JSON object')
  return found
}

/** RFC 8414 section 3: the well-known part goes between host and path. */
function wellKnown(identifier: string, name: string): string {
  const url = URL.parse(identifier)
  if (!url) throw wrong('The address of the instance is no web address')
  const path = url.pathname === '/' ? '' : trimEndOf(url.pathname, '/')
  return `${url.origin}/.well-known/${name}${path}`
}

function sameIdentifier(found: string | undefined, expected: string): boolean {
  return found !== undefined && trimEndOf(found, '/') === trimEndOf(expected, '/')
}

const textOf = (found: Metadata, name: string): string | undefined =>
  typeof found[name] === 'string' ? found[name] : undefined

function needed(found: Metadata, name: string): string {
  const value = textOf(found, name)
  if (value === undefined) throw wrong(`The published metadata lacks ${name}`)
  return value
}

const wrong = (message: string): UpstreamError => new UpstreamError('stop', message, { reason: 'discovery_failed' })
