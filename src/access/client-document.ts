import type { OAuth2 } from '#kit/auth/auth.ts'
import type { Connector } from '#kit/connector/connector.ts'
import { callbackAddress } from '#kit/connector/service-addresses.ts'

/**
 * The address of an app's client document at an issuer; it is the app's key there. Documents of older releases are for all issuers
 * and have no registration in their name.
 */
export function clientDocumentUrl(
  baseUrl: string,
  appId: string,
  service: string,
  registration: string | undefined,
): string {
  const name = registration === undefined ? service : `${service}.${registration}`
  return `${baseUrl}/oauth/clients/${encodeURIComponent(appId)}/${name}.json`
}

/** Services accept an app on a developer's machine only by these names, not as `localhost`. */
export function isLoopbackBase(baseUrl: string): boolean {
  return /^http:\/\/(?:127\.0\.0\.1|\[::1\])(?::\d+)?$/.test(baseUrl)
}

/** The key of an app on a developer's machine (atproto): nothing is published, and there is no secret. */
export function loopbackClientId(callbackUrl: string, scope: string): string {
  return `http://localhost?${new URLSearchParams({ redirect_uri: callbackUrl, scope }).toString()}`
}

export interface ClientDocumentInput {
  baseUrl: string
  app: { id: string; name: string }
  connector: Connector & { auth: OAuth2 }
  registration: string | undefined
  scope: string
  /** A private JWK as JSON; only its public part is published. */
  secret: string
}

/** The document that describes an app to authorization servers (OAuth Client ID Metadata Document). */
export function clientDocument(input: ClientDocumentInput): Record<string, unknown> {
  const { baseUrl, app, connector, registration, scope } = input
  const { kty, crv, x, y, kid } = JSON.parse(input.secret) as Record<string, string>
  return {
    client_id: clientDocumentUrl(baseUrl, app.id, connector.service, registration),
    client_name: app.name,
    client_uri: baseUrl,
    application_type: 'web',
    grant_types: ['authorization_code', 'refresh_token'],
    response_types: ['code'],
    redirect_uris: [callbackAddress(baseUrl, connector.service, registration)],
    scope,
    token_endpoint_auth_method: 'private_key_jwt',
    token_endpoint_auth_signing_alg: 'ES256',
    dpop_bound_access_tokens: connector.auth.dpop,
    jwks: { keys: [{ kty, crv, x, y, kid, alg: 'ES256', use: 'sig' }] },
  }
}
