import type { Trust } from '#platform/egress/trust.ts'
import { trimEndOf } from '#platform/formats/trim-end.ts'
import { UpstreamError } from '../request/errors.ts'
import type { Metadata } from '../request/metadata-cache.ts'
import { omitUndefined } from '../request/omit-undefined.ts'
import { parseObject } from '../request/parse-object.ts'
import { responseFailure } from '../request/response-failure.ts'
import type { Upstream, UpstreamResponse } from '../request/send.ts'

/** Limit: bytes of a metadata or DID document; a longer one fails the sign-in. */
const MAX_BYTES = 256 * 1024

/** Discovers the authorization server of an instance by RFC 8414, and by RFC 9728 where the API is on another host. */
export async function discover(
  upstream: Upstream,
  base: string,
  { resource, trust }: { resource: boolean; trust: Trust },
) {
  const issuer = resource ? await issuerOf(upstream, base, trust) : trimEndOf(base, '/')
  const metadata = await upstream.metadata.get(cacheName(trust, issuer), () => serverMetadata(upstream, issuer, trust))
  return {
    issuer: textOf(metadata, 'issuer')!,
    authorizeUrl: requireText(metadata, 'authorization_endpoint'),
    tokenUrl: requireText(metadata, 'token_endpoint'),
    issuerAnnounced: metadata['authorization_response_iss_parameter_supported'] === true,
    ...omitUndefined({
      revokeUrl: textOf(metadata, 'revocation_endpoint'),
      parUrl: textOf(metadata, 'pushed_authorization_request_endpoint'),
      jwksUrl: textOf(metadata, 'jwks_uri'),
      registerUrl: textOf(metadata, 'registration_endpoint'),
    }),
  }
}

/** What one level could fetch is not told to another: a person must not see what a private server published to the operator. */
const cacheName = (trust: Trust, name: string): string => `${trust} ${name}`

/**
 * The issuer for an address that is a resource server or, where it has no document of one, an authorization server: an
 * entryway in front of many servers is only the second. The answer is cached like a document, because every call needs it.
 */
async function issuerOf(upstream: Upstream, base: string, trust: Trust): Promise<string> {
  const { issuer } = await upstream.metadata.get(cacheName(trust, `issuer of ${base}`), async () => ({
    issuer: await authorizationServerOf(upstream, base, trust).catch((error: unknown) => {
      if (error instanceof UpstreamError && error.status === 404) return trimEndOf(base, '/')
      throw error
    }),
  }))
  return String(issuer)
}

/** The issuer that a resource server trusts (RFC 9728). */
export async function authorizationServerOf(upstream: Upstream, base: string, trust: Trust): Promise<string> {
  const address = wellKnown(base, 'oauth-protected-resource')
  const metadata = await upstream.metadata.get(cacheName(trust, address), async () =>
    parseMetadata(upstream, await fetchDocument(upstream, address, trust)),
  )
  if (!sameIdentifier(textOf(metadata, 'resource'), base))
    throw discoveryFailed('The instance describes another resource')
  const [server] = Array.isArray(metadata['authorization_servers'])
    ? (metadata['authorization_servers'] as unknown[])
    : []
  if (typeof server !== 'string') throw discoveryFailed('The instance names no authorization server')
  return server
}

async function serverMetadata(upstream: Upstream, issuer: string, trust: Trust): Promise<Metadata> {
  let reply = await fetchDocument(upstream, wellKnown(issuer, 'oauth-authorization-server'), trust)
  // OpenID Connect servers publish it under another name, after the path of the issuer.
  if (reply.status === 404)
    reply = await fetchDocument(upstream, `${trimEndOf(issuer, '/')}/.well-known/openid-configuration`, trust)
  const metadata = parseMetadata(upstream, reply)
  if (!sameIdentifier(textOf(metadata, 'issuer'), issuer))
    throw discoveryFailed('The authorization server names another issuer')
  return metadata
}

const fetchDocument = (upstream: Upstream, url: string, trust: Trust): Promise<UpstreamResponse> =>
  upstream.send({ method: 'GET', url, trust, maxBytes: MAX_BYTES })

function parseMetadata(upstream: Upstream, reply: UpstreamResponse): Metadata {
  if (reply.status !== 200)
    throw responseFailure(reply, { what: 'discovery', nowMs: upstream.clock.now(), refused: 'stop' })
  const metadata = parseObject(reply.text)
  if (!metadata) throw discoveryFailed('The metadata document is not a JSON object')
  return metadata
}

/** RFC 8414 section 3: the well-known path goes between host and path. */
function wellKnown(identifier: string, name: string): string {
  const url = URL.parse(identifier)
  if (!url) throw discoveryFailed('The address of the instance is not a valid URL')
  const path = url.pathname === '/' ? '' : trimEndOf(url.pathname, '/')
  return `${url.origin}/.well-known/${name}${path}`
}

function sameIdentifier(metadata: string | undefined, expected: string): boolean {
  return metadata !== undefined && trimEndOf(metadata, '/') === trimEndOf(expected, '/')
}

const textOf = (metadata: Metadata, name: string): string | undefined =>
  typeof metadata[name] === 'string' ? metadata[name] : undefined

function requireText(metadata: Metadata, name: string): string {
  const value = textOf(metadata, name)
  if (value === undefined) throw discoveryFailed(`The metadata document lacks ${name}`)
  return value
}

const discoveryFailed = (message: string): UpstreamError =>
  new UpstreamError('stop', message, { reason: 'discovery_failed' })
