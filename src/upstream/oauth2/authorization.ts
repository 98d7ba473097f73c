import type { JsonObject, OAuth2, Parameters } from '#kit/auth/auth.ts'
import type { ServiceLocation } from '../addresses/addresses.ts'
import { appValues } from '../addresses/placeholder-values.ts'
import { applyLoginOptions, type LoginOptions } from '../login-options.ts'
import { UpstreamError } from '../request/errors.ts'
import { fillParameters } from '../request/fill-placeholders.ts'
import type { Upstream } from '../request/send.ts'
import type { ServiceKey } from '../request/service-key.ts'
import { tokenFailure } from '../request/token-error.ts'
import { requestAsApp, withParameters } from './token-request.ts'

export interface AuthorizationInput extends LoginOptions {
  auth: OAuth2
  key: ServiceKey
  location: ServiceLocation
  callbackUrl: string
  state: string
  /** With the service's separator. */
  scope: string
  challenge?: string | undefined
  /** Of an ID token. */
  nonce?: string | undefined
  dpopKey?: JsonObject | undefined
  loginHint?: string | undefined
}

/** The authorization URL (RFC 6749 4.1.1); with a pushed request (RFC 9126) it has only a reference. */
export async function authorizationUrl(upstream: Upstream, input: AuthorizationInput): Promise<string> {
  const { auth, key, location } = input
  const variation = applyLoginOptions(auth, input)
  const page =
    variation.authorizeUrl === undefined
      ? location.addresses.authorizeUrl
      : location.relocate(variation.authorizeUrl, 'authorizeUrl')
  const id = { [auth.names.client_id ?? 'client_id']: key.key }
  const parameters: Parameters = {
    response_type: 'code',
    ...id,
    [auth.names.redirect_uri ?? 'redirect_uri']: input.callbackUrl,
    state: input.state,
    ...(input.scope === '' ? {} : { [auth.scope.name]: input.scope }),
    ...(input.nonce === undefined ? {} : { nonce: input.nonce }),
    ...(input.challenge === undefined ? {} : { code_challenge: input.challenge, code_challenge_method: 'S256' }),
    ...(auth.responseMode === undefined ? {} : { response_mode: auth.responseMode }),
    ...(input.loginHint === undefined ? {} : { login_hint: input.loginHint }),
    ...fillParameters(auth.parameters.authorize, appValues(key)),
    ...variation.parameters,
  }
  const { parUrl } = location.addresses
  if (parUrl === undefined) return withParameters(page, parameters)
  return withParameters(page, { ...id, request_uri: await pushRequest(upstream, input, parUrl, parameters) })
}

async function pushRequest(
  upstream: Upstream,
  { auth, key, location, dpopKey }: AuthorizationInput,
  url: string,
  parameters: Parameters,
): Promise<string> {
  const audience = location.addresses.issuer ?? location.addresses.tokenUrl
  const { trust } = location
  const request = { auth, key, url, trust, parameters, audience, dpopKey }
  const { response, fields, sentAtMs } = await requestAsApp(upstream, request)
  const reference = fields?.['request_uri']
  if (response.status < 300 && typeof reference === 'string') return reference
  const failure = tokenFailure(response, fields, {
    auth,
    what: 'pushed request',
    nowMs: sentAtMs,
    secrets: [key.secret, parameters['state']],
  })
  // There is no grant yet, so a refusal is about the request, not about the person's consent.
  if (failure.recovery !== 'reauthorize') throw failure
  throw new UpstreamError('stop', failure.message, { reason: 'request_refused', status: response.status })
}
