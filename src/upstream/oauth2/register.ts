import type { ClientRegistration, OAuth2, TokenAuth } from '#kit/auth/auth.ts'
import type { ServiceLocation } from '../addresses/addresses.ts'
import { UpstreamError } from '../request/errors.ts'
import { fillParameters } from '../request/fill-placeholders.ts'
import { type LosslessObject, parseFields } from '../request/parse-object.ts'
import type { Upstream, UpstreamResponse } from '../request/send.ts'
import { tokenFailure } from '../request/token-error.ts'
import { encoded } from './token-request.ts'

/** What the service is told about the app. */
export interface ClientDescription {
  /** The name that people see on the consent page. */
  app: string
  callback: string
  /** The greatest scope that a sign-in may request. */
  scope: string
  website: string
}

/** The key that a service gave to an app. */
export interface RegisteredClient {
  key: string
  /** Empty for a public client. */
  secret: string
  /** When the service forgets the secret. */
  expiresAt?: number
}

/** Limit: bytes of the response to a registration; a longer one fails the sign-in. */
const MAX_BYTES = 64 * 1024
/** Limit: characters of a key or secret that a service registers; a longer one fails the sign-in. */
const MAX_KEY = 2000

const AUTH_METHODS: Record<TokenAuth, string> = {
  post: 'client_secret_post',
  query: 'client_secret_post',
  basic: 'client_secret_basic',
  basic_raw: 'client_secret_basic',
  // Not known to the registry of methods: such a client is registered as one without a secret.
  secret_basic: 'none',
  none: 'none',
  private_key_jwt: 'private_key_jwt',
  // Not known to the registry of methods: such a client is registered as one without a secret.
  signed_nonce: 'none',
}

/** Registers an app at the service (RFC 7591, or the service's own form). */
export async function registerClient(
  upstream: Upstream,
  auth: OAuth2,
  registration: Exclude<ClientRegistration, { kind: 'document' }>,
  location: ServiceLocation,
  client: ClientDescription,
): Promise<RegisteredClient> {
  const url =
    registration.url === undefined ? location.addresses.registerUrl : location.relocate(registration.url, 'tokenUrl')
  if (url === undefined)
    throw new UpstreamError('stop', 'The service does not register apps', { reason: 'not_supported' })
  const { type, text } =
    registration.kind === 'declared'
      ? encoded(fillParameters(registration.parameters, { ...client }), registration.body)
      : { type: 'application/json', text: JSON.stringify(metadataOf(auth, client)) }
  const sentAtMs = upstream.clock.now()
  const response = await upstream.send({
    method: 'POST',
    url,
    trust: location.trust,
    headers: { 'content-type': type },
    body: text,
    maxBytes: MAX_BYTES,
  })
  return readClient(auth, response, sentAtMs)
}

function metadataOf(auth: OAuth2, { app, callback, scope, website }: ClientDescription): Record<string, unknown> {
  return {
    client_name: app,
    client_uri: website,
    redirect_uris: [callback],
    grant_types: ['authorization_code', 'refresh_token'],
    response_types: ['code'],
    token_endpoint_auth_method: AUTH_METHODS[auth.tokenAuth],
    ...(scope === '' ? {} : { scope }),
    ...(auth.dpop ? { dpop_bound_access_tokens: true } : {}),
  }
}

function readClient(auth: OAuth2, response: UpstreamResponse, sentAtMs: number): RegisteredClient {
  const fields = parseFields(response.text)
  const key = textOf(fields, 'client_id')
  if (response.status >= 300 || key === undefined) {
    const failure = tokenFailure(response, fields, { auth, what: 'registration', nowMs: sentAtMs, secrets: [] })
    // There is no grant yet, so a refusal is about the registration, not about the person's consent.
    if (failure.recovery !== 'reauthorize') throw failure
    throw new UpstreamError('stop', failure.message, { reason: 'request_refused', status: response.status })
  }
  const expiresS = Number(fields?.['client_secret_expires_at'] ?? 0)
  const ends = Number.isSafeInteger(expiresS) && expiresS > 0 ? { expiresAt: expiresS * 1000 } : {}
  return { key, secret: textOf(fields, 'client_secret') ?? '', ...ends }
}

function textOf(fields: LosslessObject | undefined, name: string): string | undefined {
  const value = fields?.[name]
  return typeof value === 'string' && value !== '' && value.length <= MAX_KEY ? value : undefined
}
